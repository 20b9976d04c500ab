// The storage in a folder of this machine, of one process: conditions are checked by it alone.

import { mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flush } from '@carton/durable-files';
import { draftSuffix, replaceFile } from '../files.ts';
import type { Log } from '../log.ts';
import { createTurns } from '../turns.ts';
import { createFailures, type StorageOperation } from './failure.ts';
import { explainFolder, type FolderFault, isSystemError } from './folder-faults.ts';
import { type Storage, unchanged } from './storage.ts';

type FileFacts = { ino: bigint; mtimeNs: bigint; size: bigint };

/** A file is replaced by another one, never changed. */
const tagOf = ({ ino, mtimeNs, size }: FileFacts) => `${ino}-${mtimeNs}-${size}`;

export type FolderOptions = {
  log: Log;
  /** Is called with each request that failed. */
  onFault?: (operation: StorageOperation, fault: FolderFault) => void;
};

/** @param folder absolute; its parts are created when they are needed */
export function openFolder(folder: string, { log, onFault = () => {} }: FolderOptions): Storage {
  const turns = createTurns();
  const failureOf = createFailures(log);
  const pathOf = (key: string) => join(folder, key);
  const currentTag = (path: string) => orMissing(stat(path, { bigint: true }).then(tagOf));

  /** Returns the error to throw: a StorageFailure for one of the system. */
  function failed(operation: StorageOperation, error: unknown): unknown {
    if (!isSystemError(error)) return error;
    const explained = explainFolder(error, folder);
    onFault(operation, explained.fault);
    return failureOf(explained, error);
  }

  /** @throws StorageFailure */
  const request = <Result>(operation: StorageOperation, work: () => Promise<Result>): Promise<Result> =>
    work().catch((error: unknown) => {
      throw failed(operation, error);
    });

  return {
    read: (key, knownTag) =>
      request('read', async () => {
        const file = await orMissing(open(pathOf(key)));
        if (file === undefined) return undefined;
        try {
          const tag = tagOf(await file.stat({ bigint: true }));
          return tag === knownTag ? unchanged : { content: await file.readFile(), tag };
        } finally {
          await file.close();
        }
      }),
    write: (key, content, condition) =>
      turns.take(key, () =>
        request('write', async () => {
          const path = pathOf(key);
          if (condition !== 'always') {
            const expected = condition === 'new' ? undefined : condition.tag;
            if ((await currentTag(path)) !== expected) return undefined;
          }
          await makeFolder(dirname(path));
          await replaceFile(path, content);
          return currentTag(path);
        }),
      ),
    open: (key) =>
      request('open', async () => {
        const file = await orMissing(open(pathOf(key)));
        if (file === undefined) return undefined;
        const { size } = await file.stat();
        return {
          size,
          async read({ first, last }) {
            const content = file.createReadStream({ start: first, end: last, autoClose: false });
            // Nothing can be thrown any more.
            return content.once('error', (error) => void failed('open', error));
          },
          close: () => file.close(),
        };
      }),
    remove: (key) => request('remove', () => rm(pathOf(key), { force: true })),
    async *list(prefix) {
      try {
        const entries = await orMissing(opendir(pathOf(prefix), { recursive: true }));
        if (entries === undefined) return;
        for await (const entry of entries) {
          if (!entry.isFile() || entry.name.endsWith(draftSuffix)) continue;
          yield join(entry.parentPath, entry.name).slice(folder.length + 1);
        }
      } catch (error) {
        throw failed('list', error);
      }
    },
    async close() {},
  };
}

async function orMissing<Result>(result: Promise<Result>): Promise<Result | undefined> {
  return result.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ENAMETOOLONG') return undefined;
    throw error;
  });
}

/** Creates a folder and those above it, durably. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await flush(dirname(made));
}
