/**
 * Programs that a rig starts as processes of their own, each with a log in the rig's folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Stage } from './rig.ts';

export interface Program {
  child: ChildProcess;
  ended: Promise<unknown>;
  /** The file of its output. */
  log: string;
}

/** Words of the command line of this Node that run a file of the control plane's folder. */
export const controlPlaneProgram = (path: string) => ['--conditions=workspace-source', controlPlaneFile(path)];

export const controlPlaneFile = (path: string) =>
  fileURLToPath(new URL(`../../control-plane/${path}`, import.meta.url));

/** Starts a program that is stopped when the rig ends; its output is added to `<name>.log`. */
export function startProgram(
  stage: Stage,
  name: string,
  command: { program: string; words: string[]; environment: Record<string, string> },
): Program {
  const log = join(stage.folder, `${name}.log`);
  const output = openSync(log, 'a');
  const child = spawn(command.program, command.words, {
    env: { PATH: process.env.PATH, HOME: stage.folder, ...command.environment },
    stdio: ['ignore', output, output],
    detached: true,
  });
  const ended = once(child, 'exit');
  stage.atEnd(name, async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return { child, ended, log };
}

/**
 * Waits until a program responds, with any status but 503.
 * @throws Error if it exits before
 */
export async function untilResponds(stage: Stage, { child, log }: Program, url: string): Promise<void> {
  for (;;) {
    stage.signal.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`a process has exited: see ${log} (--keep)`);
    const status = await fetch(url, { redirect: 'manual' }).then(
      (response) => response.status,
      () => null,
    );
    if (status !== null && status !== 503) return;
    await sleep(50);
  }
}
