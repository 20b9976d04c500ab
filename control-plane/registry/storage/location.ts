// Where the storage is: a folder of this machine, or a bucket of Amazon S3 or a compatible service.

import { resolve } from 'node:path';

export type BucketLocation = {
  bucket: string;
  /** Before every key: empty, or it ends with a slash. */
  prefix: string;
};

export type BucketSettings = BucketLocation & {
  region: string;
  /** Undefined for Amazon's. */
  endpoint: string | undefined;
  /** Whether the bucket is in the path of addresses, and not in their host name. */
  pathStyle: boolean;
  /** Undefined for the credentials of the machine, as Amazon's tools find them. */
  credentials: (() => { accessKeyId: string; secretAccessKey: string }) | undefined;
};

/** The names that Amazon allows, and prefixes without empty parts or parts that mean other folders. */
const bucketLocation = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9!_.*'()-]+)*)\/?$/;

/**
 * Parses `s3://bucket`, `s3://bucket/prefix`, or the path of a folder, which is returned as an absolute one.
 * @throws Error that says what is wrong, to be put after the name of a setting
 */
export function parseLocation(text: string): BucketLocation | string {
  const [, bucket, prefix = ''] = bucketLocation.exec(text) ?? [];
  if (bucket !== undefined) return { bucket, prefix: prefix === '' ? '' : `${prefix.slice(1)}/` };
  if (/^[a-z0-9]+:/i.test(text)) throw new Error('must be a folder, or a bucket as s3://bucket/prefix');
  return resolve(text);
}

/** A location in messages. */
export const describeLocation = ({ bucket, prefix }: BucketLocation) => `s3://${bucket}/${prefix}`;
