/**
 * Finding what comes after a box that has exited, as events of the state machine (states.ts). The folder may tell it, and
 * take time: a command that works while no box runs, or the pause before a restart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { exists, releaseEntry } from '../box/folder.ts';
import type { BoxProcess } from '../box/launch.ts';
import { takeNextLaunch } from '../box/launch-queue.ts';
import { findRunningBox } from '../box/running.ts';
import type { SupervisorContext } from './members.ts';
import type { Event } from './states.ts';

const pollMilliseconds = 100;

/** @param isOver whether the answer no longer matters: the box is to stop, or was replaced */
export async function lookForNext(
  { launch }: BoxProcess,
  { folder }: SupervisorContext,
  isOver: () => boolean,
): Promise<Event> {
  const next = isOver() ? undefined : await takeNextLaunch(folder, isOver);
  if (next === 'nothing') return { name: 'nothing' };
  if (next) return { name: 'next', launch: next };
  return { name: (await exists(releaseEntry(folder, launch.release))) ? 'none' : 'removed' };
}

/** Waits before a restart; ends early when the answer no longer matters or a launch queue appears. */
export async function waitForRestart(
  pause: number,
  { folder, members }: SupervisorContext,
  isOver: () => boolean,
): Promise<Event> {
  const until = Date.now() + pause;
  while (!isOver() && Date.now() < until && !(await exists(folder.launchQueue))) await sleep(pollMilliseconds);
  if (isOver()) return { name: 'waited' };
  // If another command has started the box meanwhile, the port is in use.
  const running = await findRunningBox(folder);
  if (running && !members.isOurs(running.pid)) return { name: 'other' };
  return { name: (await exists(folder.launchQueue)) ? 'queued' : 'waited' };
}
