/**
 * Folders that tests of one user share, in the folder of temporary files, where others may have created them first.
 */
import { lstatSync, mkdirSync } from 'node:fs';

/** Creates the folder. @throws Error if another user has it, or may write to it */
export function makeOwnFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    checkOwnFolder(path);
  }
}

/** @throws Error for a folder that another user has, or may write to */
export function checkOwnFolder(path: string): void {
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error(`${path} belongs to another user, or others may write to it: remove it`);
  }
}
