/**
 * Takes backups of a box while shoppers buy, kills some, and restores each elsewhere: every order that was acknowledged
 * before a backup is in it, its books are right, and its rows are those that the backup counted. At last the state at a
 * second between two backups is restored from the archive of the write-ahead log (WAL).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@carton/runtime/service';
import { freePort } from '@carton/runtime/testing';
import type { Recovery } from '../../installer/backup/timelines.ts';
import { boxFolder } from '../../installer/box/folder.ts';
import { median } from '../../tools/load/measurement.ts';
import { checkBooks } from '../support/books.ts';
import { type RigBox, startRigBox } from '../support/box.ts';
import { newTally } from '../support/client.ts';
import { checkConsistency } from '../support/consistency.ts';
import { urlOfEmbedded, withReader } from '../support/postgres.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { type Purchase, type Shoppers, sendShoppers } from '../support/shoppers.ts';
import { openTenants, stock } from '../support/tenants.ts';

const source = '--conditions=workspace-source';
const cli = fileURLToPath(new URL('../../installer/cli.ts', import.meta.url));
const restoreProgram = fileURLToPath(new URL('./restore.ts', import.meta.url));
/** Milliseconds within which a backup or a restore is killed. */
const killWithin = 4000;

export const rig: Rig = {
  about: 'Takes backups during checkouts, kills some, and restores each: no acknowledged order is missing.',
  options: {
    backups: { about: 'backups that are restored', defaultValue: '12', short: '2' },
    kills: { about: 'kill -9 of a backup, and as many of a restore', defaultValue: '12', short: '1' },
    tenants: { about: 'tenants on the box', defaultValue: '2' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '8' },
  },
  timeLimit: (stage) => 180 + 60 * (stage.number('backups') + stage.number('kills')),
  async run(stage) {
    const archive = join(stage.folder, 'archive');
    stage.say('starting a box');
    const environment = { WAL_ARCHIVE_FOLDER: archive };
    const box = await startRigBox(stage, { name: 'box', port: await freePort(), environment });
    const tenants = await openTenants(box.url, stage.number('tenants'));
    const tally = newTally();
    const among = { urls: [box.url], tenants, shoppers: stage.number('shoppers'), tally, thinkTime: 40 };
    const shoppers = sendShoppers(among);
    const rounds = new Rounds(stage, box, shoppers);
    for (let number = 1; number <= stage.number('backups'); number++) await rounds.backUpAndRestore(number);
    for (let number = 1; number <= stage.number('kills'); number++) await rounds.killBoth(number);
    const last = await rounds.takeBase();
    const { time, before } = await rounds.chooseSecond();
    await shoppers.stop();
    const url = await urlOfEmbedded(box.databaseFolder);
    const records = await checkConsistency(url, tenants, shoppers.purchases, stock);
    await box.stop();
    await rounds.restoreSecond({ path: last, archive, time, before });
    return {
      broken: [...tally.broken, ...records.broken, ...rounds.broken],
      counts: { ...records.counts, ...rounds.counts(), longestRequestMs: Math.round(tally.longest) },
    };
  },
};

class Rounds {
  readonly broken: string[] = [];
  readonly #stage: Stage;
  readonly #box: RigBox;
  readonly #shoppers: Shoppers;
  readonly #dir: string;
  readonly #keyFile: string;
  readonly #times = { backup: [] as number[], restore: [] as number[] };
  #kills = 0;
  #exact = 0;
  #checked = 0;
  /** A backup that was restored, for kills of restores. */
  #good = '';

  constructor(stage: Stage, box: RigBox, shoppers: Shoppers) {
    this.#stage = stage;
    this.#box = box;
    this.#shoppers = shoppers;
    this.#dir = join(stage.folder, box.name);
    this.#keyFile = boxFolder(this.#dir).backupKey;
  }

  /** Takes a backup under load, restores it into a folder of its own, and compares. */
  async backUpAndRestore(number: number): Promise<void> {
    await this.#untilOrders(10);
    const path = join(this.#stage.folder, `backup-${number}.tar.zst`);
    const before = placedBy(this.#shoppers.purchases);
    const { record } = await this.#backUp(path);
    if (record.exact) this.#exact += 1;
    const dir = join(this.#stage.folder, `restored-${number}`);
    await this.#restore(path, dir);
    await this.#compare(dir, before, `backup ${number}`, record.counts);
    if (number === 1) await this.#startBoxOf(dir, number);
    await rm(dir, { recursive: true, force: true });
    if (this.#good) await rm(this.#good);
    this.#good = path;
    this.#stage.say(`backup ${number} of ${this.#stage.number('backups')}: ${before.length} orders before, all there`);
  }

  /** Kills a backup, which must leave nothing that matters; then a restore, which must begin again. */
  async killBoth(number: number): Promise<void> {
    const to = join(this.#stage.folder, 'killed');
    await mkdir(to, { recursive: true });
    const backup = run([source, cli, 'backup', '--json', '--dir', this.#dir, '--to', to]);
    const finished = await killLater(backup);
    const names = (await readdir(to)).filter((name) => name.endsWith('.tar.zst') && !name.startsWith('.'));
    if (!finished && names.length > 0) {
      // It was killed while it read back what it had written: the file is complete.
      for (const name of names) await this.#restoreWhole(join(to, name), `killed-${number}`);
    }
    await rm(to, { recursive: true, force: true });
    const url = await urlOfEmbedded(this.#box.databaseFolder);
    for (let tries = 0; ; tries++) {
      const slots = await withReader(url, (read) => read('select slot_name from pg_replication_slots'));
      if (slots.length === 0) break;
      if (tries > 50) {
        this.broken.push('a killed backup left a replication slot');
        break;
      }
      await sleep(100);
    }
    const dir = join(this.#stage.folder, `interrupted-${number}`);
    await killLater(run([source, restoreProgram, JSON.stringify({ path: this.#good, dir, keyFile: this.#keyFile })]));
    await this.#restoreWhole(this.#good, `interrupted-${number}`);
    this.#kills += 2;
    this.#stage.say(`kill ${number} of ${this.#stage.number('kills')}: a backup and a restore`);
  }

  /** Takes the backup from which a second is restored. */
  async takeBase(): Promise<string> {
    const path = join(this.#stage.folder, 'base.tar.zst');
    await this.#backUp(path);
    return path;
  }

  /** Waits for orders on both sides of a full second. */
  async chooseSecond(): Promise<{ time: Date; before: string[] }> {
    await this.#untilOrders(10);
    const before = placedBy(this.#shoppers.purchases);
    const time = new Date(Math.ceil((Date.now() + 1) / 1000) * 1000);
    await sleep(time.getTime() - Date.now());
    await this.#untilOrders(10);
    return { time, before };
  }

  async restoreSecond({
    path,
    archive,
    time,
    before,
  }: {
    path: string;
    archive: string;
    time: Date;
    before: string[];
  }) {
    const dir = join(this.#stage.folder, 'second');
    await this.#restore(path, dir, { time: time.toISOString(), archive, last: archive });
    const later = await this.#compare(dir, before, `the state at ${time.toISOString()}`, undefined, time);
    const placed = new Set(placedBy(this.#shoppers.purchases));
    this.#stage.say(`restored ${time.toISOString()}: ${later} of ${placed.size} orders`);
    if (later >= placed.size) this.broken.push('a restore to a second has orders that were placed later');
  }

  counts(): Findings['counts'] {
    const { backup, restore } = this.#times;
    return {
      backups: backup.length,
      backupsCountedExactly: this.#exact,
      restores: restore.length,
      kills: this.#kills,
      ordersLookedFor: this.#checked,
      medianBackupMs: Math.round(median(backup)),
      medianRestoreMs: Math.round(median(restore)),
    };
  }

  async #backUp(path: string) {
    const started = performance.now();
    const child = run([source, cli, 'backup', '--json', '--dir', this.#dir, '--to', path]);
    const { status, output } = await child.ended;
    if (status !== 0) throw new Error(`a backup failed: ${output.trim().split('\n').at(-1)}`);
    this.#times.backup.push(performance.now() - started);
    const { result } = JSON.parse(output.trim().split('\n').at(-1) as string);
    return result as { record: { exact: boolean; counts: Record<string, number> } };
  }

  async #restore(path: string, dir: string, recovery?: Recovery): Promise<void> {
    const started = performance.now();
    const { status, output } = await run([
      source,
      restoreProgram,
      JSON.stringify({ path, dir, keyFile: this.#keyFile, recovery }),
    ]).ended;
    if (status !== 0) throw new Error(`a restore failed: ${output.trim()}`);
    this.#times.restore.push(performance.now() - started);
  }

  /** Restores into a folder in which a restore may have been killed. */
  async #restoreWhole(path: string, name: string): Promise<void> {
    const dir = join(this.#stage.folder, name);
    const { status, output } = await run([
      source,
      restoreProgram,
      JSON.stringify({ path, dir, keyFile: this.#keyFile }),
    ]).ended;
    // One that was killed after its last step has restored the box.
    if (status !== 0 && !/there is a box in/.test(output)) this.broken.push(`${name}: ${output.trim()}`);
    else await this.#compare(dir, [], name);
    await rm(dir, { recursive: true, force: true });
  }

  /** Returns how many orders the restored database has. */
  async #compare(
    dir: string,
    before: readonly string[],
    name: string,
    counts?: Record<string, number>,
    latest?: Date,
  ): Promise<number> {
    const { url, stop } = await startEmbeddedPostgres({ directory: join(dir, 'data/postgresql') });
    try {
      const rows = await withReader(url, (read) =>
        read<{ id: string; at: Date }>('select id, created_at as at from orders'),
      );
      const found = new Set(rows.map(({ id }) => id));
      const missing = before.filter((id) => !found.has(id));
      if (missing.length > 0) this.broken.push(`${name} lacks ${missing.length} of ${before.length} orders`);
      if (counts && counts['public.orders'] !== found.size) {
        this.broken.push(`${name} has ${found.size} orders instead of ${counts['public.orders']}`);
      }
      const later = latest ? rows.filter(({ at }) => at > latest) : [];
      if (later.length > 0) this.broken.push(`${name} has ${later.length} orders of later`);
      const books = await checkBooks(url);
      this.broken.push(...books.broken.map((line) => `${name}: ${line}`));
      this.#checked += before.length;
      return found.size;
    } finally {
      await stop();
    }
  }

  /** A box starts on what was restored. */
  async #startBoxOf(dir: string, number: number): Promise<void> {
    const name = `restored-${number}`;
    const box = await startRigBox(this.#stage, { name, port: await freePort() });
    this.#stage.say(`a box serves what was restored in ${dir}`);
    await box.stop();
  }

  async #untilOrders(more: number): Promise<void> {
    const count = () => placedBy(this.#shoppers.purchases).length;
    const target = count() + more;
    while (count() < target) {
      this.#stage.signal.throwIfAborted();
      await sleep(20);
    }
  }
}

interface Run {
  child: ChildProcess;
  ended: Promise<{ status: number | null; output: string }>;
}

function run(words: string[]): Run {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH } });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([output, errors, [status]]) => ({ status: status as number | null, output: output + errors }),
  );
  return { child, ended };
}

/** Kills a process at a random moment. @returns whether it had finished before */
async function killLater({ child, ended }: Run): Promise<boolean> {
  const pause = sleep(Math.random() * killWithin, 'killed' as const);
  if ((await Promise.race([pause, ended])) !== 'killed') return true;
  child.kill('SIGKILL');
  await ended;
  return false;
}

const placedBy = (purchases: readonly Purchase[]) => [...new Set(purchases.flatMap(({ placed }) => placed))];
