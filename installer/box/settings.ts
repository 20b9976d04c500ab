/**
 * The settings of a box: `box.json`, without secrets, and `box.env` (mode 0600), with secrets.
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
  /** The channel of releases; absent for the stable one of a box that an earlier version of the command has installed. */
  channel?: string;
  /** The vendor's version of the installed release; absent until an install has recorded it. */
  version?: string;
  /** The version that the box stays at, and the channel it follows in place of the licence's: `upgrade` sets both. */
  pinnedVersion?: string;
  chosenChannel?: string;
  /** How the box is registered at the control plane; absent until `deploy`. */
  deployment?: Deployment;
}

/** The registration of a box that `deploy` and `domains` repeat. */
export interface Deployment {
  name: string;
  /** Public https URL of the box. */
  url: string;
  /** Public https URL of the storefront. */
  storefrontUrl?: string;
  /** Whether HOSTING_SECRET is that of the website hosting layer: `due` is completed by the next `deploy`. */
  hostingSecret: 'due' | 'set' | 'unchanged';
}

/** The content of `box.env`, including lines added by the operator. All except the licence key are passed to the box. */
export interface BoxSecrets {
  LICENSE_KEY: string;
  OPERATOR_SECRET: string;
  HOSTING_SECRET: string;
  /** Encrypts the secrets of second factors. Absent if the operator of a database that several boxes share has set none. */
  SECOND_FACTOR_KEY?: string;
  /** Absent for the embedded database. */
  DATABASE_URL?: string;
  [name: string]: string | undefined;
}

/**
 * Reads `box.json`.
 * @returns undefined if it does not exist
 * @throws Failure usage when it is invalid
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
    throw new Failure('usage', `${folder.settings} is invalid: ${reason}`, 'Correct it or restore it from a backup');
  }
}

/** Reads `box.json` like `readSettings`. @throws Failure not_installed when no box is installed in the folder */
export async function requireSettings(folder: BoxFolder): Promise<BoxSettings> {
  const settings = await readSettings(folder);
  if (settings) return settings;
  throw new Failure(
    'not_installed',
    `no box is installed in ${folder.root}`,
    `Run install first, or specify the folder of the box with --dir or ${variable('BOX_DIR')}`,
  );
}

/** Reads `box.env`; the result is empty if it does not exist. */
export async function readSecrets(folder: BoxFolder): Promise<Partial<BoxSecrets>> {
  return parseEnv((await readIfPresent(folder.secrets)) ?? '') as Partial<BoxSecrets>;
}

/**
 * Checks that each line of `box.env` is a comment or sets a variable: another one would be ignored without a word.
 * @throws Failure usage with the number of the first wrong line, not its text, which may be a secret
 */
export async function checkSecrets(folder: BoxFolder): Promise<void> {
  const text = (await readIfPresent(folder.secrets)) ?? '';
  // Values in quotes may have several lines.
  const shortened = text.replace(/=\s*(["'`])[^"'`]*\1/g, (value) => `=${'\n'.repeat(value.split('\n').length - 1)}`);
  const wrong = shortened.split('\n').findIndex((line) => !/^\s*(#.*|(export\s+)?[A-Za-z_][\w.-]*\s*=.*)?$/.test(line));
  if (wrong === -1) return;
  throw new Failure(
    'usage',
    `line ${wrong + 1} of ${folder.secrets} is not NAME=value`,
    'Correct it, or put # before it',
  );
}

/**
 * Writes both files, secrets first: a box is installed once `box.json` exists. Of an existing `box.env` only the lines of
 * the four managed names change, and a missing key for second factors is added.
 */
export async function writeSettings(folder: BoxFolder, settings: BoxSettings, secrets: BoxSecrets): Promise<void> {
  const before = (await readIfPresent(folder.secrets)) ?? heading;
  await writeAtomically(folder.secrets, updateSecrets(before, secrets), 0o600);
  await writeBoxSettings(folder, settings);
}

/** Writes `box.json`. */
export async function writeBoxSettings(folder: BoxFolder, settings: BoxSettings): Promise<void> {
  await writeAtomically(folder.settings, `${JSON.stringify(settings, null, 2)}\n`);
}

/** Generates a secret of 256 random bits, in characters that are safe in URLs and shells. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a value is a port a box can listen on. */
export function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536;
}

const heading =
  '# Secrets of this box: do not share them. Lines added here set the box; "config list" names its settings.\n';
const managed = ['LICENSE_KEY', 'OPERATOR_SECRET', 'HOSTING_SECRET', 'DATABASE_URL'] as const;
/** Is added if it is missing, and never changed: the operator may have chosen it. */
const addedOnce = 'SECOND_FACTOR_KEY';

/**
 * Returns the text of `box.env` with new values of the managed names. This command, shells and systemd read the same
 * values from it.
 * @throws Failure usage for a value that cannot be quoted for all three
 */
export function updateSecrets(before: string, secrets: BoxSecrets): string {
  const sets = (line: string, name: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(line);
  const kept = before.split('\n').filter((line) => !managed.some((name) => sets(line, name)));
  while (kept.at(-1) === '') kept.pop();
  const names = kept.some((line) => sets(line, addedOnce)) ? managed : [addedOnce, ...managed];
  const written = names.flatMap((name) => (secrets[name] ? [`${name}=${quoteValue(name, secrets[name])}`] : []));
  return `${[...kept, ...written].join('\n')}\n`;
}

/** Returns a value as it is written in `box.env`. @throws Failure usage for a value that cannot be quoted */
export function quoteValue(name: string, value: string): string {
  if (/^[\w.:/@%+=,-]*$/.test(value)) return value;
  if (!/['\n\r\\]/.test(value)) return `'${value}'`;
  throw new Failure(
    'usage',
    `${name} contains a quote, a backslash or a line break`,
    'Percent-encode the character or choose another value',
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
