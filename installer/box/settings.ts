/**
 * What a box is set to: `box.json` for what anyone may read, `box.env` (mode 0600) for secrets.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { Failure } from '../failure.ts';
import { variable } from '../vendor.ts';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';

/** The content of `box.json`. */
export interface BoxSettings {
  controlPlaneUrl: string;
  registryUrl: string;
  /** Address the box listens on. */
  host: string;
  port: number;
  tier: string;
  customerId: string;
}

/** The content of `box.env`. Lines added by the operator are kept and given to the box like the others. */
export interface BoxSecrets {
  LICENSE_KEY: string;
  OPERATOR_SECRET: string;
  HOSTING_SECRET: string;
  /** Absent for the embedded database. */
  DATABASE_URL?: string;
  [name: string]: string | undefined;
}

/**
 * Reads `box.json`.
 * @returns undefined when there is none
 * @throws Failure usage when it cannot be understood
 */
export async function readSettings(folder: BoxFolder): Promise<BoxSettings | undefined> {
  const text = await readIfPresent(folder.settings);
  if (text === undefined) return undefined;
  try {
    const settings = JSON.parse(text) as BoxSettings;
    if (typeof settings.host !== 'string' || !isPort(settings.port)) throw new Error('host or port is missing');
    return settings;
  } catch (error) {
    const reason = (error as Error).message;
    throw new Failure('usage', `${folder.settings} cannot be understood: ${reason}`, 'Mend it, or run install again');
  }
}

/** Like `readSettings`. @throws Failure not_installed when no box is in the folder */
export async function requireSettings(folder: BoxFolder): Promise<BoxSettings> {
  const settings = await readSettings(folder);
  if (settings) return settings;
  throw new Failure(
    'not_installed',
    `no box is installed in ${folder.root}`,
    `Run install first, or name the box's folder with --dir or ${variable('BOX_DIR')}`,
  );
}

/** Reads `box.env`; empty when there is none. */
export async function readSecrets(folder: BoxFolder): Promise<Partial<BoxSecrets>> {
  return parseEnv((await readIfPresent(folder.secrets)) ?? '') as Partial<BoxSecrets>;
}

/**
 * Writes both files, secrets first: a box is installed once `box.json` is there. A `box.env` that exists keeps all of
 * its lines but those of the four names this command manages.
 */
export async function writeSettings(folder: BoxFolder, settings: BoxSettings, secrets: BoxSecrets): Promise<void> {
  const before = (await readIfPresent(folder.secrets)) ?? heading;
  await writeAtomically(folder.secrets, updateSecrets(before, secrets), 0o600);
  await writeAtomically(folder.settings, `${JSON.stringify(settings, null, 2)}\n`);
}

/** A fresh secret: 256 random bits, safe in URLs and shells. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a value is a port a box can listen on. */
export function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536;
}

const heading =
  '# Secrets of this box: keep them to yourself. Lines added here are given to the box as its environment.\n';
const managed = ['LICENSE_KEY', 'OPERATOR_SECRET', 'HOSTING_SECRET', 'DATABASE_URL'] as const;

/**
 * The text of `box.env` with other values for the managed names, read alike by this command, by shells and by systemd.
 * @throws Failure usage for a value that no quoting lets all three read alike
 */
export function updateSecrets(before: string, secrets: BoxSecrets): string {
  const isManaged = (line: string) => managed.some((name) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(line));
  const kept = before.split('\n').filter((line) => !isManaged(line));
  while (kept.at(-1) === '') kept.pop();
  const written = managed.flatMap((name) => (secrets[name] ? [`${name}=${quote(name, secrets[name])}`] : []));
  return `${[...kept, ...written].join('\n')}\n`;
}

function quote(name: string, value: string): string {
  if (/^[\w.:/@%+=,-]*$/.test(value)) return value;
  if (!/['\n\r\\]/.test(value)) return `'${value}'`;
  throw new Failure(
    'usage',
    `${name} holds a quote, a backslash or a line break`,
    'Percent-encode it, or choose another',
  );
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
