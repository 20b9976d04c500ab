/**
 * Calling systemd's and the system's programs.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exists } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';

const run = promisify(execFile);

/** Where units of the machine's administrator are. */
export const unitFolder = '/etc/systemd/system';

/** Returns the path of a unit's file. @param name without `.service` */
export function unitPath(name: string): string {
  return join(unitFolder, `${name}.service`);
}

/** @throws Failure usage where systemd does not run */
export async function checkSystemd(): Promise<void> {
  // sd_booted(3)
  if (await exists('/run/systemd/system')) return;
  throw new Failure(
    'usage',
    'systemd does not run on this machine',
    `Let your service manager run "${vendor} start --foreground", or print a unit with "${vendor} service unit"`,
  );
}

/**
 * Runs a program of the system. @returns its standard output
 * @throws Failure unexpected with the program's own message
 */
export async function system(program: string, ...words: string[]): Promise<string> {
  try {
    return (await run(program, words, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' } })).stdout;
  } catch (error) {
    const { stderr, message, code } = error as Error & { stderr?: string; code?: unknown };
    if (code === 'ENOENT') throw new Failure('unexpected', `this machine has no ${program}`, `Install it`);
    throw new Failure('unexpected', `${program} ${words[0]}: ${stderr?.trim() || message}`, 'See the message');
  }
}

/** Returns properties of a unit; empty ones are left out. */
export async function readProperties(name: string, properties: readonly string[]): Promise<Record<string, string>> {
  const output = await system('systemctl', 'show', `${name}.service`, `--property=${properties.join(',')}`);
  const pairs = output.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string?]);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => Boolean(pair[1])));
}

/** Returns the name of the service that runs the box of a folder, if there is one. */
export async function findService(dir: string): Promise<string | undefined> {
  const files = await readdir(unitFolder).catch(() => []);
  for (const file of files.filter((each) => each.endsWith('.service')).toSorted()) {
    if (await isUnitOf(join(unitFolder, file), dir)) return file.slice(0, -'.service'.length);
  }
  return undefined;
}

/** Whether a unit runs the box of this folder. */
export async function isUnitOf(path: string, dir: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [, words = ''] = /^ExecStart=.* start --foreground --dir (.+) --health-timeout \d+$/m.exec(text) ?? [];
  return (
    words
      .replaceAll(/^"|"$/g, '')
      .replaceAll(/\\(["\\])/g, '$1')
      .replaceAll('%%', '%')
      .replaceAll('$$', '$') === dir
  );
}
