/**
 * The `carton` command of the installer's rig, and what a box must be after each fault.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@carton/runtime/testing';
import { boxFolder } from '../../installer/box/folder.ts';
import { exitCodes } from '../../installer/exit-codes.ts';
import { variable, vendor as vendorName } from '../../installer/vendor.ts';
import { repository } from '../../tools/packages/sources.ts';
import { secrets } from '../support/box.ts';
import type { Stage } from '../support/rig.ts';
import type { RigVendor } from './vendor.ts';

const cli = fileURLToPath(new URL('../../installer/cli.ts', import.meta.url));

/** A line of `--json`, with the members that the rig reads. */
export interface Event {
  event: string;
  done?: number;
  error?: { code: string; message: string; advice: string; lost?: { orders: Record<string, string[]> } };
  result?: { release: string; running: boolean; healthy: boolean };
}

export interface Ended {
  /** Null after a signal. */
  status: number | null;
  events: Event[];
  stderr: string;
  milliseconds: number;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** A box that the rig installs again and again. */
export interface Installation {
  dir: string;
  url: string;
  /** Begins an install, or the command of these words. @param onEvent called with each event */
  begin(onEvent?: (event: Event) => void, words?: string[]): Running;
  install(): Promise<Ended>;
  run(...words: string[]): Promise<Ended>;
  /**
   * Says which of the allowed states the box is in, after a fault.
   * @returns what `status` says, as the name of its exit code
   */
  state(): Promise<string>;
  /** Returns what is wrong after an install that has finished: nothing half-made may remain. */
  faults(): Promise<string[]>;
}

/** Path of the binary that `npm run build:installer` builds in a checkout. */
export const binaryOf = (checkout: string) => join(checkout, 'dist', `${vendorName}-linux-${process.arch}`);

/**
 * @param vendor whose packages it pulls
 * @param options.prefix words before the command, such as those that enter a network namespace
 * @param options.binary another command than the one of the rig
 * @param options.port the port of the box; a free one by default
 */
export async function prepareInstallation(
  stage: Stage,
  vendor: Pick<RigVendor, 'url' | 'small'>,
  dir: string,
  { prefix = [], binary, port: chosen }: { prefix?: string[]; binary?: string; port?: number } = {},
): Promise<Installation> {
  const port = chosen ?? (await freePort());
  const file = binary ?? (stage.word('command') === 'binary' ? binaryOf(repository) : undefined);
  const program = file ? [file] : [process.execPath, '--conditions=workspace-source', cli];
  const begin = (words: string[], onEvent: (event: Event) => void = () => {}): Running => {
    const [file, ...rest] = [...prefix, ...program, ...words, '--json', '--dir', dir] as string[] as [
      string,
      ...string[],
    ];
    const started = performance.now();
    const child = spawn(file, rest, {
      env: {
        PATH: process.env.PATH,
        HOME: stage.folder,
        NODE_COMPILE_CACHE: join(stage.folder, 'compile-cache'),
        [variable('LICENSE_KEY')]: vendor.small.licenceKey,
        OPERATOR_SECRET: secrets.operatorSecret,
        HOSTING_SECRET: secrets.hostingSecret,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const events: Event[] = [];
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      const lines = (stdout + chunk).split('\n');
      stdout = lines.pop() as string;
      for (const line of lines) {
        const event = JSON.parse(line) as Event;
        events.push(event);
        onEvent(event);
      }
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => resolve({ status, events, stderr, milliseconds: performance.now() - started }));
    });
    return { child, ended };
  };
  const installWords = ['install', '--port', String(port), '--control-plane', vendor.url];
  const run = (...words: string[]) => begin(words).ended;
  return {
    dir,
    url: `http://127.0.0.1:${port}`,
    begin: (onEvent, words = installWords) => begin(words, onEvent),
    install: () => begin(installWords).ended,
    run,
    async state() {
      const { status, events } = await run('status');
      const [name] = Object.entries(exitCodes).find(([, each]) => each.status === status) ?? [`status ${status}`];
      if (events.length !== 1) throw new Error(`status printed ${events.length} events`);
      return name;
    },
    async faults() {
      const names = await readdir(dir);
      const releases = await readdir(boxFolder(dir).releases);
      return [
        ...names.filter((name) => name.endsWith('.new')),
        ...releases.filter((name) => !/^[0-9a-f]{16}$/.test(name)),
        ...(releases.length > 3 ? [`${releases.length} releases`] : []),
      ];
    },
  };
}

/** Returns what is wrong with the end of a command that must fail: one line, with this code and some advice. */
export function faultsOfFailure({ status, events, stderr }: Ended, code: keyof typeof exitCodes): string[] {
  const last = events.at(-1);
  const errors = events.filter(({ event }) => event === 'error');
  const faults: string[] = [];
  const { status: expected } = exitCodes[code];
  if (status !== expected) {
    faults.push(`ended with ${status}, not ${expected}: ${last?.error?.message ?? JSON.stringify(last)}`);
  }
  if (errors.length !== 1 || last?.event !== 'error') faults.push(`${errors.length} errors`);
  if (!last?.error?.advice) faults.push('no advice');
  if (stderr !== '') faults.push(`standard error: ${stderr.slice(0, 200)}`);
  return faults;
}

/** The message of a command that failed, for the rig's findings. */
export const messageOf = ({ events, stderr, status }: Ended) =>
  events.at(-1)?.error?.message ?? `status ${status}, ${stderr.slice(0, 300)}`;
