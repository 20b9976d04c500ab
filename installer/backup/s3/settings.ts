/**
 * The settings of the access to a bucket of backups: variables of the environment, or lines of `box.env`. Secrets may be in
 * files that `…_FILE` names. Without a key, Amazon's client looks for credentials where all its programs do: `AWS_…`
 * variables, `~/.aws`, the role of the machine.
 */

import { readFile } from 'node:fs/promises';
import { Failure } from '../../failure.ts';

export interface BucketSettings {
  /** URL of a service other than Amazon S3. */
  endpoint: string | undefined;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/** The variables, and what each is for. */
export const bucketVariables: Readonly<Record<string, string>> = {
  BACKUP_S3_ENDPOINT: 'URL of the service that has the bucket of backups; Amazon S3 by default',
  BACKUP_S3_REGION: 'The region of the bucket of backups; us-east-1 by default',
  BACKUP_S3_ACCESS_KEY_ID: 'Access key for the bucket of backups',
  BACKUP_S3_ACCESS_KEY_ID_FILE: 'File with that access key',
  BACKUP_S3_SECRET_ACCESS_KEY: 'Secret of that access key',
  BACKUP_S3_SECRET_ACCESS_KEY_FILE: 'File with that secret',
};

/**
 * Reads the settings; variables of the environment go before the given ones.
 * @throws Failure usage for a wrong URL, a key without its secret, or a file that cannot be read
 */
export async function readBucketSettings(variables: Record<string, string | undefined>): Promise<BucketSettings> {
  const settingOf = (name: string) => process.env[name] || variables[name] || undefined;
  const secretOf = async (name: string) => {
    // Whichever form the environment has goes before what box.env has.
    if (process.env[name]) return process.env[name];
    const file = process.env[`${name}_FILE`] || (variables[name] ? undefined : variables[`${name}_FILE`]);
    return file ? readSecret(`${name}_FILE`, file) : variables[name] || undefined;
  };
  const endpoint = settingOf('BACKUP_S3_ENDPOINT');
  if (endpoint !== undefined && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol))) {
    throw new Failure('usage', 'BACKUP_S3_ENDPOINT is no URL', 'Set it to one such as https://s3.example.com');
  }
  const accessKeyId = await secretOf('BACKUP_S3_ACCESS_KEY_ID');
  const secretAccessKey = await secretOf('BACKUP_S3_SECRET_ACCESS_KEY');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new Failure(
      'usage',
      'BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY belong together',
      'Set both, or none to use the credentials of the machine',
    );
  }
  return {
    endpoint,
    region: settingOf('BACKUP_S3_REGION') ?? 'us-east-1',
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  };
}

async function readSecret(name: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      'usage',
      `${path}, which ${name} names, cannot be read (${error.code})`,
      'Correct its path or mode',
    );
  });
  if (text.trim()) return text.trim();
  throw new Failure('usage', `${path}, which ${name} names, is empty`, 'Write the value into it');
}
