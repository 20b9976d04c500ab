/**
 * Continuous archiving of the embedded PostgreSQL: each completed segment of the write-ahead log (WAL) is copied to a
 * folder, so that the database can be restored as it was at any second since a backup.
 */
import { chmod, chown, mkdir, realpath } from 'node:fs/promises';
import type { Account } from './account.ts';
import { canEnter } from './account.ts';

/** Seconds after which an incomplete segment is archived: at most that much is lost with the disk of the data. */
const timeout = 60;

/**
 * Creates the folder of the archive, and returns the settings of PostgreSQL that fill it.
 * @throws Error if the account cannot use the folder
 */
export async function archiveSettings(folder: string, account: Account): Promise<Record<string, string>> {
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (created) await chmod(folder, 0o700);
  const path = await realpath(folder);
  if (account.borrowed && created) await chown(path, account.uid, account.gid);
  if (!(await canEnter(account, path))) {
    throw new Error(`User ${account.name} cannot enter the archive of the WAL, ${path}: make it that user's.`);
  }
  return {
    archive_mode: 'on',
    archive_command: archiveCommand(path),
    archive_timeout: `${timeout}s`,
  };
}

/**
 * The command that archives one segment. It is complete and on the disk before it gets its name, and one that is there
 * already is not overwritten: after a crash PostgreSQL archives the last segment again. `%p` and `%f` are PostgreSQL's.
 */
export function archiveCommand(folder: string): string {
  const file = (name: string) => `'${folder.replaceAll("'", "'\\''").replaceAll('%', '%%')}/${name}'`;
  const [target, partial, parent] = [file('%f'), file('.%f.partial'), file('.')];
  return (
    `if test -e ${target}; then cmp -s "%p" ${target}; else ` +
    `cp "%p" ${partial} && sync ${partial} && mv ${partial} ${target} && sync ${parent}; fi`
  );
}
