/**
 * An S3-compatible service on this machine, in a process that can be killed and started again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.ts';

export interface S3Service {
  port: number;
  /** Starts it on the same port with the same files. */
  start(): Promise<void>;
  /** Sends SIGKILL; resolves once the process has ended. */
  kill(): Promise<void>;
}

const main = fileURLToPath(new URL('./s3-server.ts', import.meta.url));

/** Its only account. */
export const s3Account = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** What the file of an object has after its key; the service keeps others beside it. */
export const s3ObjectSuffix = '._S3rver_object';

/**
 * Starts the service with one bucket, whose objects are files below `<folder>/<bucket>`.
 * @param options.hasConditions false for a service that ignores conditions of writes
 */
export async function startS3Service(
  folder: string,
  bucket: string,
  { hasConditions = true }: { hasConditions?: boolean } = {},
): Promise<S3Service> {
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  let child: ChildProcess | undefined;
  const service: S3Service = {
    port,
    async start() {
      // s3rver makes the tokens of its lists with DES, which OpenSSL 3 does not have.
      const words = ['--openssl-legacy-provider', main, JSON.stringify({ folder, port, bucket, hasConditions })];
      const started = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
      child = started;
      await once(createInterface({ input: started.stdout }), 'line');
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
  await service.start();
  return service;
}
