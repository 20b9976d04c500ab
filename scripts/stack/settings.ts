/**
 * Settings of the local stack, the secrets it keeps between starts, and the file that tells others where everything is.
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

export const help = `npm start -- [--tier basic|growth|enterprise]

Runs the real thing on this machine: control plane, gated registry with every package published to it, a licence key,
the installer activating it, pulling and starting a box, and a demo shop in it. Ctrl-C stops all of it.

  --tier <tier>   what the key entitles to (enterprise)
  --help          this text

Settings from the environment:
  CARTON_HOME          folder of all state (.carton)
  BOX_PORT             port of the box (3001)
  CONTROL_PLANE_PORT   port of the control plane (4000)
  REGISTRY_PORT        port of the registry (4873)

Exit codes: 0 stopped by SIGINT or SIGTERM, 1 could not start (one line says why), 2 wrong usage.`;

/** Wrong usage: one line, exit code 2. */
export class UsageError extends Error {}

/** @throws UsageError naming what is wrong; null when help was asked for */
export function readSettings(given: readonly string[], environment: NodeJS.ProcessEnv): StackSettings | null {
  let values: { tier?: string; help?: boolean };
  try {
    values = parseArgs({ args: [...given], options: { tier: { type: 'string' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (values.help) return null;
  const tier = (values.tier ?? 'enterprise') as Tier;
  if (!tiers.includes(tier)) throw new UsageError(`--tier is one of ${tiers.join(', ')}, not ${tier}`);
  const port = (name: string, usual: number) => {
    const number = Number(environment[name] || usual);
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

/** What the stack makes up at its first start and keeps. */
export interface StackSecrets {
  adminSecret: string;
  registrySecret: string;
  publishSecret: string;
  hostingSecret: string;
  operatorSecret: string;
  staff: { email: string; password: string };
  /** Token of the demo shop's first invite. */
  demoInvite?: string;
  /** Id of the demo shop once it is filled. */
  demoFilled?: string;
  /** Licence keys by tier, minted when first asked for. */
  licenseKeys: Partial<Record<Tier, string>>;
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** Reads the secrets of an earlier start, or makes them. */
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

/** Writes a file that only its owner may read, whole or not at all. */
export async function writePrivately(path: string, content: unknown): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
