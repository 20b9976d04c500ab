/**
 * The folder with the backup of a database, as an upgrade takes it: reading and verifying it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { dataPath } from './base-backup.ts';
import { type DatabaseFolder, recordFile } from './record.ts';
import { type Seal, type Verification, verifySeal } from './seal.ts';
import type { BackedUpFile } from './sink.ts';

/** The content of `database.json` as it is written. */
export type SealedFolder = DatabaseFolder & { seal?: Seal };

/**
 * Reads and verifies what a folder says of itself; its files are compared as they are read.
 * @throws Failure unverified without a seal or its key; integrity_failed for one that was changed or is incomplete
 */
export async function readDatabaseFolder(from: string, verification: Verification): Promise<DatabaseFolder> {
  const text = await readFile(join(from, recordFile), 'utf8').catch(() => undefined);
  if (text === undefined) throw damaged(from, `${recordFile} is missing`);
  let sealed: SealedFolder;
  try {
    sealed = JSON.parse(text) as SealedFolder;
  } catch {
    throw damaged(from, `${recordFile} cannot be read`);
  }
  const { seal, ...content } = sealed;
  await verifySeal(`the backup ${from}`, { kind: 'upgrade', seal, value: content }, verification);
  return content;
}

/** The folders of a backup, also empty ones; those of earlier versions of the command are as they are on disk. */
export async function foldersOf(from: string, { folders }: DatabaseFolder): Promise<readonly string[]> {
  if (folders) return folders;
  const entries = await readdir(join(from, dataPath), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${dataPath}${join(entry.parentPath, entry.name).slice(join(from, dataPath).length)}`);
}

/** @throws Failure integrity_failed if the digest of a file is not the one of the backup */
export function checkDigest(backup: string, { path, digest }: BackedUpFile, found: string): void {
  if (digest !== found) throw damaged(backup, `${path} has changed since`);
}

export function damaged(backup: string, what: string): Failure {
  return new Failure('integrity_failed', `the backup ${backup} is damaged: ${what}`, 'Use another backup');
}
