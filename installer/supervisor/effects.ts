/**
 * The effects of the state machine's transitions (states.ts): what a supervisor does and reports.
 */
import type { Launch } from '../box/environment.ts';
import { boxUrl } from '../box/health.ts';
import type { BoxProcess } from '../box/launch.ts';
import type { ExitStatus } from './exit-status.ts';
import type { SupervisorContext } from './members.ts';
import { lookForNext, waitForRestart } from './next-launch.ts';
import type { EffectName, Event } from './states.ts';
import type { Effect } from './transitions.ts';

/** What supervisor.ts does for the effects. */
export interface Actions {
  /** Starts a process, which becomes the current one. */
  launch(launch: Launch): Promise<void>;
  /** Begins to look for what comes next, and reports the answer as an event of the process that has exited. */
  search(find: (exited: BoxProcess, isOver: () => boolean) => Promise<Event>): void;
  closeControl(): Promise<void>;
  /** Resolves the supervision. */
  finish(status: ExitStatus): void;
}

type Effects = Readonly<Record<EffectName, (effect: Effect) => void | Promise<void>>>;

export function effectsOf(context: SupervisorContext, actions: Actions): Effects {
  const { members } = context;
  return {
    ...reportsOf(context),
    launch: ({ event }) => actions.launch(event.name === 'next' ? event.launch : members.current.launch),
    look: () => actions.search((exited, isOver) => lookForNext(exited, context, isOver)),
    wait: ({ memory }) => actions.search((_, isOver) => waitForRestart(memory.pause, context, isOver)),
    // It is ready later than this one.
    startFollowers: () => void members.current.followers?.start(),
    terminate: () => void members.current.child.kill('SIGTERM'),
    killHung: () => void members.current.child.kill('SIGKILL'),
    stopAfterRetired: () => members.stopAfterRetired(),
    stopAll: () => members.stopAll(),
    killAll: () => members.killAll(),
    end: ({ memory }) => end(memory.status, context, actions),
    endWith0: () => end(0, context, actions),
    endWith1: () => end(1, context, actions),
    giveUp: () => actions.finish(1),
  };
}

type Reports = 'announceNext' | 'warnRestart' | 'warnRemoved' | 'warnHung' | 'warnFailed';

function reportsOf({ members, output, watchdogSeconds }: SupervisorContext): Pick<Effects, Reports> {
  return {
    announceNext({ event }) {
      if (event.name !== 'next') return;
      const { release } = event.launch;
      output.info('replaced', `replacing release ${members.current.launch.release} with ${release}`, { release });
    },
    warnRestart({ memory: { status, pause } }) {
      output.warn(`the box exited with status ${status}; restarting it in ${pause} ms`, { status, pause });
    },
    warnRemoved({ memory: { status } }) {
      const { release } = members.current.launch;
      output.warn(`the box exited with status ${status}, and its release ${release} has been removed`);
    },
    warnHung() {
      const url = boxUrl(members.current.launch);
      output.warn(`the box has not responded for ${watchdogSeconds} s; killing it`, { url });
    },
    warnFailed({ event }) {
      if (event.name === 'failed') output.warn(`the box cannot be started: ${event.error.message}`);
    },
  };
}

async function end(status: ExitStatus, { members }: SupervisorContext, actions: Actions): Promise<void> {
  await members.current.followers?.end();
  members.socket?.close();
  await members.endRetired();
  await actions.closeControl();
  actions.finish(status);
}
