/**
 * The options of an install and how they combine with the settings of an installed box: an option takes precedence over
 * an existing setting, and that over the default.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Launch } from '../../box/environment.ts';
import { type BoxSecrets, type BoxSettings, generateSecret, isPort } from '../../box/settings.ts';
import { Failure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import type { Patience } from '../../pull/registry.ts';
import type { PackageKey } from '../../pull/release-signature.ts';
import { readServiceUrl } from '../../service-urls.ts';
import { variable } from '../../vendor.ts';

/** Options of `install`. */
export interface InstallOptions {
  /** The box's folder. */
  dir: string;
  /** The licence key; by default the installed box's key, then the result of `askForKey`. */
  licenseKey?: string;
  /** Prompts for the key; set only if the command is interactive. */
  askForKey?: () => Promise<string>;
  controlPlaneUrl?: string;
  /** Address the box listens on; 127.0.0.1 for a new box. */
  host?: string;
  /** Port the box listens on; 3001 for a new box. */
  port?: number;
  /** URL of the operator's own PostgreSQL; moves an installed box to this database. */
  databaseUrl?: string;
  /** The same for a new box only: an environment variable must not move an installed box to another database. */
  databaseUrlOfNewBox?: string;
  operatorSecret?: string;
  hostingSecret?: string;
  /** False lays out the release and makes it current without starting the box. */
  start?: boolean;
  /** The version of a release: the box then stays at it. */
  version?: string;
  /** The channel to follow in place of the licence's. */
  channel?: string;
  /** Whether the box follows the newest release of the licence's channel again. */
  unpin?: boolean;
  /** Whether the operator has a backup of a database of their own, so that none is taken before migrations. */
  ownBackup?: boolean;
  /** Whether versions that the vendor has yanked are installed. */
  allowYanked?: boolean;
  /** The vendor's public keys, which verify the release; those of this build by default. An empty list verifies nothing. */
  packageKeys?: readonly PackageKey[];
  /** How long to wait until the box is healthy, in seconds; 120 by default. */
  healthSeconds?: number;
  /** How long to wait until a running box has stopped, in seconds; 30 plus its DRAIN_SECONDS by default. */
  stopSeconds?: number;
  /** How patient the install is with the registry; pull/registry.ts has the defaults. */
  patience?: Partial<Patience>;
  /** Bytes that must stay free on disk after the pull; preflight.ts has the defaults. */
  spareBytes?: number;
  /** Aborts the install, which cleans up and fails with `interrupted`. */
  signal?: AbortSignal;
}

const defaults = { controlPlaneUrl: 'http://127.0.0.1:4000', host: '127.0.0.1', port: 3001 };

/** @throws Failure usage for an invalid URL or port */
export function chooseSettings(
  options: InstallOptions,
  before: BoxSettings | undefined,
): Pick<BoxSettings, 'controlPlaneUrl' | 'host' | 'port'> {
  const chosen = {
    controlPlaneUrl: readServiceUrl(
      options.controlPlaneUrl ?? before?.controlPlaneUrl ?? defaults.controlPlaneUrl,
      'the control plane',
    ),
    host: options.host ?? before?.host ?? defaults.host,
    port: options.port ?? before?.port ?? defaults.port,
  };
  if (!isPort(chosen.port)) throw new Failure('usage', `${chosen.port} is not a port`, 'Use a number from 1 to 65535');
  return chosen;
}

/** @throws Failure usage when no key is specified and the command is not interactive */
export async function chooseKey(options: InstallOptions, before: Partial<BoxSecrets>): Promise<string> {
  const key = (options.licenseKey ?? before.LICENSE_KEY ?? (await options.askForKey?.()))?.trim();
  if (key) return key;
  throw new Failure(
    'usage',
    'no licence key specified',
    `Save the key in a file and use --key-file <path>, or set ${variable('LICENSE_KEY')}`,
  );
}

/** Keeps existing secrets, including lines added by the operator, and generates missing ones. */
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
      'DATABASE_URL of the environment is ignored: this box already has a database (--database-url-file changes it)',
    );
  }
  // A box that was uninstalled has left its secrets, and goes on with its database.
  const databaseUrl = options.databaseUrl ?? (settings ? secrets.DATABASE_URL : (ofNewBox ?? secrets.DATABASE_URL));
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new Failure(
      'usage',
      'the database URL does not start with postgres://',
      'Use the URL of a PostgreSQL database',
    );
  }
  const chosen: BoxSecrets = {
    ...secrets,
    LICENSE_KEY: key,
    OPERATOR_SECRET: options.operatorSecret || secrets.OPERATOR_SECRET || generateSecret(),
    HOSTING_SECRET: options.hostingSecret || secrets.HOSTING_SECRET || generateSecret(),
  };
  if (databaseUrl === undefined) {
    delete chosen.DATABASE_URL;
    // Boxes that share a database need the same key, so there it is the operator's to choose.
    chosen.SECOND_FACTOR_KEY ??= generateSecret();
  } else chosen.DATABASE_URL = databaseUrl;
  return chosen;
}

/** Whether two launches start the same box. The licence key does not count: a box does not receive it. */
export function isSameLaunch(one: Launch, other: Launch): boolean {
  const relevant = ({ secrets: { LICENSE_KEY: _key, ...secrets }, ...rest }: Launch) => ({ ...rest, secrets });
  return isDeepStrictEqual(relevant(one), relevant(other));
}
