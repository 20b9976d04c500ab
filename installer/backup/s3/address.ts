/**
 * The address of backups in a bucket: `s3://bucket/prefix`.
 */
import { Failure } from '../../failure.ts';

export interface BucketAddress {
  bucket: string;
  /** Without slashes at its ends; empty for the whole bucket. */
  prefix: string;
}

/** Whether a text is the address of a bucket rather than a path. */
export function isBucketAddress(text: string): boolean {
  return text.startsWith('s3://');
}

/** @throws Failure usage. Source of the rule: the names of buckets of Amazon S3 */
export function parseBucketAddress(text: string): BucketAddress {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]*)\/*(.*?)\/*$/s.exec(text) ?? [];
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new Failure('usage', `${text} names no bucket`, 'Use s3://bucket/prefix, such as s3://store-backups/berlin');
  }
  if (!/^[\w!.*'()/ -]*$/.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..')) {
    throw new Failure(
      'usage',
      `the prefix of ${text} has characters that not every service accepts`,
      "Use letters, digits and -_.!*'()",
    );
  }
  return { bucket, prefix };
}

/** The address as people write it. */
export function formatBucketAddress({ bucket, prefix }: BucketAddress): string {
  return `s3://${bucket}${prefix && `/${prefix}`}`;
}
