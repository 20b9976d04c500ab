/**
 * A base backup of the embedded database: its files, taken while it serves, with the part of the write-ahead log (WAL)
 * that makes them consistent. Source: PostgreSQL 18, "Making a Base Backup Using the Low Level API".
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { asFailure, Failure, interrupted } from '../failure.ts';
import { megabytes, type Output } from '../output/output.ts';
import { vendor } from '../vendor.ts';
import { type CountedMoment, countAtMoment } from './counts.ts';
import { readWith, takingTurns } from './file-content.ts';
import { withConnection } from './home.ts';
import type { BackupSink } from './sink.ts';

/** The folder of a data folder in a backup. */
export const dataPath = 'database/data';

/** Folders whose content belongs to the running server. */
const emptied = new Set([
  'pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans',
]); // biome-ignore format: compact

/** Files of the running server, of another backup or of a restore. */
const leftOut =
  /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*|backup_(label|manifest)(\.old)?|tablespace_map(\.old)?|(recovery|standby)\.signal|current_logfiles)$/;

const control = 'global/pg_control';

export interface BaseBackup {
  /** The first segment of the WAL that its recovery needs. */
  segment: string;
  moment: CountedMoment;
}

export interface CopyOptions {
  output: Output;
  signal?: AbortSignal | undefined;
}

/**
 * Copies a database that serves. The replication slot that keeps its WAL, and the backup, end with the connection: also
 * when this process is killed.
 * @param connection as a superuser
 * @param data its data folder
 */
export async function copyRunning(
  connection: pg.ClientConfig,
  data: string,
  sink: BackupSink,
  options: CopyOptions,
): Promise<BaseBackup> {
  return withConnection(connection, async (client) => {
    const name = `${vendor}_backup_${randomBytes(6).toString('hex')}`;
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [name]).catch(explainSlots);
    await client.query('select pg_backup_start($1, true)', [name]);
    await copyData(data, sink, options);
    const { rows: stopped } = await client.query('select labelfile from pg_backup_stop(false)');
    const { labelfile } = stopped[0] as { labelfile: string };
    await addText(sink, `${dataPath}/backup_label`, labelfile);
    const timeline = Number(/^START TIMELINE: (\d+)$/m.exec(labelfile)?.[1]);
    let segments: string[] = [];
    const copyWal = async () => {
      // The recovery ends before the record of this point, so there is a record to end before.
      await client.query('select pg_create_restore_point($1)', [name]);
      const { rows: switched } = await client.query(
        `select pg_switch_wal() as end,
                (select setting::float8 from pg_settings where name = 'wal_segment_size') as bytes`,
      );
      segments = segmentsBetween(startOf(labelfile), switched[0].end, timeline, switched[0].bytes);
      for (const segment of segments) {
        await copyFile(join(data, 'pg_wal', segment), `${dataPath}/pg_wal/${segment}`, sink, true);
      }
      for (const file of await readdir(join(data, 'pg_wal'))) {
        const to = `${dataPath}/pg_wal/${file}`;
        if (/^[0-9A-F]{8}\.history$/.test(file)) await copyFile(join(data, 'pg_wal', file), to, sink, true);
      }
    };
    const moment = await withConnection(connection, (counting) => countAtMoment(counting, copyWal));
    return { segment: segments[0] as string, moment };
  });
}

/** Copies the data of a server that does not run, with its whole WAL: what a crash left is recovered by the next start. */
export async function copyStopped(data: string, sink: BackupSink, options: CopyOptions): Promise<void> {
  await copyData(data, sink, options);
  for (const entry of await readdir(join(data, 'pg_wal'), { withFileTypes: true })) {
    const path = join('pg_wal', entry.name);
    if (entry.isFile()) await copyFile(join(data, path), `${dataPath}/${path}`, sink, true);
  }
}

/** Bytes of a data folder, without its WAL. */
export async function measureData(data: string): Promise<number> {
  let bytes = 0;
  for await (const path of filesOf(data)) {
    if (path.endsWith('/')) continue;
    bytes += statSync(join(data, path), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

async function copyData(data: string, sink: BackupSink, { output, signal }: CopyOptions): Promise<void> {
  await checkTablespaces(data);
  const total = await measureData(data);
  const began = Date.now();
  let copied = 0;
  const turn = takingTurns();
  for await (const path of filesOf(data)) {
    await turn();
    if (signal?.aborted) throw interrupted('Nothing was left behind: run the command again');
    if (path.endsWith('/')) await sink.folder(`${dataPath}/${path.slice(0, -1)}`);
    else if (path !== control) copied += await copyFile(join(data, path), `${dataPath}/${path}`, sink, false);
    output.waiting(`backing up the database: ${megabytes(copied)} of ${megabytes(total)}`, (Date.now() - began) / 1000);
  }
  await sink.folder(`${dataPath}/pg_wal/archive_status`);
  // Last, so that it is never older than another file.
  const content = await readControl(join(data, control));
  await sink.file(`${dataPath}/${control}`, content.length, [content]);
}

/** Paths of all that belongs in a backup; those of folders end with `/`. Files may have gone meanwhile. */
async function* filesOf(data: string, within = ''): AsyncGenerator<string> {
  const entries = await readdir(join(data, within), { withFileTypes: true }).catch(ignoreMissing);
  for (const entry of entries ?? []) {
    if (leftOut.test(entry.name)) continue;
    const path = within ? `${within}/${entry.name}` : entry.name;
    const isEmptied = within === '' && emptied.has(entry.name);
    // The WAL may be on another disk, by a link.
    if (entry.isDirectory() || isEmptied) {
      yield `${path}/`;
      if (!isEmptied) yield* filesOf(data, path);
    } else if (entry.isFile()) yield path;
  }
}

/**
 * Copies a file.
 * @param required whether it must exist, and have all of its bytes
 * @returns its size
 */
async function copyFile(from: string, to: string, sink: BackupSink, required: boolean): Promise<number> {
  const copied = await readWith(from, { required }, async (content, bytes) => {
    await sink.file(to, bytes, content);
    return bytes;
  });
  if (copied !== undefined || !required) return copied ?? 0;
  throw new Failure('unexpected', `${from} is missing: the server has removed it during the backup`, 'Run it again');
}

/** Reads the control file, which the server may be writing: two reads that agree are of one version. */
async function readControl(path: string): Promise<Buffer> {
  for (let before = await readFile(path); ; ) {
    const now = await readFile(path);
    if (now.equals(before)) return now;
    before = now;
  }
}

async function addText(sink: BackupSink, path: string, text: string): Promise<void> {
  const content = Buffer.from(text);
  await sink.file(path, content.length, [content]);
}

async function checkTablespaces(data: string): Promise<void> {
  const names = await readdir(join(data, 'pg_tblspc')).catch(() => []);
  if (names.length === 0) return;
  throw new Failure(
    'usage',
    `the database has tablespaces (${names.join(', ')}), which this command does not back up`,
    'Move their tables to the default tablespace, or use pg_basebackup of PostgreSQL',
  );
}

/** The place from which a recovery reads, `0/2000028`: that of the checkpoint may be later. */
function startOf(label: string): string {
  return /^START WAL LOCATION: ([0-9A-F]+\/[0-9A-F]+)/m.exec(label)?.[1] as string;
}

/** Names of the WAL segments that contain what is between two places, the end excluded. */
export function segmentsBetween(start: string, end: string, timeline: number, segmentBytes: number): string[] {
  const size = BigInt(segmentBytes);
  const perFile = 0x1_0000_0000n / size;
  const names: string[] = [];
  for (let number = positionOf(start) / size; number <= (positionOf(end) - 1n) / size; number++) {
    names.push([BigInt(timeline), number / perFile, number % perFile].map(toDigits).join(''));
  }
  return names;
}

/** The number of bytes before a place in the WAL, such as `1/2000028`. */
export function positionOf(lsn: string): bigint {
  const [high = '', low = ''] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

function toDigits(number: bigint): string {
  return number.toString(16).toUpperCase().padStart(8, '0');
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function explainSlots(error: Error): never {
  throw new Failure(
    'unexpected',
    `the WAL cannot be kept for the backup: ${asFailure(error).message}`,
    'Let other backups finish, or raise max_replication_slots',
  );
}
