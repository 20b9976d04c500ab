/**
 * The words of the supervisor's state machine: its states, its events, what it remembers and what it does. The table of
 * transitions (transitions.ts) uses them, and `npm run documentation` writes both into README.md.
 */
import type { Launch } from '../box/environment.ts';
import { type ExitStatus, terminated } from './exit-status.ts';

export const states = {
  starting: 'A process is being started',
  running: 'A process runs',
  between: 'It has exited, and what comes next is being looked for',
  waiting: 'It has crashed, and the pause before its restart goes by',
  stopping: 'The box was told to stop: nothing more is started',
  ending: 'The exit status of the supervisor is known, and what is left is ended',
} as const;

export const events = {
  launched: 'the process was started',
  failed: 'an error: what is to be done is not possible',
  healthy: 'the health check of the supervisor succeeds for the first time',
  foundHealthy: 'a command has found the box healthy',
  hung: 'the process does not respond',
  exited: 'the process has exited',
  nothing: 'the launch queue is empty: a command has stopped the box',
  next: 'the launch queue has a launch',
  none: 'there is no launch queue',
  removed: 'there is no launch queue, and the release was removed',
  waited: 'the pause is over',
  queued: 'the pause is over, and there is a launch queue',
  other: 'the pause is over, and another command has started the box',
  replaced: 'another process has taken the place of the current one',
  stop: 'a signal to stop',
} as const;

export type State = keyof typeof states;
export type EventName = keyof typeof events;

/** What happens to the current process; events of others are dropped before (supervisor.ts). */
export type Event =
  | { name: Exclude<EventName, 'failed' | 'exited' | 'next'> }
  | { name: 'failed'; error: Error }
  | { name: 'exited'; status: ExitStatus }
  | { name: 'next'; launch: Launch };

/** What the machine knows besides its state. */
export interface Memory {
  /** How often the box was told to stop. */
  stops: number;
  /** Whether any box of this supervisor was healthy. If none was, a setting may be wrong, which a restart does not help. */
  hasBeenHealthy: boolean;
  /** Before the next restart, in milliseconds. */
  pause: number;
  /** Of the last process that has exited. */
  status: ExitStatus;
}

const firstPauseMilliseconds = 250;
const longestPauseMilliseconds = 30_000;

export const initialMemory: Memory = { stops: 0, hasBeenHealthy: false, pause: firstPauseMilliseconds, status: 0 };

/** Conditions of transitions, with their names in the documentation. */
export const conditions = {
  hasCrashed: {
    text: 'the exit status is not 0, and a box was healthy',
    holds: ({ status, hasBeenHealthy }: Memory) => status !== 0 && hasBeenHealthy,
  },
  // A box that was stopped before it handled signals has not failed.
  isTerminated: { text: 'SIGTERM ended the process', holds: ({ status }: Memory) => status === terminated },
  isFirstStop: { text: 'the first', holds: ({ stops }: Memory) => stops === 0 },
  isSecondStop: { text: 'the second', holds: ({ stops }: Memory) => stops === 1 },
} as const;

/** Steps of a transition that only change the memory. */
export const changes = {
  noteHealthy: (memory: Memory): Memory => ({ ...memory, hasBeenHealthy: true }),
  resetPause: (memory: Memory): Memory => ({ ...memory, pause: firstPauseMilliseconds }),
  doublePause: (memory: Memory): Memory => ({ ...memory, pause: Math.min(memory.pause * 2, longestPauseMilliseconds) }),
  countStop: (memory: Memory): Memory => ({ ...memory, stops: memory.stops + 1 }),
  noteStatus: (memory: Memory, event: Event): Memory =>
    event.name === 'exited' ? { ...memory, status: event.status } : memory,
} as const;

/** Steps of a transition, in the words of the documentation. Those that are not changes are effects, which supervisor.ts has. */
export const steps = {
  noteHealthy: 'from now on a crash is followed by a restart',
  resetPause: 'the next pause is 250 ms',
  doublePause: 'the next pause is twice as long, 30 s at most',
  countStop: 'counts the signal',
  noteStatus: 'keeps the exit status',
  launch: 'starts the process',
  announceNext: 'reports the replacement',
  startFollowers: 'starts the other workers',
  look: 'looks for what comes next',
  wait: 'waits',
  warnRestart: 'reports the restart',
  warnRemoved: 'reports that the release was removed',
  warnHung: 'reports that it hangs',
  warnFailed: 'reports the error',
  terminate: 'sends it SIGTERM',
  killHung: 'sends it SIGKILL',
  stopAfterRetired: 'ends the processes that were replaced, then sends SIGTERM to the current one',
  stopAll: 'sends SIGTERM to all processes',
  killAll: 'sends SIGKILL to all processes',
  end: 'ends with the exit status of the process',
  endWith0: 'ends with exit status 0',
  endWith1: 'ends with exit status 1',
  giveUp: 'exits with status 1',
} as const;

export type Condition = keyof typeof conditions;
export type Change = keyof typeof changes;
export type Step = keyof typeof steps;
export type EffectName = Exclude<Step, Change>;
