/**
 * The operator of a journey: gives commands on a bare system, which go into the transcript. A command with another exit
 * status than expected, and whatever else is not as promised, is a broken promise.
 */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchHealthStatus } from '../../installer/box/health.ts';
import type { Stage } from '../support/rig.ts';
import { root, type System, type User } from './system.ts';
import type { Transcript } from './transcript.ts';

const healthTimeout = 180_000;

export interface Operator {
  readonly broken: string[];
  /** Runs a command line and records it. @returns its output */
  run(line: string, options?: { user?: User; status?: number }): Promise<string>;
  /** Runs what prepares the system, without a record. @throws Error if it fails */
  prepare(line: string): Promise<void>;
  /** Adds a sentence to the transcript. */
  tell(text: string): void;
  /** Records a broken promise unless it holds. */
  expect(holds: boolean, otherwise: string): void;
  /** Waits until the box is healthy, in another process than the former one. @returns the milliseconds, or null */
  untilHealthy(former?: string): Promise<number | null>;
  /** Process id of the box, as the system sees it; empty if it has none. */
  pid(): Promise<string>;
}

export interface OperatorOptions {
  system: System;
  /** Who gives the commands, unless they name another user. */
  user: User;
  /** The folder of the box. */
  dir: string;
  url: string;
  transcript: Transcript;
}

export function newOperator(stage: Stage, { system, user, dir, url, transcript }: OperatorOptions): Operator {
  const broken: string[] = [];
  const operator: Operator = {
    broken,
    async run(line, { user: other = user, status = 0 } = {}) {
      const ended = await system.run(line, other);
      transcript.command(line, other, ended);
      stage.say(`${other.uid === 0 ? '#' : '$'} ${line}`);
      for (const text of ended.output.trimEnd().split('\n'))
        if (!/^pulled |^reused /.test(text)) stage.say(`  ${text}`);
      stage.say(`  [${(ended.milliseconds / 1000).toFixed(1)} s]`);
      stage.signal.throwIfAborted();
      operator.expect(ended.status === status, `${line}: exit status ${ended.status}, ${lastLine(ended.output)}`);
      return ended.output;
    },
    async prepare(line) {
      const { status, output } = await system.run(line);
      if (status !== 0) throw new Error(`${line}: ${output}`);
    },
    tell(text) {
      transcript.remark(text);
      stage.say(text);
    },
    expect(holds, otherwise) {
      if (holds) return;
      broken.push(otherwise);
      stage.say(`BROKEN: ${otherwise}`);
    },
    async untilHealthy(former) {
      const started = performance.now();
      while (performance.now() - started < healthTimeout) {
        stage.signal.throwIfAborted();
        if ((await fetchHealthStatus(url)) === 200 && (await operator.pid()) !== former) {
          return performance.now() - started;
        }
        await sleep(100);
      }
      operator.expect(false, `the box was not healthy within ${healthTimeout / 1000} s`);
      return null;
    },
    async pid() {
      const text = await readFile(join(system.root(), dir, 'run/box.pid'), 'utf8').catch(() => '');
      return text.split('\n')[0] as string;
    },
  };
  return operator;
}

/** Copies the binary and the licence key into a system; creates its ordinary user. */
export async function equip(
  operator: Operator,
  { folder }: System,
  { binary, name, key, user }: { binary: string; name: string; key: string; user: User },
): Promise<void> {
  await copyFile(binary, join(folder, 'usr/local/bin', name));
  await operator.prepare(`chmod 755 /usr/local/bin/${name}`);
  if (user !== root) await operator.prepare(`useradd --create-home --uid ${user.uid} ${user.name}`);
  await writeFile(join(folder, user.home, 'licence.txt'), `${key}\n`, { mode: 0o600 });
  await operator.prepare(`chown ${user.uid}:${user.gid} ${user.home}/licence.txt`);
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);
