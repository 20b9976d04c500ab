/**
 * The launch queue (`run/next.json`): what the supervisor starts when its box exits. A command writes it before it stops
 * the box for an upgrade: the new release, then the old one in case the new one fails. An empty queue means that nothing
 * is to be started, whatever the exit status of the box: `stop` writes it. A holder in the queue is a command that works
 * while no box runs.
 */
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Launch } from './environment.ts';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';
import { isAlive, type ProcessIdentity } from './process-table.ts';

const pollMilliseconds = 50;

/** A launch, or a process on which the supervisor waits: it writes another queue. */
export type QueueEntry = Launch | { holder: { pid: number; identity: ProcessIdentity } };

/** Writes the launch queue: the supervisor takes the next entry each time its box exits. */
export async function writeLaunchQueue(folder: BoxFolder, launches: readonly QueueEntry[]): Promise<void> {
  await writeAtomically(folder.launchQueue, JSON.stringify(launches), 0o600);
}

/** Removes the launch queue. */
export async function removeLaunchQueue(folder: BoxFolder): Promise<void> {
  await rm(folder.launchQueue, { force: true });
}

/**
 * Removes the first launch from the queue and returns it; `nothing` for an empty queue, undefined if there is none.
 * @param isOver ends the wait for a holder
 */
export async function takeNextLaunch(
  folder: BoxFolder,
  isOver: () => boolean,
): Promise<Launch | 'nothing' | undefined> {
  const text = await readFile(folder.launchQueue, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [next = 'nothing', ...rest] = JSON.parse(text) as QueueEntry[];
  if (next !== 'nothing' && 'holder' in next) {
    // A holder that was killed leaves the data to the next command.
    if (!(await isAlive(next.holder))) return 'nothing';
    if (isOver()) return undefined;
    await pause(pollMilliseconds);
    return takeNextLaunch(folder, isOver);
  }
  if (rest.length > 0) await writeLaunchQueue(folder, rest);
  else await removeLaunchQueue(folder);
  return next;
}
