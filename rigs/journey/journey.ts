/**
 * The journey of one box on one bare system: install, sell, change the tier while it sells, upgrade, roll back, restart, back
 * up, uninstall and install again, remove and restore, and as a service of systemd: reboot, crash, hang and the timer of backups. Orders are counted after each step.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, freePort } from '@carton/runtime/testing';
import { boxFolder } from '../../installer/box/folder.ts';
import { readSecrets } from '../../installer/box/settings.ts';
import { exitCodes } from '../../installer/exit-codes.ts';
import { sum } from '../support/client.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { databaseUrlIn } from './database.ts';
import { equip, newOperator, type Operator } from './operator.ts';
import type { Releases } from './releases.ts';
import { archiveOf, type Suite, unpackRoot } from './roots.ts';
import { describeFailures, openStore, type Store } from './store.ts';
import { root, type System, startSystem, type User } from './system.ts';
import type { Transcript } from './transcript.ts';

/** Who runs the box: root or an ordinary user, or a service of systemd. */
export const kinds = ['root', 'user', 'systemd'] as const;
export type Kind = (typeof kinds)[number];

const backupTimeout = 120_000;
const partner: User = { name: 'partner', uid: 1000, gid: 1000, home: '/home/partner' };

export interface JourneyOptions {
  suite: Suite;
  kind: Kind;
  /** The command's binary, and its name. */
  binary: string;
  name: string;
  /** Folder of the archives of roots. */
  roots: string;
  controlPlaneUrl: string;
  admin: Caller;
  releases: Releases;
  transcript: Transcript;
  /** Called with the port of the box. */
  onPort: (port: number) => void;
}

interface Journey {
  stage: Stage;
  system: System;
  operator: Operator;
  /** The command with the user who owns the box. */
  carton: (words: string) => string;
  dir: string;
  /** Folder of backups. */
  backups: string;
  store: Store;
  /** The command line that installs again after `uninstall`. */
  installAgain: string;
  /** The command line that gives the user of a service a new folder for the box; absent if the user can create it. */
  createFolder?: string;
  counts: Record<string, number>;
  releases: Releases;
  changeTier(tier: string): Promise<void>;
}

/** Travels, and returns what was broken. */
export async function travel(stage: Stage, options: JourneyOptions): Promise<Findings> {
  const { suite, kind, binary, name, transcript, controlPlaneUrl, admin } = options;
  const isService = kind === 'systemd';
  const folder = join(stage.folder, 'systems', `${suite}-${kind}`);
  await mkdir(join(stage.folder, 'systems'), { recursive: true });
  stage.say(`${suite}, ${kind}: preparing the system`);
  await unpackRoot(await archiveOf(options.roots, suite, isService), folder);
  const system = await startSystem(stage, folder, isService ? 'systemd' : 'shell');
  const user = kind === 'user' ? partner : root;
  const dir = kind === 'user' ? `${partner.home}/store` : '/srv/store';
  const port = await freePort();
  options.onPort(port);
  const url = `http://127.0.0.1:${port}`;
  const operator = newOperator(stage, { system, user, dir, url, transcript });
  const { body: licence } = await admin.post('/license/keys', { customerId: `${suite}-${kind}`, tier: 'basic' });
  await equip(operator, system, { binary, name, key: licence.key, user });

  await operator.run('head -1 /etc/os-release; getconf GNU_LIBC_VERSION; id');
  await operator.run('which node npm psql postgres || echo none of them');
  await operator.run(`${name} --version`);
  const where = `--dir ${dir}`;
  const address = `--control-plane ${controlPlaneUrl} --port ${port}`;
  await operator.run(`${name} install ${where} --key-file licence.txt ${address}`);
  const owner = isService ? `runuser -u ${name} -- ` : '';
  if (isService) await becomeService(operator, name, where);
  const carton = (words: string) => `${owner}${name} ${words.replace(/( \||$)/, ` ${where}$1`)}`;
  const backups = `${user.home === partner.home ? partner.home : '/srv'}/backups`;
  await operator.run(`${isService ? `install --directory --owner ${name}` : 'mkdir'} ${backups}`);
  await operator.run(carton('status'));
  // All shoppers have one address.
  const limits = ['READ', 'WRITE', 'CHECKOUT', 'LOGIN'].map((each) => `RATE_LIMIT_${each}=0`).join(' ');
  await operator.run(carton(`config set ${limits} --restart`));
  const secrets = await readSecrets(boxFolder(join(system.root(), dir)));
  const store = await openStore(stage, url, {
    operatorSecret: secrets.OPERATOR_SECRET as string,
    hostingSecret: secrets.HOSTING_SECRET as string,
  });
  const journey: Journey = {
    ...(isService && { createFolder: `install --directory --owner ${name} ${dir}` }),
    ...{ stage, system, operator, carton, dir, backups, store, installAgain: carton(`install ${address}`), counts: {} },
    releases: options.releases,
    async changeTier(tier) {
      const { status } = await admin.post(`/license/keys/${licence.id}/tier-change`, { tier });
      if (status !== 200) throw new Error(`the tier was not changed: ${status}`);
    },
  };
  await sell(journey);
  await changeTierWhileSelling(journey);
  await upgradeAndRollBack(journey);
  await rollBackWithData(journey);
  if (isService) await operator.run(`systemctl is-active ${name}`);
  await restartAndBackUpWhileSelling(journey);
  if (isService) await operator.run(`systemctl is-active ${name}`);
  await operator.run(carton('doctor'));
  if (isService) await serve(journey, name);
  else await stopAndStart(journey);
  if (isService) {
    await scheduleBackups(journey, name, where);
    await operator.run(`${name} service uninstall ${where}`);
    await operator.run(`ls /etc/systemd/system/${name}* || echo no unit is left`);
  }
  await uninstallAndInstall(journey);
  await removeAndRestore(journey);
  const broken = operator.broken.map((line) => `${suite}, ${kind}: ${line}`);
  return { broken, counts: journey.counts };
}

/** Compares the books of the store with what shoppers saw, and reports the number of orders. */
async function checkBooks({ operator, store, system, dir, counts }: Journey): Promise<void> {
  const { broken, orders } = await store.check(await databaseUrlIn(system.root(), dir));
  for (const line of broken) operator.expect(false, line);
  counts.lost = (counts.lost ?? 0) + broken.length;
  counts.orders = orders;
  operator.tell(
    `The store has ${orders} orders, ${broken.length === 0 ? 'exactly those that shoppers placed' : 'and not what shoppers placed'}.`,
  );
}

async function sell(journey: Journey): Promise<void> {
  const { orders } = await journey.store.sellDuring(async () => {});
  journey.operator.tell(`Shoppers place ${orders} orders.`);
  await checkBooks(journey);
}

async function changeTierWhileSelling(journey: Journey): Promise<void> {
  await journey.changeTier('enterprise');
  journey.operator.tell(
    'The vendor changes the tier of the licence from basic to enterprise. Shoppers go on buying during the upgrade.',
  );
  await sellDuring(journey, 'Upgrade', ['install']);
}

/** A release whose migrations are all additive: neither the upgrade nor the way back has a gap. */
async function upgradeAndRollBack(journey: Journey): Promise<void> {
  const { operator, carton, releases } = journey;
  const version = await releases.publish('additive');
  operator.tell(`The vendor publishes release ${version}, with an additive migration.`);
  await operator.run(carton('plan'));
  operator.tell('Shoppers go on buying during the upgrade, and during the way back to the former release.');
  await sellDuring(journey, 'Release', ['upgrade', 'rollback']);
}

/** A release with a migration that the former one cannot work with: the way back restores the backup. */
async function rollBackWithData(journey: Journey): Promise<void> {
  const { operator, carton, releases, store } = journey;
  const version = await releases.publish('not additive');
  operator.tell(`The vendor publishes release ${version}, with a migration that is not additive.`);
  await operator.run(carton('plan'));
  await operator.run(carton('upgrade'));
  await checkBooks(journey);
  const forget = store.mark();
  const { orders } = await store.sellDuring(async () => {});
  operator.tell(`Shoppers place ${orders} orders with the new release, which a way back would lose.`);
  await operator.run(carton('rollback'), { status: exitCodes.would_lose_data.status });
  await operator.run(carton('rollback --with-data'), { status: exitCodes.would_lose_data.status });
  await operator.run(carton('rollback --with-data --accept-loss'));
  forget();
  await checkBooks(journey);
  await sell(journey);
}

/** The timer of systemd takes a backup, and ends with the service. */
async function scheduleBackups({ operator, system, backups, carton }: Journey, name: string, where: string) {
  await operator.run(`${name} backup schedule --every 1d --keep 3 --to ${backups} ${where}`);
  await operator.run(`systemd-analyze verify /etc/systemd/system/${name}-backup.timer`);
  await operator.run(`systemctl list-timers --no-pager ${name}-backup.timer | head -2`);
  const count = async () => {
    const { output } = await system.run(carton('backup list --json | tail -1'));
    return (JSON.parse(output).result.entries as unknown[]).length;
  };
  const before = await count();
  operator.tell('The timer is set to begin at once.');
  const soon = '[Timer]\\nOnActiveSec=\\nOnActiveSec=1s\\nRandomizedDelaySec=0\\nAccuracySec=1s\\n';
  const folder = `/etc/systemd/system/${name}-backup.timer.d`;
  await operator.prepare(`mkdir -p ${folder} && printf '${soon}' > ${folder}/soon.conf`);
  await operator.prepare(`systemctl daemon-reload && systemctl restart ${name}-backup.timer`);
  for (const until = Date.now() + backupTimeout; (await count()) === before && Date.now() < until; ) await sleep(500);
  operator.expect((await count()) === before + 1, 'the timer has taken no backup');
  await operator.run(`journalctl --unit ${name}-backup --no-pager --output cat --lines 6`);
  await operator.run(carton('backup list'));
  await operator.run(carton('doctor --backup | tail -3'));
}

async function restartAndBackUpWhileSelling(journey: Journey): Promise<void> {
  journey.operator.tell('Shoppers go on buying during a restart and a backup.');
  await sellDuring(journey, 'RestartAndBackup', ['restart', `backup create --to ${journey.backups}`]);
}

/** Runs commands while shoppers buy: no request may fail. */
async function sellDuring(journey: Journey, what: string, words: readonly string[]): Promise<void> {
  const { operator, store, carton, counts } = journey;
  const trade = await store.sellDuring(async () => {
    for (const each of words) await operator.run(carton(each));
  });
  for (const line of trade.broken) operator.expect(false, line);
  const failures = describeFailures(trade);
  operator.expect(failures === '', failures);
  counts[`requestsDuring${what}`] = trade.requests;
  counts[`failedDuring${what}`] = sum(trade.failures);
  operator.tell(
    `Meanwhile shoppers sent ${trade.requests} requests and placed ${trade.orders} orders; ${failures || 'no request failed'}. The longest request took ${trade.longestMilliseconds} ms.`,
  );
  await checkBooks(journey);
}

async function stopAndStart(journey: Journey): Promise<void> {
  const { operator, carton } = journey;
  await operator.run(carton('stop'));
  await operator.run(carton('start'));
  await sell(journey);
}

async function becomeService(operator: Operator, name: string, where: string): Promise<void> {
  await operator.run(`${name} service install ${where}`);
  await operator.run(`${name} service status ${where}`);
  const security = await operator.run(`systemd-analyze security --no-pager ${name} | tail -1`);
  operator.expect(/: 1\.\d OK/.test(security), `systemd-analyze security: ${security.trim()}`);
}

/** A service of systemd: its box comes back after a reboot, a crash of the command, and a hang. */
async function serve(journey: Journey, name: string): Promise<void> {
  const { operator, system, counts } = journey;
  operator.tell('The machine reboots.');
  const rebooting = performance.now();
  await system.reboot();
  await operator.untilHealthy();
  counts.msOfReboot = Math.round(performance.now() - rebooting);
  operator.tell(`The box is healthy again after ${seconds(counts.msOfReboot)}.`);
  await operator.run(`systemctl is-active ${name}`);
  await sell(journey);

  operator.tell('The box hangs.');
  const hung = await operator.pid();
  await operator.run(`kill -STOP ${hung}`);
  const afterHang = await operator.untilHealthy(hung);
  counts.msAfterHang = Math.round(afterHang ?? Number.NaN);
  operator.tell(`Another one is healthy after ${seconds(afterHang)}.`);

  operator.tell('The command and the box are killed.');
  const killed = await operator.pid();
  await operator.run(`systemctl kill --signal=KILL ${name}`);
  const afterKill = await operator.untilHealthy(killed);
  counts.msAfterKill = Math.round(afterKill ?? Number.NaN);
  operator.tell(`The box is healthy again after ${seconds(afterKill)}.`);
  await sell(journey);
  await operator.run(`journalctl --unit ${name} --no-pager --output cat --lines 12`);
}

const seconds = (milliseconds: number | null) =>
  milliseconds === null ? 'never' : `${(milliseconds / 1000).toFixed(1)} s`;

/** The data outlives `uninstall`. */
async function uninstallAndInstall(journey: Journey): Promise<void> {
  const { operator, carton } = journey;
  await operator.run(carton('uninstall'));
  await operator.run(journey.installAgain);
  await checkBooks(journey);
  await sell(journey);
}

/** `uninstall --data` leaves nothing, and a backup brings everything back. */
async function removeAndRestore(journey: Journey): Promise<void> {
  const { operator, system, dir, backups, carton } = journey;
  const backup = `${backups}/last.tar.zst`;
  const key = `${backups}/backup-key.txt`;
  await operator.run(carton(`backup create --to ${backup}`));
  await operator.run(`cp --preserve ${dir}/.backup-key ${key}`);
  await operator.run(carton('uninstall --data --yes'));
  const left = await readdir(join(system.root(), dir)).catch(() => []);
  operator.expect(left.length === 0, `uninstall --data left ${left.join(', ')}`);
  if (journey.createFolder) await operator.run(journey.createFolder);
  await operator.run(carton(`restore ${backup} --backup-key-file ${key}`));
  await operator.run(carton('start'));
  await operator.run(carton('status | head -5'));
  await checkBooks(journey);
  await sell(journey);
  await operator.run(carton('stop'));
}
