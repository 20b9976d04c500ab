/**
 * The state machine of a supervisor: what follows in which state from which event. Only this table decides; supervisor.ts
 * reports the events and performs the effects. Nothing here waits, reads or writes.
 */
import {
  type Change,
  type Condition,
  changes,
  conditions,
  type EffectName,
  type Event,
  type EventName,
  initialMemory,
  type Memory,
  type State,
  type Step,
} from './states.ts';

export interface Transition {
  /** Absent for the last one of an outcome, which holds otherwise. */
  when?: Condition;
  to: State;
  /** Done in this order. */
  steps: readonly Step[];
}

/** The first transition whose condition holds, or why there is none. */
export type Outcome = readonly Transition[] | { ignored: string };

const to = (state: State, ...steps: Step[]): Transition => ({ to: state, steps });
const when = (condition: Condition, transition: Transition): Transition => ({ when: condition, ...transition });

function each<Name extends EventName>(outcome: Outcome, ...names: Name[]): Record<Name, Outcome> {
  return Object.fromEntries(names.map((name) => [name, outcome])) as Record<Name, Outcome>;
}

const ignore = <Name extends EventName>(reason: string, ...names: Name[]) => each({ ignored: reason }, ...names);

const answersOfQueue = ['nothing', 'next', 'none', 'removed'] as const;
const answersAfterPause = ['waited', 'queued', 'other'] as const;

const notAsked = 'nothing of the kind is being looked for';
const exitIsKnown = 'the exit of the current process is its last event, and has been reported';
const excluded = 'starts, replacements and the end happen one after another';

const fails = [to('ending', 'warnFailed', 'endWith1')];
const restart = to('waiting', 'warnRestart', 'wait', 'doublePause');
const firstStop = [to('stopping', 'countStop', 'stopAfterRetired')];
/** Whatever was found: a box that was told to stop is not started again. */
const stopped = [when('isTerminated', to('ending', 'endWith0')), to('ending', 'end')];

/** Every state with every event. */
export const table: Readonly<Record<State, Readonly<Record<EventName, Outcome>>>> = {
  starting: {
    launched: [to('running')],
    // What keeps it from starting may pass: a disk that is full, a machine that has no memory left.
    failed: [when('hasCrashed', { ...restart, steps: ['warnFailed', ...restart.steps] }), ...fails],
    foundHealthy: [to('starting', 'noteHealthy')],
    stop: firstStop,
    ...ignore(exitIsKnown, 'healthy', 'hung', 'exited'),
    ...ignore(notAsked, ...answersOfQueue, ...answersAfterPause),
    ...ignore(excluded, 'replaced'),
  },
  running: {
    healthy: [to('running', 'noteHealthy', 'resetPause', 'startFollowers')],
    foundHealthy: [to('running', 'noteHealthy')],
    hung: [to('running', 'warnHung', 'killHung')],
    exited: [to('between', 'noteStatus', 'look')],
    // Of an exit that cannot be recorded.
    failed: fails,
    // The command has checked it.
    replaced: [to('running', 'noteHealthy')],
    stop: firstStop,
    ...ignore(notAsked, ...answersOfQueue, ...answersAfterPause),
    ...ignore(excluded, 'launched'),
  },
  between: {
    // What a command has stopped has not failed, whatever its status: a service manager would restart it.
    nothing: [to('ending', 'endWith0')],
    next: [to('starting', 'announceNext', 'launch')],
    none: [when('hasCrashed', restart), to('ending', 'end')],
    removed: [when('hasCrashed', to('ending', 'warnRemoved', 'end')), to('ending', 'end')],
    failed: fails,
    foundHealthy: [to('between', 'noteHealthy')],
    // What is being looked for belongs to the former process, and is dropped.
    replaced: [to('running', 'noteHealthy')],
    // A launch that the queue still gives is not started.
    stop: firstStop,
    ...ignore(exitIsKnown, 'healthy', 'hung', 'exited'),
    ...ignore(notAsked, ...answersAfterPause),
    ...ignore(excluded, 'launched'),
  },
  waiting: {
    waited: [to('starting', 'launch')],
    queued: [to('between', 'look')],
    // It has the port.
    other: [to('ending', 'end')],
    failed: fails,
    foundHealthy: [to('waiting', 'noteHealthy')],
    replaced: [to('running', 'noteHealthy')],
    // It ends the pause.
    stop: firstStop,
    ...ignore(exitIsKnown, 'healthy', 'hung', 'exited'),
    ...ignore(notAsked, ...answersOfQueue),
    ...ignore(excluded, 'launched'),
  },
  stopping: {
    // The signal arrived before the process was there to receive it.
    launched: [to('stopping', 'terminate')],
    failed: fails,
    hung: [to('stopping', 'warnHung', 'killHung')],
    // The answer waits for a replacement that is being completed: its process may have become the current one.
    exited: [to('stopping', 'noteStatus', 'look')],
    nothing: [to('ending', 'endWith0')],
    ...each(stopped, 'next', 'none', 'removed', ...answersAfterPause),
    // It was checked when the signal arrived, which reached it too.
    replaced: [to('stopping')],
    // The first makes the box drain, the second ends draining.
    stop: [when('isSecondStop', to('stopping', 'countStop', 'stopAll')), to('stopping', 'countStop', 'killAll')],
    ...ignore('what is to stop starts no other workers, and is not restarted', 'healthy', 'foundHealthy'),
  },
  ending: {
    // Boxes that were replaced, and other workers, may still run.
    stop: [
      when('isFirstStop', to('ending', 'countStop', 'stopAfterRetired')),
      when('isSecondStop', to('ending', 'countStop', 'stopAll')),
      to('ending', 'countStop', 'killAll'),
    ],
    failed: [to('ending', 'warnFailed', 'giveUp')],
    ...ignore(exitIsKnown, 'healthy', 'hung', 'exited'),
    ...ignore('nothing is restarted', 'foundHealthy'),
    ...ignore(notAsked, ...answersOfQueue, ...answersAfterPause),
    ...ignore(excluded, 'launched', 'replaced'),
  },
};

export interface Machine {
  readonly state: State;
  readonly memory: Memory;
}

/** Something to be done. */
export interface Effect {
  name: EffectName;
  event: Event;
  /** As it was at this step. */
  memory: Memory;
}

/** Of a supervisor whose first process is being started. */
export const initialMachine: Machine = { state: 'starting', memory: initialMemory };

/** Returns what follows from an event. */
export function transit(machine: Machine, event: Event): { machine: Machine; effects: Effect[] } {
  const outcome = table[machine.state][event.name];
  const transitions = 'ignored' in outcome ? [] : outcome;
  const transition = transitions.find(({ when }) => !when || conditions[when].holds(machine.memory));
  if (!transition) return { machine, effects: [] };
  let { memory } = machine;
  const effects: Effect[] = [];
  for (const step of transition.steps) {
    if (isChange(step)) memory = changes[step](memory, event);
    else effects.push({ name: step, event, memory });
  }
  return { machine: { state: transition.to, memory }, effects };
}

function isChange(step: Step): step is Change {
  return step in changes;
}
