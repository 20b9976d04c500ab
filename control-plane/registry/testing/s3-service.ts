// Starts an S3-compatible service on this machine that is killed and started again.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BucketSettings } from '../storage/location.ts';

export type S3Service = {
  port: number;
  /** The settings of a registry that uses it, as `readConfig` returns them. */
  settings: BucketSettings;
  /** The same settings in the environment of a process. */
  environment: Record<string, string>;
  /** Starts it on the same port with the same files. */
  start(): Promise<void>;
  /** Sends SIGKILL; resolves once the process has ended. */
  kill(): Promise<void>;
};

const main = fileURLToPath(new URL('./s3-server.ts', import.meta.url));
/** The only account of s3rver. */
const account = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** @param hasConditions false for a service that ignores conditions of writes */
export async function startS3Service(folder: string, { hasConditions = true } = {}): Promise<S3Service> {
  const port = await freePort();
  const location = { bucket: 'packages-of-the-test', prefix: 'registry/' };
  const endpoint = `http://127.0.0.1:${port}`;
  await mkdir(folder, { recursive: true });
  let child: ChildProcess | undefined;
  const service: S3Service = {
    port,
    settings: { ...location, endpoint, region: 'us-east-1', pathStyle: true, credentials: () => account },
    environment: {
      REGISTRY_STORAGE: `s3://${location.bucket}/${location.prefix}`,
      REGISTRY_S3_ENDPOINT: endpoint,
      REGISTRY_S3_ACCESS_KEY_ID: account.accessKeyId,
      REGISTRY_S3_SECRET_ACCESS_KEY: account.secretAccessKey,
    },
    async start() {
      // s3rver makes the tokens of its lists with DES.
      const words = ['--conditions=workspace-source', '--openssl-legacy-provider', main];
      const options = JSON.stringify({ folder, port, bucket: location.bucket, hasConditions });
      const started = spawn(process.execPath, [...words, options], { stdio: ['pipe', 'pipe', 'inherit'] });
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
