/**
 * S3-compatible services as processes that a rig kills and starts again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@carton/runtime/testing';
import type { Stage } from '../rig.ts';
import { filesBelow } from './folder.ts';

export interface S3Service {
  name: string;
  /** The settings of a box that uses it. */
  environment: Record<string, string>;
  /** Starts it on the same address, with the same files. */
  start(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** The names of all objects, without the tenant's id before them. */
  objects(): Promise<string[]>;
}

export const bucket = 'media-of-the-rig';

/** Returns the settings of a box for a service on this machine. */
export function settingsOf(port: number, accessKey: string, secretKey: string): Record<string, string> {
  return {
    MEDIA_STORAGE: 's3',
    MEDIA_S3_BUCKET: bucket,
    MEDIA_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    MEDIA_S3_ACCESS_KEY_ID: accessKey,
    MEDIA_S3_SECRET_ACCESS_KEY: secretKey,
  };
}

/** Starts s3rver in a folder of the rig. */
export async function startS3rver(stage: Stage): Promise<S3Service> {
  const main = fileURLToPath(new URL('../../vendor/media/testing/main.ts', import.meta.url));
  const folder = join(stage.folder, 's3rver');
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  let child: ChildProcess | null = null;
  const service: S3Service = {
    name: 's3rver',
    environment: settingsOf(port, 'S3RVER', 'S3RVER'),
    async start() {
      const words = ['--conditions=workspace-source', main, JSON.stringify({ folder, port, bucket })];
      const started = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
      child = started;
      await once(createInterface({ input: started.stdout }), 'line');
    },
    async kill() {
      const killed = child;
      if (!killed || killed.exitCode !== null || killed.signalCode !== null) return;
      const exit = once(killed, 'exit');
      killed.kill('SIGKILL');
      await exit;
    },
    async objects() {
      const paths = await filesBelow(join(folder, bucket));
      const suffix = '._S3rver_object';
      return paths.filter((path) => path.endsWith(suffix)).map((path) => basename(path, suffix));
    },
  };
  await service.start();
  stage.atEnd('s3rver', service.kill);
  return service;
}
