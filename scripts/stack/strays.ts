/**
 * What an earlier stack left running when it was killed before it could stop its parts.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcesses, isAlive, silent, stop } from '@carton/installer';

/** Parts carry this variable with the stack's folder, by which a later stack finds them. */
export const stackVariable = 'STACK_HOME';

const longestStop = 30_000;

/** Stops parts of this folder whose stack is gone; those of a stack that lives are left alone. */
export async function stopStrays(home: string, say: (line: string) => void): Promise<void> {
  const parts = await findProcesses((commandLine) => commandLine.length > 1, `${stackVariable}=${home}`);
  const lost: typeof parts = [];
  for (const part of parts) if (!(await hasStack(part.pid))) lost.push(part);
  if (lost.length === 0) return;
  say(`stopping what an earlier stack left running (processes ${lost.map(({ pid }) => pid).join(', ')})`);
  for (const { pid } of lost) signal(pid, 'SIGTERM');
  const until = Date.now() + longestStop;
  for (const part of lost) {
    while ((await isAlive(part)) && Date.now() < until) await sleep(50);
    if (await isAlive(part)) signal(part.pid, 'SIGKILL');
  }
  // A box whose own parent was killed too.
  if (existsSync(join(home, 'box'))) await stop({ dir: join(home, 'box') }, silent);
}

/** Whether one of a process's ancestors is a stack. */
async function hasStack(pid: number): Promise<boolean> {
  for (let at = pid; at > 1; ) {
    const status = await readFile(`/proc/${at}/status`, 'utf8').catch(() => '');
    at = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    const commandLine = await readFile(`/proc/${at}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.split('\0').some((word) => word.endsWith('scripts/start.ts'))) return true;
  }
  return false;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
