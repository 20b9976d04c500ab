/**
 * S3-compatible services as processes that a rig kills and starts again.
 */
import { basename, join } from 'node:path';
import { s3Account, s3ObjectSuffix, startS3Service } from '@carton/runtime/testing';
import type { Stage } from '../support/rig.ts';
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
  const folder = join(stage.folder, 's3rver');
  const { port, start, kill } = await startS3Service(folder, bucket);
  stage.atEnd('s3rver', kill);
  return {
    name: 's3rver',
    environment: settingsOf(port, s3Account.accessKeyId, s3Account.secretAccessKey),
    start,
    kill,
    async objects() {
      const paths = await filesBelow(join(folder, bucket));
      return paths.filter((path) => path.endsWith(s3ObjectSuffix)).map((path) => basename(path, s3ObjectSuffix));
    },
  };
}
