/**
 * Restoring the embedded database of a box: aside, recovered and compared with what the backup says of it, and only then
 * in the place of the data, by renames that a kill cannot leave half done.
 *
 *   <home>/data.<digits>.partial    what is being restored; also the engine removes it at its next start
 *   <home>/data.restored-<digits>   restored and verified
 *   <home>/restored.json            names both folders; while it exists, the swap is completed before anything else
 *   <home>/data.before-<time>       the former data, which stays until it is removed by hand
 */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flush } from '@carton/durable-files';
import { flushTree, writeAtomically } from '../box/files.ts';
import { type BoxFolder, exists } from '../box/folder.ts';
import { asFailure, Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { vendor } from '../vendor.ts';
import { chooseDatabaseAccount, type DatabaseAccount, postgresProgram } from './account.ts';
import { dataPath } from './base-backup.ts';
import { type Counts, compareCounts, countRows } from './counts.ts';
import { checkDigest, damaged, foldersOf, readDatabaseFolder } from './database-folder.ts';
import { dumpPath, replaceCommand } from './external.ts';
import { readWith, takingTurns } from './file-content.ts';
import { databaseHome, findServer, hasData, lockDatabase } from './home.ts';
import { type DatabaseRecord, passwordPath } from './record.ts';
import type { Verification } from './seal.ts';
import { killServersOn, withServer } from './server.ts';
import { type Content, writeFileOf } from './sink.ts';
import { checkSpaceFor } from './space.ts';
import { explainEnd, isOffTimeline, quotePath, type Recovery, recoverySettings } from './timelines.ts';

/** A restored database. */
export interface RestoredDatabase {
  /** Rows by table after the recovery. */
  counts: Counts;
  /** The folder of the former data, if there was any: it stays until you remove it. */
  former?: string;
}

export interface RestoreOptions {
  /** Id of the release in the box's folder whose PostgreSQL recovers the data. */
  release: string;
  /** Whether data that exists is replaced, and kept aside. */
  replace: boolean;
  /** What the recovery follows after the end of the backup. */
  recovery?: Recovery;
  /** The archive of the WAL that the box has: the recovery begins a timeline that is not in it yet. */
  archive?: string | undefined;
  output: Output;
  signal?: AbortSignal | undefined;
}

/** A restore in progress: files are added in any order, then it is finished or abandoned. */
export interface DatabaseRestore {
  /** @param path as in a backup: `database/data/PG_VERSION` @returns the digest of the content */
  file(path: string, content: Content): Promise<string>;
  folder(path: string): Promise<void>;
  /** Recovers and verifies the data. */
  recover(record: DatabaseRecord): Promise<Counts>;
  /** Makes it the data of the box. @returns the folder of the former data */
  swap(): Promise<string | undefined>;
  /** Removes what has been written. */
  abandon(): Promise<void>;
}

/**
 * Restores a folder that `backUpDatabase` has written. The box must be stopped.
 * @throws Failure unverified, integrity_failed for a damaged or incomplete backup, disk_full, busy if the database runs, usage if there
 * is data and `replace` is false, interrupted. Nothing has changed then.
 */
export async function restoreDatabase(
  folder: BoxFolder,
  { from, verification, ...options }: RestoreOptions & { from: string; verification: Verification },
): Promise<RestoredDatabase> {
  const content = await readDatabaseFolder(from, verification);
  const { record, files } = content;
  if (record.kind === 'dump') {
    throw new Failure(
      'usage',
      `${from} has a dump of a database that is not the box's own`,
      `Restore it with: ${replaceCommand(join(from, dumpPath))}`,
    );
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  await checkSpaceFor(folder.data, bytes);
  const restore = await beginRestore(folder, options);
  try {
    for (const path of await foldersOf(from, content)) await restore.folder(path);
    const turn = takingTurns();
    for (const file of files) {
      await turn();
      if (options.signal?.aborted) throw interrupted('Nothing was changed');
      const found = await readWith(join(from, file.path), { required: false }, (content) =>
        restore.file(file.path, content),
      );
      if (found === undefined) throw damaged(from, `${file.path} is missing`);
      checkDigest(from, file, found);
    }
    const counts = await restore.recover(record);
    const former = await restore.swap();
    return { counts, ...(former && { former }) };
  } catch (error) {
    await restore.abandon();
    throw asFailure(error);
  }
}

/**
 * Begins to restore the embedded database, and removes what a killed restore has left.
 * @throws Failure busy, usage, folder_unusable, not_installed
 */
export async function beginRestore(folder: BoxFolder, options: RestoreOptions): Promise<DatabaseRestore> {
  await completeRestore(folder);
  const { directory, home, data } = await databaseHome(folder);
  if ((await hasData(data)) && !options.replace) {
    throw new Failure(
      'usage',
      `there is a database in ${data}`,
      'Add --replace, which keeps it aside, or choose another folder',
    );
  }
  const account = await chooseDatabaseAccount(data);
  await mkdir(home, { recursive: true });
  if (directory !== home) await mkdir(directory, { recursive: true });
  const unlock = await lockDatabase(directory);
  if (!unlock || (await findServer(await realpath(data).catch(() => data)))) {
    unlock?.();
    throw new Failure('busy', 'the database of the box runs', `Run ${vendor} stop first`);
  }
  const digits = randomBytes(4).toString('hex');
  const partial = join(await realpath(home), `data.${digits}.partial`);
  const newPassword = join(home, `password.${digits}.partial`);
  const restore = restoreInto(partial, newPassword, account, options);
  let isSwapping = false;
  const abandon = async () => {
    // From then on, a failure is mended by completing the swap.
    if (!isSwapping) await restore.abandon();
    unlock();
  };
  try {
    await removePartials(home);
    const program = await postgresProgram(folder, options.release, home, account);
    await mkdir(partial, { mode: 0o700 });
    if (account.borrowed) await chown(partial, account.uid, account.gid);
    return {
      ...restore,
      abandon,
      recover: (record) => recover({ program, account, data: partial, password: newPassword }, record, options),
      async swap() {
        const restored = join(home, `data.restored-${digits}`);
        await flushTree(partial);
        await rename(partial, restored);
        const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
        const former = (await exists(data)) ? join(home, `data.before-${time}-${digits}`) : undefined;
        const swap: Swap = { restored, password: newPassword, ...(former && { former }) };
        isSwapping = true;
        await writeAtomically(join(home, swapFile), JSON.stringify(swap));
        await completeRestore(folder);
        unlock();
        return former;
      },
    };
  } catch (error) {
    await abandon();
    throw error;
  }
}

/** Starts a server on a restored data folder, which recovers it, and compares its rows with those of the backup. */
export async function recover(
  place: { program: string; account: DatabaseAccount; data: string; password: string },
  record: DatabaseRecord,
  { recovery, archive, output, signal }: Pick<RestoreOptions, 'recovery' | 'archive' | 'output' | 'signal'>,
): Promise<Counts> {
  const { account, data } = place;
  const toEnd = {
    restore_command: archive ? `case "%f" in *.history) cp ${quotePath(archive)}/%f "%p";; *) false;; esac` : 'false',
    recovery_target_timeline: 'current',
    ...(record.end && { recovery_target_lsn: record.end, recovery_target_inclusive: 'off' }),
  };
  const isArchiveRecovery = record.kind === 'running' || archive !== undefined || recovery !== undefined;
  if (isArchiveRecovery) {
    await writeFileOf(join(data, 'recovery.signal'), [], account.borrowed ? account : undefined);
  }
  const countWith = (settings: Record<string, string>) => {
    const all = {
      ...(isArchiveRecovery && { recovery_target_action: 'promote', ...settings }),
      ...(archive && { archive_mode: 'on', archive_command: archiveCommand(archive) }),
    };
    return withServer({ ...place, settings: all, output, signal }, countRows);
  };
  if (recovery) return recoverTo(recovery, countWith, output);
  const counts = await countWith(toEnd);
  if (!record.counts) return counts;
  const differences = compareCounts(record.counts, counts);
  if (differences.length === 0) return counts;
  const text = `${differences.slice(0, 3).join('; ')}${differences.length > 3 ? `; ${differences.length} tables in all` : ''}`;
  if (record.exact)
    throw new Failure(
      'integrity_failed',
      `the restored database differs from the backup: ${text}`,
      'Use another backup',
    );
  output.warn(`rows were written while the backup was counted: ${text}`, { differences });
  return counts;
}

/** Follows the newest timeline, or that of the backup if this is of data that was replaced later: nothing has changed then. */
async function recoverTo(
  recovery: Recovery,
  countWith: (settings: Record<string, string>) => Promise<Counts>,
  output: Output,
): Promise<Counts> {
  let isBranch = false;
  try {
    return await countWith(recoverySettings(recovery, 'latest')).catch((error) => {
      isBranch = isOffTimeline(asFailure(error));
      if (!isBranch) throw error;
      output.info('replaced_data', 'the backup is of data that was replaced later: its own timeline is followed');
      return countWith(recoverySettings(recovery, 'current'));
    });
  } catch (error) {
    throw explainEnd(asFailure(error), recovery, isBranch);
  }
}

/**
 * Archives the file by which PostgreSQL knows that the timeline of the recovery is taken, and the WAL that the recovery writes.
 * Only a server that archives sets the segment aside in which the recovery has left the former timeline, as `.partial`: under
 * its name the archive may have it with other content. It came from the backup, so the archive does without. Otherwise the
 * command is that of the engine (`runtime/db/embedded/archive.ts`).
 */
function archiveCommand(archive: string): string {
  const [target, partial, parent] = ['%f', '.%f.partial', '.'].map((name) => `${quotePath(archive)}/${name}`);
  return (
    `case "%f" in *.partial) exit 0;; esac; if test -e ${target}; then cmp -s "%p" ${target}; else ` +
    `cp "%p" ${partial} && sync ${partial} && mv ${partial} ${target} && sync ${parent}; fi`
  );
}

const swapFile = 'restored.json';
/** The password of former data, in its folder. */
const formerPassword = '.password';

interface Swap {
  restored: string;
  password: string;
  former?: string;
}

/**
 * Completes the swap of a restore that was killed in its last step. Call it before anything uses the data: the engine
 * refuses to start until then.
 */
export async function completeRestore(folder: BoxFolder): Promise<void> {
  const { home, data, password } = await databaseHome(folder);
  const text = await readFile(join(home, swapFile), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const swap = JSON.parse(text) as Swap;
  if (await exists(swap.restored)) {
    if (swap.former && !(await exists(swap.former))) await rename(data, swap.former);
    if (swap.former && (await exists(password)) && (await exists(swap.password))) {
      // The former data has its own password.
      await rename(password, join(swap.former, formerPassword));
    }
    if (await exists(swap.password)) await rename(swap.password, password);
    await rename(swap.restored, data);
    await flush(home);
  }
  await rm(join(home, swapFile), { force: true });
  await flush(home);
}

/**
 * Puts former data back in the place of what was restored, by the same swap. What was restored is removed. Does nothing if
 * it was done before.
 * @param former the folder that the swap has named
 * @throws Failure busy if the database runs
 */
export async function putFormerBack(folder: BoxFolder, former: string): Promise<void> {
  await completeRestore(folder);
  if (!(await exists(former))) return;
  const { directory, home, data } = await databaseHome(folder);
  const unlock = await lockDatabase(directory);
  try {
    if (!unlock || (await findServer(await realpath(data).catch(() => data)))) {
      throw new Failure('busy', 'the database of the box runs', `Run ${vendor} stop first`);
    }
    // The engine removes folders of this name when it starts, if a kill leaves it.
    const unused = join(home, `data.${randomBytes(4).toString('hex')}.partial`);
    const swap: Swap = { restored: former, password: join(former, formerPassword), former: unused };
    await writeAtomically(join(home, swapFile), JSON.stringify(swap));
    await completeRestore(folder);
    await rm(unused, { recursive: true, force: true, maxRetries: 5 });
  } finally {
    unlock?.();
  }
}

/** Writes files of a backup into a data folder, as the user of the database. */
export function restoreInto(
  data: string,
  password: string,
  account: DatabaseAccount,
  { signal }: Pick<RestoreOptions, 'signal'>,
): Pick<DatabaseRestore, 'file' | 'folder' | 'abandon'> {
  const owner = account.borrowed ? account : undefined;
  const known = new Set([data]);
  const placeOf = (path: string) => {
    const names = path.split('/');
    const isWithin =
      path.startsWith(`${dataPath}/`) && names.every((name) => name !== '' && name !== '.' && name !== '..');
    if (isWithin) return join(data, ...names.slice(2));
    throw new Failure('integrity_failed', `the backup has a file at a wrong place: ${path}`, 'Use another backup');
  };
  const create = async (path: string) => {
    if (known.has(path)) return;
    await create(dirname(path));
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (owner) await chown(path, owner.uid, owner.gid);
    known.add(path);
  };
  return {
    folder: (path) => create(placeOf(path)),
    async file(path, content) {
      if (signal?.aborted) throw interrupted('Nothing was changed');
      if (path === passwordPath) return writeFileOf(password, content, owner);
      const place = placeOf(path);
      await create(dirname(place));
      return writeFileOf(place, content, owner);
    },
    async abandon() {
      await killServersOn(data);
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
      await rm(password, { force: true });
    },
  };
}

/** Removes what killed restores have left. */
async function removePartials(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!/^(data|password)\.\w+\.partial$|^data\.restored-\w+$/.test(name)) continue;
    const path = join(await realpath(home), name);
    await killServersOn(path);
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}
