/**
 * `support-bundle`: one file with what the vendor needs to find a fault, without secrets and personal data. It works on a
 * box that is broken or stopped: what cannot be collected is listed with its reason.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BoxFolder, boxFolder, exists, packagesFolder, releaseFolder } from '../../box/folder.ts';
import { earlierLog } from '../../box/log-rotation.ts';
import { findRunningBox } from '../../box/running.ts';
import { readSecrets } from '../../box/settings.ts';
import { asFailure, Failure } from '../../failure.ts';
import { currentRelease } from '../../release/layout.ts';
import { readLock } from '../../release/lock-file.ts';
import { lockFileName, vendor, version } from '../../vendor.ts';
import { listSettings, maskSetting } from '../config/config.ts';
import { doctor, type Finding } from '../doctor/doctor.ts';
import { status } from '../status/status.ts';
import { writeArchive } from './archive.ts';
import { listFolder, listMigrations, machineFacts, processFacts, tailOf } from './facts.ts';
import { redactorOf, redactStatements } from './redaction.ts';

/** Options of `support-bundle`. */
export interface SupportBundleOptions {
  /** The box's folder. */
  dir: string;
  /** The file to write; in the working folder by default. */
  output?: string | undefined;
  /** Whether to leave out the checks that need the network. */
  offline?: boolean | undefined;
  signal?: AbortSignal;
}

export interface SupportBundleResult {
  path: string;
  bytes: number;
  files: { path: string; bytes: number }[];
  /** What could not be collected, and why. */
  missing: { path: string; reason: string }[];
}

/** Bytes of the end of each log. */
const logBytes = 2_000_000;

/** @throws Failure not_installed if there is no trace of a box in the folder; usage, folder_unusable, disk_full */
export async function supportBundle(options: SupportBundleOptions): Promise<SupportBundleResult> {
  const folder = boxFolder(options.dir);
  const traces = [folder.settings, folder.secrets, folder.releases, folder.logs];
  if (!(await Promise.all(traces.map(exists))).includes(true)) {
    throw new Failure('not_installed', `there is no box in ${folder.root}`, 'Specify its folder with --dir');
  }
  const redact = redactorOf(await knownSecrets(folder));
  const files: { path: string; text: string }[] = [];
  const missing: SupportBundleResult['missing'] = [];
  for (const [path, collect] of Object.entries(parts)) {
    try {
      const content = await collect(folder, options);
      if (content === undefined) continue;
      const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
      files.push({ path, text: redact(text) });
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code === 'interrupted') throw failure;
      missing.push({ path, reason: redact(failure.message) });
    }
  }
  if (missing.length > 0) files.push({ path: 'missing.json', text: `${JSON.stringify(missing, null, 2)}\n` });
  const name = `${vendor}-support-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const path = resolve(options.output ?? `${name}.tar.gz`);
  const bytes = await writeArchive(path, name, files);
  return {
    path,
    bytes,
    files: files.map((file) => ({ path: file.path, bytes: Buffer.byteLength(file.text) })),
    missing,
  };
}

type Collect = (folder: BoxFolder, options: SupportBundleOptions) => Promise<object | string | undefined>;

const parts: Record<string, Collect> = {
  'versions.json': async (folder) => ({
    command: version,
    node: process.version,
    v8: process.versions.v8,
    openssl: process.versions.openssl,
    currentRelease: await currentRelease(folder),
    runningRelease: (await findRunningBox(folder))?.release,
  }),
  'status.json': (folder) => status({ dir: folder.root }),
  'doctor.json': async (folder, { offline, signal }) => {
    const findings: Finding[] = [];
    await doctor({ dir: folder.root, ...(offline && { offline }), ...(signal && { signal }) }, (finding) => {
      findings.push(finding);
    });
    return findings;
  },
  'settings.json': async (folder) => (await listSettings(folder.root)).map(maskSetting),
  // Its names alone: a release that is damaged cannot say which of them are secrets.
  'names-in-box.env.json': async (folder) => Object.keys(await readSecrets(folder)),
  'box.json': (folder) => readFile(folder.settings, 'utf8'),
  [lockFileName]: async (folder) => {
    const release = await currentRelease(folder);
    return release && (await readLock(releaseFolder(folder, release)));
  },
  'migrations.json': async (folder) => {
    const release = await currentRelease(folder);
    return release && listMigrations(packagesFolder(releaseFolder(folder, release)));
  },
  'machine.json': machineFacts,
  'process.json': async (folder) => processFacts(await findRunningBox(folder)),
  'folder.txt': listFolder,
  'logs/box.log': (folder) => tailOf(folder.log, logBytes),
  'logs/box.log.1': (folder) => tailOf(earlierLog(folder.log, 1), logBytes),
  'logs/postgresql.log': async (folder) => {
    const text = await tailOf(join(await databaseHome(folder), 'postgresql.log'), logBytes);
    return text && redactStatements(text);
  },
};

/** All values of box.env except those of settings that are declared as no secrets, and what the files they name contain. */
async function knownSecrets(folder: BoxFolder): Promise<string[]> {
  const values = await readSecrets(folder).catch(() => ({}));
  const shown = await listSettings(folder.root).then(
    (settings) => new Set(settings.filter(({ secret }) => !secret).map(({ name }) => name)),
    () => new Set<string>(),
  );
  const ofEnvironment = Object.entries(process.env).filter(([name]) => /SECRET|PASSWORD|TOKEN|KEY|_URL/.test(name));
  const found: string[] = [await readFile(join(await databaseHome(folder), 'password'), 'utf8').catch(() => '')];
  for (const [name, value] of [...Object.entries<string | undefined>(values), ...ofEnvironment]) {
    if (!value) continue;
    if (value.startsWith('/')) found.push(...(await secretsIn(value)), ...(await secretOf(name, value)));
    else if (!shown.has(name)) found.push(value, ...value.split(/\s*\n\s*/));
  }
  return found;
}

/** The folder of the embedded database, which is elsewhere if its user cannot enter that of the box. */
async function databaseHome(folder: BoxFolder): Promise<string> {
  const usual = join(folder.data, 'postgresql');
  const location = await readFile(join(usual, 'location'), 'utf8').catch(() => '');
  return location.trim() || usual;
}

/** The secret in a file that a variable such as BACKUP_S3_SECRET_ACCESS_KEY_FILE names. */
async function secretOf(name: string, path: string): Promise<string[]> {
  if (!name.endsWith('_FILE')) return [];
  const text = (await readFile(path, 'utf8').catch(() => '')).trim();
  return text.length < 10_000 ? [text] : [];
}

/** The texts in a JSON file, such as that of STRIPE_ACCOUNTS. */
async function secretsIn(path: string): Promise<string[]> {
  try {
    const found: string[] = [];
    JSON.parse(await readFile(path, 'utf8'), (_name, value) => {
      if (typeof value === 'string') found.push(value, ...value.split(/\s*\n\s*/));
      return value;
    });
    return found.filter((text) => text.length >= 8);
  } catch {
    return [];
  }
}
