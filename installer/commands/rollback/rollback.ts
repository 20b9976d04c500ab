/**
 * `rollback`: back to the release before the newest upgrade. While all migrations of that upgrade were additive, the former
 * release works on the present data, and nothing is lost. Otherwise the backup of the upgrade is restored, and what was
 * written since is lost: it is counted and kept in a file before, and the replaced data is kept aside.
 */
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withDatabase } from '../../backup/database.ts';
import { dumpPath, replaceCommand } from '../../backup/external.ts';
import type { Launch } from '../../box/environment.ts';
import { exchangeBox } from '../../box/exchange.ts';
import { type BoxFolder, boxFolder, checkOwner, releaseFolder } from '../../box/folder.ts';
import { boxUrl } from '../../box/health.ts';
import { toLaunch } from '../../box/launch.ts';
import { withLock } from '../../box/lock.ts';
import { replaceBox, startBox, type WaitOptions } from '../../box/replace.ts';
import { findRunningBox, type RunningBox } from '../../box/running.ts';
import { type BoxSettings, checkSecrets, readSecrets, requireSettings, writeBoxSettings } from '../../box/settings.ts';
import { readStopSeconds } from '../../box/stopping.ts';
import { Failure } from '../../failure.ts';
import { counted, type Output } from '../../output/output.ts';
import { checkPort } from '../../preflight.ts';
import { currentRelease, isComplete, switchCurrent } from '../../release/layout.ts';
import { readLock } from '../../release/lock-file.ts';
import { type Migration, migrationsOf } from '../../release/migrations.ts';
import { findKeptMigrations, warnOfKept } from '../../upgrade/kept-migrations.ts';
import { findLostWrites, findLostWritesOfStopped, type LostWrites } from '../../upgrade/lost.ts';
import { appliedMigrations } from '../../upgrade/pending.ts';
import {
  readRecords,
  removeJournal,
  type UpgradedRelease,
  type UpgradeRecord,
  upgradeBackup,
  writeRecord,
} from '../../upgrade/record.ts';
import {
  beginChange,
  putReplacedBack,
  restoreBackup,
  resumeUpgrade,
  untilDatabaseStopped,
  verifyUpgradeBackup,
} from '../../upgrade/restore.ts';
import { vendor } from '../../vendor.ts';

export interface RollbackOptions {
  /** The box's folder. */
  dir: string;
  /** Whether the backup of the upgrade is restored. */
  withData?: boolean;
  /** Whether what was written since may be lost. */
  acceptLoss?: boolean;
  /** Whether a backup is restored of which nothing shows that the box has written it. */
  allowUnverified?: boolean | undefined;
  /** False leaves the box stopped if it is. */
  start?: boolean;
  healthSeconds?: number;
  signal?: AbortSignal;
}

export interface RollbackResult {
  dir: string;
  from: UpgradedRelease;
  to: UpgradedRelease;
  /** Whether the data was restored too. */
  withData: boolean;
  /** What was lost, if the data was restored. */
  lost?: LostWrites;
  /** The folder of the replaced data. */
  replacedData?: string;
  running: boolean;
  pid?: number | undefined;
  url: string;
}

/** The upgrade to undo; without a record, of a box that an earlier version of the command has upgraded. */
interface Target {
  record: UpgradeRecord | undefined;
  from: UpgradedRelease;
  to: UpgradedRelease;
  changing: Migration[];
}

/**
 * @throws Failure would_lose_data, no_former_release, unverified with nothing changed; taken_back if the former release fails and the
 * present one runs again
 */
export async function rollback(options: RollbackOptions, output: Output): Promise<RollbackResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'rollback', async () => {
    await requireSettings(folder);
    await checkOwner(folder);
    await checkSecrets(folder);
    const resumed = await resumeUpgrade(folder, output, options);
    const settings = await requireSettings(folder);
    const target =
      resumed?.kind === 'rollback' && resumed.completed
        ? completedTarget(resumed.record)
        : await findTarget(folder, settings);
    const context: Context = {
      folder,
      target,
      settings: { ...settings, tier: target.to.tier, version: target.to.version },
      running: await findRunningBox(folder),
      old: toLaunch(target.from.release, settings, await readSecrets(folder)),
      new: toLaunch(target.to.release, settings, await readSecrets(folder)),
      waitOptions: {
        healthSeconds: options.healthSeconds ?? 120,
        stopSeconds: await readStopSeconds(folder),
        signal: options.signal,
        smokeCheck: true,
      },
      options,
      output,
    };
    if (resumed?.kind === 'rollback' && resumed.completed) return start(context, true);
    return options.withData ? rollBackData(context) : rollBackCode(context);
  });
}

interface Context {
  folder: BoxFolder;
  target: Target;
  /** Those of the box after the rollback. */
  settings: BoxSettings;
  running: RunningBox | undefined;
  old: Launch;
  new: Launch;
  waitOptions: WaitOptions;
  options: RollbackOptions;
  output: Output;
}

const completedTarget = (record: UpgradeRecord): Target => ({ record, from: record.to, to: record.from, changing: [] });

/** @throws Failure no_former_release */
async function findTarget(folder: BoxFolder, settings: BoxSettings): Promise<Target> {
  const current = await currentRelease(folder);
  if (!current) throw new Failure('not_installed', `${folder.current} is missing`, 'Run install again');
  // A command that was killed once the release was current has left its record as `started`.
  const record = (await readRecords(folder)).find(
    ({ state, to }) => (state === 'done' || state === 'started') && to.release === current,
  );
  const former = record?.from ?? (await releaseBefore(folder, current));
  const lock = former && (await readLock(releaseFolder(folder, former.release)));
  if (!former || !lock || !(await isComplete(folder, former.release, lock))) {
    throw new Failure(
      'no_former_release',
      former
        ? `the former release ${former.version ?? former.release} is not on disk any more`
        : 'the box has no former release',
      `Nothing was changed. ${vendor} upgrade --version installs a release that is not older`,
    );
  }
  const from = { release: current, version: settings.version, tier: settings.tier };
  if (record) return { record, from, to: former, changing: record.migrations.filter(({ additive }) => !additive) };
  const kept = new Set((await migrationsOf(folder, former.release)).map(({ file }) => file));
  const since = (await migrationsOf(folder, current)).filter(({ file }) => !kept.has(file));
  return { record, from, to: former, changing: since.filter(({ additive }) => !additive) };
}

/** The newest other release on disk, for a box that has no record of its upgrade and so has had one only. */
async function releaseBefore(folder: BoxFolder, current: string): Promise<UpgradedRelease | undefined> {
  if ((await readRecords(folder)).length > 0) return undefined;
  let newest: { name: string; time: number } | undefined;
  for (const name of await readdir(folder.releases)) {
    if (name === current || !/^[0-9a-f]{16}$/.test(name)) continue;
    const time = (await stat(join(folder.releases, name))).mtimeMs;
    if (!newest || time > newest.time) newest = { name, time };
  }
  const tier = newest && (await readLock(releaseFolder(folder, newest.name)))?.tier;
  return newest && tier ? { release: newest.name, tier } : undefined;
}

async function rollBackCode(context: Context): Promise<RollbackResult> {
  const { folder, target, running, output, waitOptions } = context;
  const { record, to } = target;
  // An operator may have restored a database of their own by the command that `--with-data` has printed.
  const applied = target.changing.length > 0 ? await appliedMigrations(folder) : undefined;
  const changing = target.changing.filter(({ file }) => applied?.has(file) ?? true);
  if (changing.length > 0) {
    const files = changing.map(({ file }) => file);
    const named = `${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`;
    throw new Failure(
      'would_lose_data',
      `the former release may not work with the data: not all migrations since are additive (${named})`,
      record?.backup
        ? `Nothing was changed. ${vendor} rollback --with-data says what a restore of the data of ${record.backup.time} would lose`
        : 'Nothing was changed. There is no backup of the data before the upgrade: report the fault to the vendor',
      { migrations: files },
    );
  }
  if (running) {
    const launches = { old: toLaunchOf(context, running), new: context.new };
    await replaceBox(folder, running, launches, output, waitOptions);
    await finishRollback(context);
    return describe(context, await findRunningBox(folder), false);
  }
  await finishRollback(context);
  output.info('switched', `release ${to.version ?? to.release} is current again`, { release: to.release });
  return start(context, false);
}

/** What runs may be another release than the current one, after an install without start. */
function toLaunchOf({ old }: Context, { release }: RunningBox): Launch {
  return { ...old, release };
}

async function rollBackData(context: Context): Promise<RollbackResult> {
  const { folder, target, running, output, waitOptions, options, settings } = context;
  const { record, from } = target;
  const backup = record?.backup;
  if (!record || !backup) {
    throw new Failure(
      'no_former_release',
      'there is no backup of the data before the upgrade',
      target.changing.length > 0
        ? 'Nothing was changed. Report the fault of the release to the vendor'
        : `Nothing was changed. Use ${vendor} rollback, which keeps all data`,
    );
  }
  await verifyUpgradeBackup(folder, record, output, options);
  const fileOf = (what: string) => join(folder.upgrades, record.id, `${what}-${Date.now()}.jsonl`);
  const count = async (what: string): Promise<LostWrites> => {
    await mkdir(join(folder.upgrades, record.id), { recursive: true });
    const isReachable = backup.kind === 'dump' || (await findRunningBox(folder)) !== undefined;
    return isReachable
      ? withDatabase(folder, (client) => findLostWrites(client, backup, fileOf(what)))
      : findLostWritesOfStopped(folder, from.release, backup, fileOf(what), { output, signal: options.signal });
  };
  if (backup.kind === 'dump') {
    const applied = await appliedMigrations(folder);
    if (applied && !record.migrations.some(({ file }) => applied.has(file))) return rollBackCode(context);
    const lost = await count('would-be-lost');
    nameOrders(lost, 'would be lost', output);
    const dump = join(upgradeBackup(folder, record.id), dumpPath);
    throw new Failure(
      'would_lose_data',
      `a restore of the data of ${backup.time} loses ${summaryOf(lost)}, and the database is your own, so you restore it`,
      `Nothing was changed. ${lost.file} has their content. To lose them, stop all boxes that use the database (${vendor} stop), run: ${replaceCommand(dump)}; then ${vendor} rollback`,
      { lost, dump },
    );
  }
  if (!options.acceptLoss) {
    const lost = await count('would-be-lost');
    nameOrders(lost, 'would be lost', output);
    throw new Failure(
      'would_lose_data',
      `a restore of the data of ${backup.time} loses ${summaryOf(lost)}`,
      lost.rows === 0
        ? `Nothing was changed. To lose what is written until then: ${vendor} rollback --with-data --accept-loss`
        : `Nothing was changed. ${lost.file} has their content. To lose them: ${vendor} rollback --with-data --accept-loss`,
      { lost },
    );
  }
  if (!running) await checkPort(context.new.host, context.new.port);

  const { journal, proceedTo } = await beginChange(folder, { kind: 'rollback', upgrade: record.id, settings });
  let lost: LostWrites | undefined;
  let isRestored = false;
  const steps = {
    async stopped() {
      await untilDatabaseStopped(folder, output);
      lost = await count('lost');
      nameOrders(lost, 'are lost', output);
      if (lost.rows > 0) output.warn(`lost: ${summaryOf(lost)}; ${lost.file} has their content`, { lost });
      await proceedTo('restoring');
      await restoreBackup(folder, record, { output, signal: options.signal, allowUnverified: options.allowUnverified });
      isRestored = true;
    },
    async passed() {
      await proceedTo('passed');
      await finishRollback(context);
    },
    async failed() {
      // From then on only the former release may run on the data, and the next command starts it.
      if (journal.step === 'passed') return false;
      if (isRestored) {
        await proceedTo('putting_back');
        await untilDatabaseStopped(folder, output);
        await putReplacedBack(folder, journal, record);
        output.info('data_put_back', 'the former release fails on its data; the data of the present release is back', {
          upgrade: record.id,
        });
      }
      await removeJournal(folder);
      return true;
    },
  };
  const old = running && toLaunchOf(context, running);
  const box = await exchangeBox(folder, { running, old, new: context.new, steps }, output, waitOptions);
  await removeJournal(folder);
  return { ...describe(context, box, true), lost, replacedData: record.replacedData?.at(-1) };
}

/** Makes the former release current. */
async function finishRollback({ folder, target, settings, output }: Context): Promise<void> {
  await switchCurrent(folder, target.to.release);
  await writeBoxSettings(folder, settings);
  const { record } = target;
  if (record) await writeRecord(folder, { ...record, state: 'rolled_back' });
  warnOfKept(await findKeptMigrations(folder), output);
}

/** Starts the former release where none runs. */
async function start(context: Context, withData: boolean): Promise<RollbackResult> {
  const { folder, options, output, waitOptions } = context;
  if (options.start === false) return describe(context, undefined, withData);
  await checkPort(context.new.host, context.new.port);
  return describe(context, await startBox(folder, context.new, output, waitOptions), withData);
}

function describe(
  { folder, target, new: launch }: Context,
  box: RunningBox | undefined,
  withData: boolean,
): RollbackResult {
  const { from, to } = target;
  return { dir: folder.root, from, to, withData, running: box !== undefined, pid: box?.pid, url: boxUrl(launch) };
}

/** Names every order, in a line for each store. */
function nameOrders({ orders }: LostWrites, fate: string, output: Output): void {
  for (const [store, numbers] of Object.entries(orders)) {
    output.problem(`orders of ${store} that ${fate}: ${numbers.join(', ')}`, { store, orders: numbers });
  }
}

/** Says in one line what a restore loses: `3 orders, 2 payments, …`. */
export function summaryOf({ counts, rows }: LostWrites): string {
  if (rows === 0) return 'nothing';
  const { orders = 0, payments = 0, payment_transactions: transactions = 0, refunds = 0, members = 0 } = counts;
  const parts: [number, string][] = [
    [payments, 'payment'],
    [transactions, 'payment transaction'],
    [refunds, 'refund'],
    [members, 'member'],
  ];
  const named = parts.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun));
  return [counted(orders, 'order'), ...named, `in all ${counted(rows, 'new or changed row')}`].join(', ');
}
