/**
 * Running a box in the foreground, as its parent: for systemd, containers and the local stack.
 *
 * An upgrade must not fight with such a parent over whose child the box is. So it leaves a list of what to run next
 * (`run/next.json`: the new release, then the old one in case the new one fails) and stops the box; the parent starts
 * the first of the list, and ends only when its box ends and the list is empty.
 */
import type { ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import type { Output } from '../output/output.ts';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';
import { type Launch, launchBox } from './launch.ts';
import { type RunningBox, removePidFile } from './running.ts';

/** How a process ended: its exit status, or the signal that ended it as shells tell it (128 + number). */
export type ExitStatus = number;

const forceAfterSignals = 2;
const signalNumbers: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** A box whose parent is this process. */
export interface SupervisedBox {
  /** The box that runs now; another one after an upgrade. */
  readonly box: RunningBox;
  /** Asks the box to end, as the first SIGTERM does; asked twice, it is killed. */
  stop(): void;
  /** Settles when the box has ended and nothing is to run next. */
  readonly ended: Promise<ExitStatus>;
}

/** Starts a box as a child of this process and keeps watch over it. */
export async function supervise(folder: BoxFolder, first: Launch, output: Output): Promise<SupervisedBox> {
  let current = await launchBox(folder, first, { supervised: true });
  let stops = 0;

  const watch = async (): Promise<ExitStatus> => {
    for (;;) {
      const status = await exitOf(current.child);
      await removePidFile(folder, current.box);
      const next = stops === 0 ? await takeNext(folder) : undefined;
      if (!next) return status;
      output.say('replaced', `running release ${next.release} in place of ${current.box.release}`, {
        release: next.release,
      });
      current = await launchBox(folder, next, { supervised: true });
    }
  };

  return {
    get box() {
      return current.box;
    },
    stop() {
      stops += 1;
      current.child.kill(stops < forceAfterSignals ? 'SIGTERM' : 'SIGKILL');
    },
    ended: watch(),
  };
}

/** Leaves the list of launches that the parent runs, one after the other, each time its box ends. */
export async function writeNext(folder: BoxFolder, launches: Launch[]): Promise<void> {
  await writeAtomically(folder.next, JSON.stringify(launches), 0o600);
}

/** Takes the list away: from now on the end of the box is the end. */
export async function forgetNext(folder: BoxFolder): Promise<void> {
  await rm(folder.next, { force: true });
}

async function takeNext(folder: BoxFolder): Promise<Launch | undefined> {
  const text = await readFile(folder.next, 'utf8').catch(() => '[]');
  const [next, ...rest] = JSON.parse(text) as Launch[];
  if (rest.length > 0) await writeNext(folder, rest);
  else await forgetNext(folder);
  return next;
}

function exitOf(child: ChildProcess): Promise<ExitStatus> {
  const status = () => child.exitCode ?? (child.signalCode ? 128 + (signalNumbers[child.signalCode] ?? 0) : undefined);
  const already = status();
  if (already !== undefined) return Promise.resolve(already);
  return new Promise((resolve) => child.once('exit', () => resolve(status() ?? 1)));
}
