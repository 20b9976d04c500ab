/**
 * Settings of the local stack, its secrets, which it keeps between starts, and the file with its addresses.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Tier, tiers } from '@carton/runtime';

export interface StackSettings {
  home: string;
  tier: Tier;
  ports: { box: number; controlPlane: number; registry: number };
}

export const help = `Usage: npm start -- [--tier basic|growth|enterprise]

Runs everything on this machine: the control plane, the gated registry with every package published to it, and a box
with a demo store, which the installer activates with a new licence key and pulls from the registry. Ctrl-C stops it.

  --tier <tier>   tier of the licence key (enterprise)
  --help          this text

Settings from the environment:
  CARTON_HOME          folder of all state (.carton)
  BOX_PORT             port of the box (3001)
  CONTROL_PLANE_PORT   port of the control plane (4000)
  REGISTRY_PORT        port of the registry (4873)

Exit codes: 0 stopped by SIGINT or SIGTERM, 1 could not start (with a message), 2 wrong usage.`;

/** Wrong usage: one line, exit code 2. */
export class UsageError extends Error {}

/** Returns null if help was requested. @throws UsageError that names the wrong setting */
export function readSettings(parameters: readonly string[], environment: NodeJS.ProcessEnv): StackSettings | null {
  let values: { tier?: string; help?: boolean };
  try {
    values = parseArgs({
      args: [...parameters],
      options: { tier: { type: 'string' }, help: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (values.help) return null;
  const tier = (values.tier ?? 'enterprise') as Tier;
  if (!tiers.includes(tier)) throw new UsageError(`--tier is one of ${tiers.join(', ')}, not ${tier}`);
  const port = (name: string, defaultPort: number) => {
    const number = Number(environment[name] || defaultPort);
    if (!Number.isInteger(number) || number < 1 || number > 65535)
      throw new UsageError(`${name} is not a port: ${environment[name]}`);
    return number;
  };
  return {
    home: resolve(environment.CARTON_HOME || '.carton'),
    tier,
    ports: {
      box: port('BOX_PORT', 3001),
      controlPlane: port('CONTROL_PLANE_PORT', 4000),
      registry: port('REGISTRY_PORT', 4873),
    },
  };
}

/** Secrets that the stack generates at its first start and keeps. */
export interface StackSecrets {
  adminSecret: string;
  registrySecret: string;
  publishSecret: string;
  hostingSecret: string;
  operatorSecret: string;
  staff: { email: string; password: string };
  /** Token of the demo store's first invite. */
  demoInvite?: string;
  /** Id of the demo store once it is filled. */
  demoFilled?: string;
  /** Licence keys by tier, minted when first needed. */
  licenseKeys: Partial<Record<Tier, string>>;
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** Reads the secrets of an earlier start, or generates them. */
export async function loadSecrets(home: string): Promise<StackSecrets> {
  const text = await readFile(secretsFile(home), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text !== null) return JSON.parse(text);
  const secrets: StackSecrets = {
    adminSecret: newSecret(),
    registrySecret: newSecret(),
    publishSecret: newSecret(),
    hostingSecret: newSecret(),
    operatorSecret: newSecret(),
    staff: { email: 'owner@demo.example', password: newSecret() },
    licenseKeys: {},
  };
  await saveSecrets(home, secrets);
  return secrets;
}

export function saveSecrets(home: string, secrets: StackSecrets): Promise<void> {
  return writePrivately(secretsFile(home), secrets);
}

function secretsFile(home: string): string {
  return join(home, 'secrets.json');
}

/** Writes a file that only its owner may read, atomically. */
export async function writePrivately(path: string, content: unknown): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
