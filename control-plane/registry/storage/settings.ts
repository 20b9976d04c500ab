// The settings of the storage: a folder, or a bucket and how it is reached.

import { resolve } from 'node:path';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { firstOf, type Secret } from '../secrets.ts';
import { vendor } from '../vendor.ts';
import { type BucketSettings, parseLocation } from './location.ts';

const defaultFolder = `.${vendor}/registry`;

export const storageSettings = {
  REGISTRY_STORAGE: Type.String({
    minLength: 1,
    default: defaultFolder,
    description:
      'Where packages are: a folder, of one process, or a bucket, of any number of them: `s3://bucket/prefix` ([Storage](#storage))',
  }),
  REGISTRY_HOME: Type.Optional(
    Type.String({
      minLength: 1,
      description: `Folder of download reports and caches, of one process; by default that of \`REGISTRY_STORAGE\`, or \`${defaultFolder}\` with a bucket`,
    }),
  ),
  REGISTRY_S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s/?#@]+/?$',
      description: "Address of a service that is compatible with Amazon S3; Amazon's by default",
    }),
  ),
  REGISTRY_S3_REGION: Type.Optional(
    Type.String({ minLength: 1, description: 'Region of the bucket; `us-east-1` by default' }),
  ),
  REGISTRY_S3_PATH_STYLE: Type.Optional(
    Type.String({
      pattern: '^(true|false)$',
      description:
        'Whether the bucket is in the path of addresses (`true`) or in their host name (`false`); by default in the path if there is an endpoint',
    }),
  ),
  REGISTRY_S3_ACCESS_KEY_ID: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Access key of the bucket; without one, the credentials of the machine are used, as by Amazon's tools",
    }),
  ),
  REGISTRY_S3_SECRET_ACCESS_KEY: Type.Optional(Type.String({ minLength: 1, description: 'Secret of the access key' })),
  REGISTRY_S3_SECRET_ACCESS_KEY_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'File with the secret of the access key; its first line is used, also after a change',
    }),
  ),
};

/** What no schema can check: the location, and settings of a bucket that do not belong to it or to each other. */
export function faultsOfStorage(values: Record<string, unknown>): string[] {
  const isSet = (name: string) => values[name] !== undefined;
  const faults: string[] = [];
  try {
    const ofBuckets = Object.keys(storageSettings).filter((name) => name.startsWith('REGISTRY_S3_') && isSet(name));
    if (typeof parseLocation(String(values.REGISTRY_STORAGE)) === 'string' && ofBuckets.length > 0) {
      faults.push(`${ofBuckets.join(', ')} needs a bucket, and REGISTRY_STORAGE is a folder`);
    }
  } catch (error) {
    faults.push(`REGISTRY_STORAGE ${(error as Error).message}`);
  }
  const [id, secret] = ['REGISTRY_S3_ACCESS_KEY_ID', 'REGISTRY_S3_SECRET_ACCESS_KEY'] as const;
  if (isSet(id) !== isSet(secret))
    faults.push(`${isSet(id) ? secret : id} is not set, and ${isSet(id) ? id : secret} is`);
  return faults;
}

/** @param secretOf the secret of a setting: its file if there is one, else the value */
export function storageOf(
  values: Static<TObject<typeof storageSettings>>,
  secretOf: (setting: string, value: string | undefined) => Secret | undefined,
): BucketSettings | string {
  const location = parseLocation(values.REGISTRY_STORAGE);
  if (typeof location === 'string') return location;
  const { REGISTRY_S3_ENDPOINT: endpoint, REGISTRY_S3_ACCESS_KEY_ID: accessKeyId } = values;
  const secret = secretOf('REGISTRY_S3_SECRET_ACCESS_KEY', values.REGISTRY_S3_SECRET_ACCESS_KEY);
  const isInPath = values.REGISTRY_S3_PATH_STYLE;
  return {
    ...location,
    region: values.REGISTRY_S3_REGION ?? 'us-east-1',
    endpoint,
    pathStyle: isInPath === undefined ? endpoint !== undefined : isInPath === 'true',
    credentials:
      accessKeyId === undefined || secret === undefined
        ? undefined
        : () => ({ accessKeyId, secretAccessKey: firstOf(secret) }),
  };
}

/** The folder of what a process keeps for itself, as an absolute path. */
export function homeOf(setting: string | undefined, storage: BucketSettings | string): string {
  return resolve(setting ?? (typeof storage === 'string' ? storage : defaultFolder));
}
