// Checks at the start that a bucket can be used: the credentials and their rights, and that the service honours the
// conditions of writes. Without them, two registries would overwrite each other's versions, and a service that does not
// know them ignores them silently.

import { randomUUID } from 'node:crypto';
import { StorageFailure } from './failure.ts';
import type { Storage } from './storage.ts';
import { unchanged } from './storage.ts';

/** @throws Error that says what is wrong and what to do */
export async function checkBucket(storage: Storage): Promise<void> {
  const key = `check/${randomUUID()}`;
  const content = (number: number) => Buffer.from(`written by the check at the start of a registry (${number})`);
  try {
    if ((await storage.read(key)) !== undefined) throw unfit('it has an object that was never written');
    for await (const _ of storage.list('check/')) break;
    try {
      const first = await storage.write(key, content(1), 'new');
      if (first === undefined) throw unfit('it refuses to write a new object with If-None-Match');
      if ((await storage.write(key, content(2), 'new')) !== undefined) throw unfit('it ignores If-None-Match');
      const second = await storage.write(key, content(3), { tag: first });
      if (second === undefined) throw unfit('it refuses to replace an object with If-Match and its entity tag');
      if (second === first) throw unfit('the entity tag of an object stays when it is replaced');
      if ((await storage.write(key, content(4), { tag: first })) !== undefined) throw unfit('it ignores If-Match');
      if ((await storage.read(key, second)) !== unchanged) throw unfit('it ignores If-None-Match of reads');
    } finally {
      await storage.remove(key);
    }
  } catch (error) {
    throw error instanceof StorageFailure ? new Error(error.advice, { cause: error }) : error;
  }
}

const unfit = (reason: string) =>
  new Error(
    `the service of REGISTRY_STORAGE does not support conditional writes as Amazon S3 does: ${reason}. ` +
      'Use a service that does, or a folder and one registry',
  );
