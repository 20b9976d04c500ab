/**
 * Stops parts that an earlier stack left running because it was killed.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcesses, isAlive, silent, stop } from '@carton/installer';

/** Environment variable of each part with the stack's folder, by which a later stack finds it. */
export const stackVariable = 'STACK_HOME';

const stopTimeout = 30_000;

/** Stops the parts of this folder whose stack has died, and not those of a running stack. */
export async function stopOrphanedParts(home: string, say: (line: string) => void): Promise<void> {
  const parts = await findProcesses((commandLine) => commandLine.length > 1, `${stackVariable}=${home}`);
  const orphaned: typeof parts = [];
  for (const part of parts) if (!(await hasStack(part.pid))) orphaned.push(part);
  if (orphaned.length === 0) return;
  say(`stopping processes that an earlier stack left running (${orphaned.map(({ pid }) => pid).join(', ')})`);
  for (const { pid } of orphaned) signal(pid, 'SIGTERM');
  const until = Date.now() + stopTimeout;
  for (const part of orphaned) {
    while ((await isAlive(part)) && Date.now() < until) await sleep(50);
    if (await isAlive(part)) signal(part.pid, 'SIGKILL');
  }
  // The parent of the box may have been killed too.
  if (existsSync(join(home, 'box'))) await stop({ dir: join(home, 'box') }, silent);
}

/** Returns whether an ancestor of the process is a stack. */
async function hasStack(pid: number): Promise<boolean> {
  for (let at = pid; at > 1; ) {
    const status = await readFile(`/proc/${at}/status`, 'utf8').catch(() => '');
    at = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    const commandLine = await readFile(`/proc/${at}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.split('\0').some((word) => word.endsWith('scripts/commands/start.ts'))) return true;
  }
  return false;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has exited already.
  }
}
