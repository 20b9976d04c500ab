/**
 * The backup key of a command line: from a file, the environment, the folder of the box, or a prompt.
 */
import { type BackupKey, type BackupKeySource, parseBackupKey, readBackupKey } from '../../backup/key.ts';
import type { Verification } from '../../backup/seal.ts';
import type { BoxFolder } from '../../box/folder.ts';
import { interrupted } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import { variable } from '../../vendor.ts';
import { readSecretFile } from '../support/secret-file.ts';

export interface BackupKeyOptions {
  /** File with the backup key; by default the environment's, then that of the box in the folder. */
  backupKeyFile?: string | undefined;
  /** Asks for it; set only if the command is interactive. */
  askForBackupKey?: BackupKeySource['ask'];
  /** Whether a backup is used of which nothing shows that it is as the box has written it. */
  allowUnverified?: boolean | undefined;
}

/** Returns how a command verifies backups. @throws Failure usage for a mistyped key */
export async function verificationOf(
  folder: BoxFolder,
  { backupKeyFile, askForBackupKey, allowUnverified }: BackupKeyOptions,
  output: Output,
): Promise<Verification> {
  return {
    key: await chooseKey(folder, backupKeyFile),
    ask: askForBackupKey,
    allowUnverified,
    warn: (reason) => output.warn(reason, { risk: 'unverified' }),
  };
}

async function chooseKey(folder: BoxFolder, file: string | undefined): Promise<BackupKey | undefined> {
  if (file !== undefined) return parseBackupKey(await readSecretFile(file), file === '-' ? 'standard input' : file);
  const name = variable('BACKUP_KEY');
  const text = process.env[name];
  return text ? parseBackupKey(text, name) : readBackupKey(folder);
}

/** Asks for a backup key at a terminal. */
export async function askForBackupKey(id: string): Promise<BackupKey> {
  const { isCancel, password } = await import('@clack/prompts');
  const isRight = (text: string | undefined) => {
    try {
      return parseBackupKey(text ?? '', 'this').id === id;
    } catch {
      return false;
    }
  };
  const answer = await password({
    message: `Backup key ${id} of the box that has written the backup`,
    validate: (text) => (isRight(text) ? undefined : 'This is not that key. Press Ctrl-C if you do not have it.'),
  });
  if (isCancel(answer)) throw interrupted('Nothing was changed');
  return parseBackupKey(answer, 'this');
}
