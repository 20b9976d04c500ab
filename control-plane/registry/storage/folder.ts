// The storage in a folder of this machine, of one process: conditions are checked by it alone.

import { mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { draftSuffix, flushFolder, replaceFile } from '../files.ts';
import { createTurns } from '../turns.ts';
import { type Storage, unchanged } from './storage.ts';

type FileFacts = { ino: bigint; mtimeNs: bigint; size: bigint };

/** A file is replaced by another one, never changed. */
const tagOf = ({ ino, mtimeNs, size }: FileFacts) => `${ino}-${mtimeNs}-${size}`;

/** @param folder absolute; its parts are created when they are needed */
export function openFolder(folder: string): Storage {
  const turns = createTurns();
  const pathOf = (key: string) => join(folder, key);
  const currentTag = (path: string) => orMissing(stat(path, { bigint: true }).then(tagOf));

  return {
    async read(key, knownTag) {
      const file = await orMissing(open(pathOf(key)));
      if (file === undefined) return undefined;
      try {
        const tag = tagOf(await file.stat({ bigint: true }));
        return tag === knownTag ? unchanged : { content: await file.readFile(), tag };
      } finally {
        await file.close();
      }
    },
    write: (key, content, condition) =>
      turns.take(key, async () => {
        const path = pathOf(key);
        if (condition !== 'always') {
          const expected = condition === 'new' ? undefined : condition.tag;
          if ((await currentTag(path)) !== expected) return undefined;
        }
        await makeFolder(dirname(path));
        await replaceFile(path, content);
        return currentTag(path);
      }),
    async open(key) {
      const file = await orMissing(open(pathOf(key)));
      if (file === undefined) return undefined;
      const { size } = await file.stat();
      return {
        size,
        read: async ({ first, last }) => file.createReadStream({ start: first, end: last, autoClose: false }),
        close: () => file.close(),
      };
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async *list(prefix) {
      const entries = await orMissing(opendir(pathOf(prefix), { recursive: true }));
      if (entries === undefined) return;
      for await (const entry of entries) {
        if (!entry.isFile() || entry.name.endsWith(draftSuffix)) continue;
        yield join(entry.parentPath, entry.name).slice(folder.length + 1);
      }
    },
    async close() {},
  };
}

async function orMissing<Result>(result: Promise<Result>): Promise<Result | undefined> {
  return result.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}

/** Creates a folder and those above it, durably. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushFolder(dirname(made));
}
