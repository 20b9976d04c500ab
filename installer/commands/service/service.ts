/**
 * `service`: runs the installed box as a service of systemd, which starts it at boot and watches it.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandWords } from '../../box/command-words.ts';
import { writeAtomically } from '../../box/files.ts';
import { type BoxFolder, boxFolder, exists } from '../../box/folder.ts';
import { boxUrl } from '../../box/health.ts';
import { withLock } from '../../box/lock.ts';
import { findRunningBox, isInBackground } from '../../box/running.ts';
import { requireSettings } from '../../box/settings.ts';
import { stopForGood } from '../../box/stop-for-good.ts';
import { readStopSeconds } from '../../box/stopping.ts';
import { Failure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import { type Account, chooseAccount, giveTo } from '../../service/account.ts';
import { checkReachable } from '../../service/command-path.ts';
import { checkSystemd, findService, isUnitOf, readProperties, system, unitPath } from '../../service/systemd.ts';
import { unitOf } from '../../service/unit.ts';
import { vendor } from '../../vendor.ts';
import { readBackupSettings, writeBackupSettings } from '../backup/backup.ts';
import { removeTimer } from '../backup/schedule.ts';

/** Options of `service install` and `service unit`. */
export interface ServiceOptions {
  /** The box's folder. */
  dir: string;
  /** Name of the service, without `.service`. */
  name?: string;
  /** The user the box runs as. */
  user?: string;
}

/** A service. */
export interface ServiceResult {
  dir: string;
  service: string;
  /** Path of the unit's file. */
  unit: string;
  user: string;
  url: string;
  /** Whether anything was changed. */
  changed: boolean;
}

/** The state of a service. */
export interface ServiceStatus {
  dir: string;
  service: string;
  unit: string;
  /** As systemd says it: `active`, `activating`, `failed`, `inactive`. */
  state: string;
  /** Whether it starts at boot. */
  enabled: boolean;
  /** What the service says about itself. */
  status?: string;
  since?: string;
  /** How often systemd has restarted it. */
  restarts: number;
}

/** Folders that other programs empty, or that a service sees a version of its own of. */
const temporary = /^\/(tmp|var\/tmp|run|dev|proc|sys)(\/|$)/;

/**
 * Writes the unit, gives its user the folder, and starts the service, now and at boot. A box in the background is taken
 * over. Does nothing if all of this is done already.
 * @throws Failure usage, folder_unusable, not_installed, busy, box_not_healthy
 */
export async function installService(options: ServiceOptions, output: Output): Promise<ServiceResult> {
  const folder = boxFolder(options.dir);
  await checkRoot('install', folder);
  await checkSystemd();
  const settings = await requireSettings(folder);
  if (temporary.test(folder.root)) {
    throw new Failure(
      'folder_unusable',
      `${folder.root} is a temporary folder`,
      'Move the box, for example below /srv',
    );
  }
  const name = options.name ?? (await findService(folder.root)) ?? vendor;
  await checkName(name, folder);
  const account = await chooseAccount(folder, options.user, output);
  const { unit, writable } = await describeUnit(folder, account);
  const path = unitPath(name);
  const result = { dir: folder.root, service: name, unit: path, user: account.name, url: boxUrl(settings) };
  if ((await readFile(path, 'utf8').catch(() => '')) === unit && (await isRunning(name))) {
    return { ...result, changed: false };
  }
  await withLock(folder.root, 'service install', async () => {
    await stopForeignBox(folder, name, output);
    await giveTo(account, [...writable, folder.root]);
  });
  await writeAtomically(path, unit);
  output.info('unit', `wrote ${path}`, { unit: path });
  await system('systemctl', 'daemon-reload');
  await system('systemctl', 'enable', '--quiet', `${name}.service`);
  await startUnit(name);
  return { ...result, changed: true };
}

/** Returns the text of the unit that `installService` would write for a user that exists. */
export async function printUnit(options: ServiceOptions, output: Output): Promise<{ unit: string }> {
  const folder = boxFolder(options.dir);
  await requireSettings(folder);
  const user = options.user ?? vendor;
  const { unit } = await describeUnit(folder, { name: user, group: user });
  output.result({ unit }, unit.trimEnd().split('\n'));
  return { unit };
}

/**
 * Stops the service and removes its unit, and the timer of its backups. The box, its data and its user stay.
 * @returns the service, if there was one, and the timer
 */
export async function uninstallService(
  options: ServiceOptions,
  output: Output,
): Promise<{ service?: string; timer?: string }> {
  const folder = boxFolder(options.dir);
  await checkRoot('uninstall', folder);
  await checkSystemd();
  const name = options.name ?? (await findService(folder.root));
  if (!name || !(await exists(unitPath(name)))) return {};
  await checkName(name, folder);
  output.info('stopping', `stopping the service ${name}`, { service: name });
  await system('systemctl', 'disable', '--quiet', '--now', `${name}.service`);
  await rm(unitPath(name), { force: true });
  await rm(`${unitPath(name)}.d`, { recursive: true, force: true });
  await system('systemctl', 'daemon-reload');
  // It is called after the service, and runs as the user of the service.
  const { timer, every: _every, ...backups } = await readBackupSettings(folder);
  if (timer === undefined) return { service: name };
  await removeTimer(timer);
  await writeBackupSettings(folder, backups);
  return { service: name, timer: `${timer}.timer` };
}

/** @throws Failure not_installed when no service runs this box */
export async function serviceStatus(options: ServiceOptions): Promise<ServiceStatus> {
  const folder = boxFolder(options.dir);
  await requireSettings(folder);
  await checkSystemd();
  const name = options.name ?? (await findService(folder.root));
  if (!name || !(await isUnitOf(unitPath(name), folder.root))) {
    throw new Failure(
      'not_installed',
      `no service of systemd runs the box in ${folder.root}`,
      `Run sudo ${vendor} service install --dir ${folder.root}`,
    );
  }
  const properties = ['ActiveState', 'UnitFileState', 'StatusText', 'ActiveEnterTimestamp', 'NRestarts'];
  const { ActiveState, UnitFileState, StatusText, ActiveEnterTimestamp, NRestarts } = await readProperties(
    name,
    properties,
  );
  return {
    dir: folder.root,
    service: name,
    unit: unitPath(name),
    state: ActiveState ?? 'inactive',
    enabled: UnitFileState === 'enabled',
    status: StatusText,
    since: ActiveEnterTimestamp,
    restarts: Number(NRestarts ?? 0),
  };
}

async function describeUnit(folder: BoxFolder, account: Pick<Account, 'name' | 'group'> & Partial<Account>) {
  const command = commandWords();
  if (account.uid !== undefined) {
    for (const path of command) await checkReachable(path, account as Account);
  }
  // A box that root has run may have its database elsewhere: the file `location` says where.
  const location = await readFile(join(folder.data, 'postgresql', 'location'), 'utf8').catch(() => '');
  const writable = location.trim() ? [location.trim()] : [];
  const stopSeconds = (await readStopSeconds(folder)) + 30;
  const { name: user, group } = account;
  return { unit: unitOf({ dir: folder.root, user, group, command, writable, stopSeconds }), writable };
}

async function checkRoot(command: string, folder: BoxFolder): Promise<void> {
  if (process.getuid?.() === 0) return;
  const line = `sudo ${vendor} service ${command} --dir ${folder.root}`;
  throw new Failure('usage', `only root can change the services of this machine`, `Run ${line}`);
}

/** The name must be free, or that of this box's service. */
async function checkName(name: string, folder: BoxFolder): Promise<void> {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new Failure('usage', `${name} is not a name of a service`, 'Use letters, digits, dots, - and _');
  }
  const path = unitPath(name);
  if ((await exists(path)) && !(await isUnitOf(path, folder.root))) {
    throw new Failure('usage', `${path} belongs to something else`, 'Choose another name with --name');
  }
}

/** Stops a box that the service does not run, so that its folder can be given to the service's user. */
async function stopForeignBox(folder: BoxFolder, name: string, output: Output): Promise<void> {
  if (await isRunning(name)) {
    await system('systemctl', 'stop', `${name}.service`);
    return;
  }
  const running = await findRunningBox(folder);
  if (!running) return;
  if (!isInBackground(running)) {
    throw new Failure(
      'busy',
      `"${vendor} start --foreground" (process ${running.parent?.pid}) runs this box`,
      'Stop that command first; the service will run the box',
    );
  }
  output.info('stopping', `stopping the box (process ${running.pid}); the service starts it again`, {});
  await stopForGood(folder, running, output);
}

async function isRunning(name: string): Promise<boolean> {
  const { ActiveState } = await readProperties(name, ['ActiveState']);
  return ActiveState === 'active' || ActiveState === 'activating';
}

/** @throws Failure box_not_healthy with the last lines of the journal */
async function startUnit(name: string): Promise<void> {
  try {
    await system('systemctl', 'restart', `${name}.service`);
  } catch {
    const journal = await system('journalctl', '--unit', name, '--lines', '5', '--output', 'cat', '--no-pager').catch(
      () => '',
    );
    const lines = journal.trim().split('\n');
    throw new Failure(
      'box_not_healthy',
      `the service did not start: ${lines.at(-1)}`,
      `See journalctl --unit ${name}`,
      {
        lastLines: lines,
      },
    );
  }
}
