/**
 * `doctor`: says what is wrong with a box, and the command that mends it. Changes nothing and takes no lock.
 */
import { stat, statfs } from 'node:fs/promises';
import { type BoxFolder, boxFolder, releaseFolder } from '../../box/folder.ts';
import { boxUrl, fetchHealthStatus } from '../../box/health.ts';
import { readInstallationId } from '../../box/installation.ts';
import { findRunningBox, type RunningBox } from '../../box/running.ts';
import { type BoxSettings, checkSecrets, readSecrets, requireSettings } from '../../box/settings.ts';
import { activate, readRelease } from '../../control-plane.ts';
import { asFailure, Failure } from '../../failure.ts';
import { counted, megabytes, type Output, silent } from '../../output/output.ts';
import { checkPort, spareBytes } from '../../preflight.ts';
import { currentRelease, isComplete } from '../../release/layout.ts';
import { readLock } from '../../release/lock-file.ts';
import { describeKept, findKeptMigrations, wayBackOf } from '../../upgrade/kept-migrations.ts';
import { vendor } from '../../vendor.ts';
import { checkArchive, checkLastBackup, proveLastBackup } from './backup.ts';
import { checkCollation } from './collation.ts';

/** Options of `doctor`. */
export interface DoctorOptions {
  /** The box's folder. */
  dir: string;
  /** Whether to leave out the checks that need the network. */
  offline?: boolean;
  /** Whether to prove the last backup, by restoring its database aside. */
  backup?: boolean | undefined;
  passphraseFile?: string | undefined;
  output?: Output;
  signal?: AbortSignal;
}

export interface Finding {
  /** What was checked: `release`, `clock`. */
  check: string;
  /** A warning does not keep the box from serving shoppers. */
  state: 'ok' | 'warning' | 'problem';
  message: string;
  /** What mends it; empty if nothing has to be done. */
  advice: string;
}

type Result = Omit<Finding, 'check'>;

interface Box {
  folder: BoxFolder;
  settings: BoxSettings;
  release: string | undefined;
  running: RunningBox | undefined;
  offline: boolean;
  signal: AbortSignal | undefined;
}

const ok = (message: string): Result => ({ state: 'ok', message, advice: '' });
const warning = (message: string, advice: string): Result => ({ state: 'warning', message, advice });
const problem = (message: string, advice: string): Result => ({ state: 'problem', message, advice });

/** In the order in which their findings are reported. */
const checks: Record<string, { needsNetwork?: boolean; run: (box: Box) => Promise<Result> }> = {
  user: { run: checkUser },
  secrets: { run: checkSecretsFile },
  release: { run: checkRelease },
  disk: { run: checkFreeDisk },
  box: { run: checkBox },
  database: { run: checkDatabase },
  collation: { run: ({ folder }) => checkCollation(folder) },
  backup: { run: ({ folder, offline, signal }) => checkLastBackup(folder, offline, signal) },
  archive: { run: ({ folder }) => checkArchive(folder) },
  clock: { needsNetwork: true, run: checkClock },
  licence: { needsNetwork: true, run: checkLicence },
  registry: { needsNetwork: true, run: checkRegistry },
  update: { needsNetwork: true, run: checkUpdate },
};

/**
 * Runs the checks, and reports each finding as it comes.
 * @throws Failure not_installed, interrupted; usage if `box.json` is invalid
 */
export async function doctor(
  { dir, offline, backup, passphraseFile, output = silent, signal }: DoctorOptions,
  report: (finding: Finding) => void,
): Promise<Finding[]> {
  const folder = boxFolder(dir);
  const settings = await requireSettings(folder);
  const box = {
    folder,
    settings,
    release: await currentRelease(folder),
    running: await findRunningBox(folder),
    offline: offline === true,
    signal,
  };
  const findings: Finding[] = [];
  for (const [check, { needsNetwork, run }] of Object.entries(checks)) {
    if (offline && needsNetwork) continue;
    const finding = { check, ...(await run(box).catch(fromError)) };
    findings.push(finding);
    report(finding);
  }
  if (backup) {
    const finding = { check: 'restore', ...(await prove(folder, { passphraseFile, output, signal }).catch(fromError)) };
    findings.push(finding);
    report(finding);
  }
  return findings;
}

async function prove(folder: BoxFolder, options: Parameters<typeof proveLastBackup>[1]): Promise<Result> {
  const { entry, rows } = await proveLastBackup(folder, options);
  return ok(`the backup of ${entry.time} was restored aside and is right: ${rows} rows`);
}

function fromError(error: unknown): Result {
  const failure = asFailure(error);
  if (failure.code === 'interrupted') throw failure;
  return problem(failure.message, failure.advice);
}

/** A file of another user than the folder's cannot be replaced by the box, or by the next command. */
async function checkUser({ folder }: Box): Promise<Result> {
  const { uid } = await stat(folder.root);
  const own = process.getuid?.() ?? uid;
  if (own === uid && uid === 0) {
    return warning('the box belongs to root', `Install it as a user of its own, which cannot change the machine`);
  }
  if (own === uid) return ok('the folder belongs to this user');
  return warning(`the folder belongs to another user (${uid})`, 'Run the commands as that user');
}

async function checkSecretsFile({ folder }: Box): Promise<Result> {
  await checkSecrets(folder);
  const { mode } = await stat(folder.secrets);
  if ((mode & 0o077) !== 0) {
    return problem(`other users can read ${folder.secrets}`, `Run chmod 600 ${folder.secrets}`);
  }
  return ok('the settings are complete, and only this user can read the secrets');
}

async function checkRelease({ folder, release, running }: Box): Promise<Result> {
  const lock = release && (await readLock(releaseFolder(folder, release)));
  if (!release || !lock) return problem('no release is current', `Run ${vendor} install`);
  if (!(await isComplete(folder, release, lock))) {
    return problem(`the files of release ${release} are damaged`, `Run ${vendor} install, which pulls them again`);
  }
  if (running && running.release !== release) {
    return warning(`the box runs release ${running.release}, and ${release} is current`, `Run ${vendor} restart`);
  }
  return ok(`release ${release}: ${Object.keys(lock.packages).length} packages, undamaged`);
}

async function checkFreeDisk({ folder }: Box): Promise<Result> {
  const { bavail, bsize } = await statfs(folder.root);
  const ownDatabase = (await readSecrets(folder)).DATABASE_URL !== undefined;
  const needed = ownDatabase ? spareBytes.ownDatabase : spareBytes.embeddedDatabase;
  const free = bavail * bsize;
  if (free >= needed) return ok(`${megabytes(free)} of disk space are free`);
  return problem(
    `${megabytes(free)} of disk space are free, and the box needs ${megabytes(needed)}`,
    'Free some space on the disk of the folder',
  );
}

async function checkBox({ settings, running }: Box): Promise<Result> {
  const url = boxUrl(settings);
  if (!running) {
    await checkPort(settings.host, settings.port);
    return problem('the box is not running', `Run ${vendor} start`);
  }
  const status = await fetchHealthStatus(url);
  if (status === 200) return ok(`the box is healthy at ${url}`);
  const response = status === undefined ? 'does not respond' : `responds with ${status}`;
  return problem(`the box runs, and ${url}/health ${response}`, `See ${vendor} logs for the cause`);
}

/** The former release may not work with what a failed one has left in a database of the operator's own. */
async function checkDatabase({ folder }: Box): Promise<Result> {
  const [first, ...others] = await findKeptMigrations(folder);
  if (!first) return ok('no release that failed has left migrations in the database');
  const more = others.length > 0 ? `, and those of ${counted(others.length, 'later release')} that failed` : '';
  return warning(`the database ${describeKept(first)}${more}`, wayBackOf(first));
}

/** Seconds by which the clock may differ: tokens and certificates have times. */
const mostSkew = 120;

async function checkClock({ settings }: Box): Promise<Result> {
  const before = Date.now();
  const response = await fetch(`${settings.controlPlaneUrl}/health`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => null,
  );
  const sent = Date.parse(response?.headers.get('date') ?? '');
  if (Number.isNaN(sent)) return warning('the clock could not be compared with the control plane’s', '');
  const now = (before + Date.now()) / 2;
  // The header has whole seconds.
  const skew = Math.round(Math.abs(now - sent - 500) / 1000);
  if (skew <= mostSkew) return ok('the clock agrees with the control plane’s');
  return problem(`the clock differs from the control plane’s by ${skew} s`, 'Set the clock, for example with chrony');
}

async function checkLicence({ folder, settings, signal }: Box): Promise<Result> {
  const { LICENSE_KEY: key } = await readSecrets(folder);
  if (!key) return warning('there is no licence key', `Run ${vendor} install --key-file <path> to update the box`);
  try {
    const { tier } = await activate(
      settings.controlPlaneUrl,
      { key, installationId: await readInstallationId(folder) },
      signal,
    );
    if (tier === settings.tier) return ok(`the licence is active: ${tier} tier`);
    return warning(`the licence is of the ${tier} tier now, and the box of ${settings.tier}`, `Run ${vendor} install`);
  } catch (error) {
    const { code, message, advice } = asFailure(error);
    if (code === 'interrupted') throw error;
    // A box that is installed serves its shoppers whatever becomes of its licence.
    return warning(message, advice);
  }
}

async function checkRegistry({ settings }: Box): Promise<Result> {
  const url = settings.registryUrl.replace(/\/+$/, '');
  const response = await fetch(`${url}/-/ping`, { signal: AbortSignal.timeout(10_000) }).catch((error) => error);
  if (response instanceof Response && response.ok) return ok('the registry is reachable');
  const reason =
    response instanceof Response ? `status ${response.status}` : (response.cause?.message ?? response.message);
  return warning(
    `the registry at ${url} is not reachable: ${reason}`,
    'Updates need it: check the network and the proxy',
  );
}

async function checkUpdate({ folder, settings, release, signal }: Box): Promise<Result> {
  const lock = release ? await readLock(releaseFolder(folder, release)) : undefined;
  const newest = await readRelease(settings.controlPlaneUrl, settings.channel, signal).catch((error) =>
    asFailure(error),
  );
  if (newest instanceof Failure) return warning(newest.message, newest.advice);
  const published = new Map(newest.packages.map(({ name, integrity }) => [name, integrity]));
  const old = Object.entries(lock?.packages ?? {}).filter(([name, { integrity }]) => {
    const other = published.get(name);
    return other !== undefined && other !== integrity;
  });
  if (old.length === 0) return ok(`the box is up to date (${newest.version})`);
  return warning(`release ${newest.version} changes ${counted(old.length, 'package')}`, `Run ${vendor} install`);
}
