/**
 * The backup of the database of a box. `backUpDatabase` writes a folder, `writeDatabase` any sink; restore-database.ts
 * restores both.
 *
 * The embedded database is copied while it serves, or as it is if it does not run. An operator's own database is dumped.
 */
import { mkdir, mkdtemp, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { flush } from '@carton/durable-files';
import { flushTree, writeAtomically } from '../box/files.ts';
import { type BoxFolder, exists } from '../box/folder.ts';
import { readSecrets } from '../box/settings.ts';
import { asFailure, Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import { type CopyOptions, copyRunning, copyStopped, measureData } from './base-backup.ts';
import type { SealedFolder } from './database-folder.ts';
import { dumpDatabase, dumpPath } from './external.ts';
import { databaseHome, findServer, hasData, lockDatabase, socketOptions } from './home.ts';
import type { BackupKey } from './key.ts';
import { type DatabaseFolder, type DatabaseRecord, passwordPath, recordFile } from './record.ts';
import { sealOf } from './seal.ts';
import { type BackupSink, folderSink } from './sink.ts';
import { checkSpaceFor } from './space.ts';

export { type Counts, compareCounts } from './counts.ts';
export { withDatabase } from './home.ts';
export type { DatabaseRecord } from './record.ts';
export { type RestoredDatabase, restoreDatabase } from './restore-database.ts';

export interface BackUpOptions extends CopyOptions {
  /** The folder to write, which must not exist. It has the name `<to>.partial` until it is complete and on disk. */
  to: string;
  /** Seals the backup. */
  key: BackupKey;
}

/**
 * Backs up the database of a box into a folder.
 * @throws Failure disk_full with nothing left behind; usage if the folder exists or pg_dump is missing; not_installed
 * without a database; interrupted
 */
export async function backUpDatabase(
  folder: BoxFolder,
  { to, key, ...options }: BackUpOptions,
): Promise<DatabaseRecord> {
  if (await exists(to)) throw new Failure('usage', `${to} exists already`, 'Choose another folder');
  await checkSpaceFor(dirname(to), await measureDatabase(folder));
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  try {
    const sink = folderSink(partial);
    const record = await writeDatabase(folder, sink, options);
    const content: DatabaseFolder = { record, files: sink.files, folders: sink.folders };
    const sealed: SealedFolder = { ...content, seal: sealOf(key, 'upgrade', content) };
    await writeAtomically(join(partial, recordFile), `${JSON.stringify(sealed)}\n`, 0o600);
    await flushTree(partial);
    await rename(partial, to);
    await flush(dirname(to));
    return record;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw asFailure(error);
  }
}

/** Writes the database of a box to a sink. @throws as `backUpDatabase` does */
export async function writeDatabase(
  folder: BoxFolder,
  sink: BackupSink,
  options: CopyOptions,
): Promise<DatabaseRecord> {
  const { DATABASE_URL } = await readSecrets(folder);
  if (DATABASE_URL) return writeDump(DATABASE_URL, sink, options);
  const { directory, data, password } = await databaseHome(folder);
  if (!(await hasData(data))) {
    throw new Failure('not_installed', `there is no database in ${data}`, `Run ${vendor} start, which creates it`);
  }
  const postgres = Number(await readFile(join(data, 'PG_VERSION'), 'utf8'));
  const real = await realpath(data);
  const secret = await readFile(password);
  await sink.file(passwordPath, secret.length, [secret]);
  const began = Date.now();
  for (;;) {
    const server = await findServer(real);
    if (server?.status === 'ready') {
      const connection = await socketOptions(server.socketFolder, password);
      const { moment, segment } = await copyRunning(connection, real, sink, options);
      const { time, lsn, counts, exact } = moment;
      return { kind: 'running', postgres, time, end: lsn, segment, counts, exact };
    }
    // While this lock is held, no box can start a server on the data.
    const unlock = server ? undefined : await lockDatabase(directory);
    if (unlock) {
      try {
        const time = new Date().toISOString();
        await copyStopped(real, sink, options);
        return { kind: 'stopped', postgres, time };
      } finally {
        unlock();
      }
    }
    const seconds = (Date.now() - began) / 1000;
    if (seconds > 300) throw new Failure('busy', 'the database does not finish its start', 'See doctor for the cause');
    options.output.waiting('waiting for the database to start', seconds);
    await sleep(100);
  }
}

/** Bytes of the files of the database; 0 for a database of the operator's own, whose dump has an unknown size. */
export async function measureDatabase(folder: BoxFolder): Promise<number> {
  if ((await readSecrets(folder)).DATABASE_URL) return 0;
  const { data } = await databaseHome(folder);
  return (await hasData(data)) ? measureData(data) : 0;
}

async function writeDump(url: string, sink: BackupSink, { output, signal }: CopyOptions): Promise<DatabaseRecord> {
  const temporary = await mkdtemp(join(process.env.TMPDIR ?? '/var/tmp', `${vendor}-dump-`));
  try {
    const file = join(temporary, 'database.dump');
    const { major: postgres, time } = await dumpDatabase(url, file, output, signal);
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      await sink.file(dumpPath, size, handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>);
    } finally {
      await handle.close();
    }
    return { kind: 'dump', postgres, time };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
