/**
 * The files of a box: their durable writes, what killed commands left of these, and trees of files that must reach the disk.
 */
import { execFile } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { flush, replaceFile } from '@carton/durable-files';
import { identify } from './process-table.ts';

/** @param mode permission bits, 0644 by default */
export function writeAtomically(path: string, content: string, mode = 0o644): Promise<void> {
  return replaceFile(path, content, { temporary: `${path}.${process.pid}.new`, mode });
}

/** Of the files that commands write in the folder of a box, and in that of its upgrades. */
const temporaryName = /^(?:box\.json|box\.env|\.backup-key|backup\.json|journal\.json)\.(\d{1,7})\.new$/;

/**
 * Removes the temporary files of `writeAtomically` whose processes were killed, in a folder that need not exist. A file
 * of a process that runs is kept, which also a reused process id is.
 */
export async function removeTemporaryFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const pid = Number(temporaryName.exec(entry.name)?.[1] ?? process.pid);
    if (entry.isFile() && !(await identify(pid))) await rm(join(folder, entry.name), { force: true });
  }
}

/**
 * Flushes everything in a folder to disk. One call for the file system (syncfs(2), by the program `sync`) takes a tenth of
 * the time of a call for each file, which is what happens without the program.
 */
export async function flushTree(path: string): Promise<void> {
  try {
    await promisify(execFile)('sync', ['-f', path], { env: { PATH: '/usr/bin:/bin' } });
  } catch {
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() && !entry.isDirectory()) continue;
      const file = openSync(join(entry.parentPath, entry.name), 'r');
      try {
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    }
    await flush(path);
  }
}
