/**
 * What an install is told, and how that joins with what the folder's box is set to already: an option given now comes
 * first, then what was set before, then the default.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Launch } from '../box/launch.ts';
import { type BoxSecrets, type BoxSettings, generateSecret, isPort } from '../box/settings.ts';
import { isHttpUrl } from '../control-plane.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { variable } from '../vendor.ts';

/** Options of `install`. All but `dir` may be left out. */
export interface InstallOptions {
  /** The box's folder. */
  dir: string;
  /** The licence key; without it the one of the installed box, then `askForKey`. */
  licenseKey?: string;
  /** Asks a person for the key; given only where one can answer. */
  askForKey?: () => Promise<string>;
  controlPlaneUrl?: string;
  /** Address the box listens on; 127.0.0.1 at first. */
  host?: string;
  /** Port it listens on; 3001 at first. */
  port?: number;
  /** A PostgreSQL of the operator's, for this install whatever was used before. */
  databaseUrl?: string;
  /** The same for a new box only: a variable that happens to be set must not move a box to another database. */
  databaseUrlOfNewBox?: string;
  operatorSecret?: string;
  hostingSecret?: string;
  /** False lays the release out and switches to it without starting anything. */
  start?: boolean;
  /** How long the box may take until it answers, in seconds; 120 unless given. */
  healthSeconds?: number;
  /** How long a running box may take to stop, in seconds; 30 and its DRAIN_SECONDS unless given. */
  stopSeconds?: number;
  /** Bytes that must stay free on disk after the pull (preflight.ts says how many unless given). */
  spareBytes?: number;
  /** Stops the install; it cleans up and ends as `interrupted`. */
  signal?: AbortSignal;
}

const defaults = { controlPlaneUrl: 'http://127.0.0.1:4000', host: '127.0.0.1', port: 3001 };

/** @throws Failure usage for an address or port that cannot be one */
export function chooseSettings(
  options: InstallOptions,
  before: BoxSettings | undefined,
): Pick<BoxSettings, 'controlPlaneUrl' | 'host' | 'port'> {
  const chosen = {
    controlPlaneUrl: options.controlPlaneUrl ?? before?.controlPlaneUrl ?? defaults.controlPlaneUrl,
    host: options.host ?? before?.host ?? defaults.host,
    port: options.port ?? before?.port ?? defaults.port,
  };
  if (!isHttpUrl(chosen.controlPlaneUrl)) {
    throw new Failure(
      'usage',
      `${chosen.controlPlaneUrl} is not an http address`,
      'Give one such as https://control.example',
    );
  }
  if (!isPort(chosen.port)) throw new Failure('usage', `${chosen.port} is not a port`, 'Give a number from 1 to 65535');
  return chosen;
}

/** @throws Failure usage when there is none and nobody to ask */
export async function chooseKey(options: InstallOptions, before: Partial<BoxSecrets>): Promise<string> {
  const key = (options.licenseKey ?? before.LICENSE_KEY ?? (await options.askForKey?.()))?.trim();
  if (key) return key;
  throw new Failure(
    'usage',
    'there is no licence key',
    `Put it into a file and give --key-file <path>, or set ${variable('LICENSE_KEY')}`,
  );
}

/** Secrets already there are kept, lines the operator added included; those missing are made. */
export function chooseSecrets(
  options: InstallOptions,
  before: { settings?: BoxSettings; secrets: Partial<BoxSecrets> },
  key: string,
  output: Output,
): BoxSecrets {
  const { settings, secrets } = before;
  const ofNewBox = options.databaseUrlOfNewBox;
  if (settings && ofNewBox && ofNewBox !== secrets.DATABASE_URL && !options.databaseUrl) {
    output.warn(
      'DATABASE_URL in the environment is not used: this box has its database (--database-url-file changes it)',
    );
  }
  const databaseUrl = options.databaseUrl ?? (settings ? secrets.DATABASE_URL : ofNewBox);
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new Failure('usage', 'the database address does not begin with postgres://', 'Give a PostgreSQL address');
  }
  const chosen: BoxSecrets = {
    ...secrets,
    LICENSE_KEY: key,
    OPERATOR_SECRET: options.operatorSecret || secrets.OPERATOR_SECRET || generateSecret(),
    HOSTING_SECRET: options.hostingSecret || secrets.HOSTING_SECRET || generateSecret(),
  };
  if (databaseUrl === undefined) delete chosen.DATABASE_URL;
  else chosen.DATABASE_URL = databaseUrl;
  return chosen;
}

/** Whether a box started the one way is the box started the other way. The licence key is not given to a box. */
export function isSameLaunch(one: Launch, other: Launch): boolean {
  const relevant = ({ secrets: { LICENSE_KEY: _key, ...secrets }, ...rest }: Launch) => ({ ...rest, secrets });
  return isDeepStrictEqual(relevant(one), relevant(other));
}
