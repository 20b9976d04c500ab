// The two storages, for tests of what holds for both: a folder, and a bucket of an S3-compatible service.

import { testOfFile } from '@carton/runtime/testing';
import type { Test } from 'tap';
import type { RegistryOptions } from '../index.ts';
import { openBucket } from '../storage/bucket.ts';
import { openFolder } from '../storage/folder.ts';
import type { Storage } from '../storage/storage.ts';
import { makeFolder } from '../testing/index.ts';
import { type S3Service, startS3Service } from '../testing/s3-service.ts';

export type TestStorage = {
  name: string;
  /** The storage itself, beside the registries that use it. */
  storage: Storage;
  /** The options of a registry that uses it. */
  options(): Promise<Pick<RegistryOptions, 'storage' | 'home'>>;
};

export const kinds = ['a folder', 'a bucket'] as const;

const services = new WeakMap<Test, Promise<S3Service>>();

/** The service of this file's tests. */
export function s3Service(t: Test): Promise<S3Service> {
  const file = testOfFile(t);
  const found = services.get(file);
  if (found) return found;
  const started = (async () => {
    const service = await startS3Service(await makeFolder(file));
    file.teardown(() => service.kill());
    return service;
  })();
  services.set(file, started);
  return started;
}

let number = 0;

/** A storage without anything in it. */
export async function makeStorage(t: Test, kind: (typeof kinds)[number]): Promise<TestStorage> {
  if (kind === 'a folder') {
    const folder = await makeFolder(t);
    return { name: kind, storage: openFolder(folder, { log: () => {} }), options: async () => ({ storage: folder }) };
  }
  const { settings } = await s3Service(t);
  const own = { ...settings, prefix: `registry-${number++}/` };
  const storage = openBucket(own, { log: () => {} });
  t.teardown(() => storage.close());
  return { name: kind, storage, options: async () => ({ storage: own, home: await makeFolder(t) }) };
}

/** The keys of a storage below `prefix`, in order. */
export async function keysOf({ storage }: TestStorage, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of storage.list(prefix)) keys.push(key);
  return keys.sort();
}
