/**
 * The launch queue (`run/next.json`): what the supervisor starts when its box exits. A command writes it before it stops
 * the box for an upgrade: the new release, then the old one in case the new one fails. An empty queue means that nothing
 * is to be started, whatever the exit status of the box: `stop` writes it.
 */
import { readFile, rm } from 'node:fs/promises';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';
import type { Launch } from './launch.ts';

/** Writes the launch queue: the supervisor starts the next launch each time its box exits. */
export async function writeLaunchQueue(folder: BoxFolder, launches: Launch[]): Promise<void> {
  await writeAtomically(folder.launchQueue, JSON.stringify(launches), 0o600);
}

/** Removes the launch queue. */
export async function removeLaunchQueue(folder: BoxFolder): Promise<void> {
  await rm(folder.launchQueue, { force: true });
}

/** Removes the first launch from the queue and returns it; `nothing` for an empty queue, undefined if there is none. */
export async function takeNextLaunch(folder: BoxFolder): Promise<Launch | 'nothing' | undefined> {
  const text = await readFile(folder.launchQueue, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [next = 'nothing', ...rest] = JSON.parse(text) as Launch[];
  if (rest.length > 0) await writeLaunchQueue(folder, rest);
  else await removeLaunchQueue(folder);
  return next;
}
