// Starts an S3-compatible service on this machine for a registry.

import { type S3Service as Service, s3Account, startS3Service as start } from '@carton/runtime/testing';
import type { BucketSettings } from '../storage/location.ts';

export type S3Service = Service & {
  /** The settings of a registry that uses it, as `readConfig` returns them. */
  settings: BucketSettings;
  /** The same settings in the environment of a process. */
  environment: Record<string, string>;
};

/** @param hasConditions false for a service that ignores conditions of writes */
export async function startS3Service(folder: string, options: { hasConditions?: boolean } = {}): Promise<S3Service> {
  const location = { bucket: 'packages-of-the-test', prefix: 'registry/' };
  const service = await start(folder, location.bucket, options);
  const endpoint = `http://127.0.0.1:${service.port}`;
  return {
    ...service,
    settings: { ...location, endpoint, region: 'us-east-1', pathStyle: true, credentials: () => s3Account },
    environment: {
      REGISTRY_STORAGE: `s3://${location.bucket}/${location.prefix}`,
      REGISTRY_S3_ENDPOINT: endpoint,
      REGISTRY_S3_ACCESS_KEY_ID: s3Account.accessKeyId,
      REGISTRY_S3_SECRET_ACCESS_KEY: s3Account.secretAccessKey,
    },
  };
}
