/**
 * What a stack is: its folder, ports and secrets, in a file that only its owner can read, so that it can be started again.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { freePort } from '@carton/runtime/testing';

const portNames = [
  'controlPlane',
  'registry',
  'hosting',
  'hostingNames',
  'box',
  'sourceBox',
  'mailOfBox',
  'mailOfSourceBox',
  'mailControl',
  'dns',
] as const;
const secretNames = ['admin', 'registry', 'publish', 'hosting', 'proxy', 'metrics'] as const;

export interface StackSettings {
  folder: string;
  ports: Record<(typeof portNames)[number], number>;
  secrets: Record<(typeof secretNames)[number], string>;
  /** Of the customer, for the highest tier. */
  licenceKey: string;
}

/** Creates the folder and chooses ports and secrets. */
export async function newStackSettings(path: string): Promise<StackSettings> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true });
  // PostgreSQL, which does not run as root, has its data below.
  await chmod(folder, 0o711);
  const ports: Record<string, number> = {};
  for (const name of portNames) ports[name] = await freePort();
  const secrets = Object.fromEntries(secretNames.map((name) => [name, randomBytes(24).toString('base64url')]));
  return {
    folder,
    ports: ports as StackSettings['ports'],
    secrets: secrets as StackSettings['secrets'],
    licenceKey: '',
  };
}

export async function saveStackSettings(settings: StackSettings): Promise<void> {
  await writeFile(fileIn(settings.folder), `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
}

/** @throws Error if no stack was completed in the folder */
export async function readStackSettings(path: string): Promise<StackSettings> {
  const folder = resolve(path);
  const text = await readFile(fileIn(folder), 'utf8').catch(() => {
    throw new Error(`no stack is in ${folder}: make one with --keep ${folder}`);
  });
  return JSON.parse(text) as StackSettings;
}

function fileIn(folder: string): string {
  return join(folder, 'stack.json');
}

/** The folder of the vendor's services. */
export function servicesFolder({ folder }: Pick<StackSettings, 'folder'>): string {
  return join(folder, 'services');
}

/** The folder of the box that the binary installs. */
export function boxFolder({ folder }: Pick<StackSettings, 'folder'>): string {
  return join(folder, 'machine', 'box');
}

export function logFile({ folder }: Pick<StackSettings, 'folder'>, name: string): string {
  return join(folder, 'logs', `${name}.log`);
}

export function localUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** The settings of the installed box, secrets included. */
export async function readBoxEnvironment(settings: Pick<StackSettings, 'folder'>): Promise<Record<string, string>> {
  return parseEnv(await readFile(join(boxFolder(settings), 'box.env'), 'utf8')) as Record<string, string>;
}
