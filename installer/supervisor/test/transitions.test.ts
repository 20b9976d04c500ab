/**
 * The state machine of a supervisor: each state with each event, and what happens to a box from its start to its end.
 */
import t from 'tap';
import type { Launch } from '../../box/environment.ts';
import {
  conditions,
  type Event,
  type EventName,
  events,
  initialMemory,
  type Memory,
  type State,
  states,
  steps,
} from '../states.ts';
import { type Effect, initialMachine, type Machine, table, transit } from '../transitions.ts';

const launch: Launch = { release: 'next', host: '127.0.0.1', port: 1, secrets: {} };
const every = { states: Object.keys(states) as State[], events: Object.keys(events) as EventName[] };

/** An event by its name; that of an exit with its status, as in `exited 137`. */
function eventOf(text: string): Event {
  const [name, status = 1] = text.split(' ') as [EventName, number?];
  if (name === 'exited') return { name, status: Number(status) };
  if (name === 'next') return { name, launch };
  return name === 'failed' ? { name, error: new Error('no space') } : { name };
}

/** An effect by its name, with what it uses of the memory. */
function textOf({ name, memory: { status, pause } }: Effect): string {
  if (name === 'warnRestart') return `${name} ${status} ${pause}`;
  if (name === 'wait') return `${name} ${pause}`;
  return name === 'end' || name === 'warnRemoved' ? `${name} ${status}` : name;
}

type Row = [state: State, event: string, memory: Partial<Memory>, next: State, effects: string];

const crashed = { status: 137, hasBeenHealthy: true };
const stopped = { stops: 1, status: 137, hasBeenHealthy: true };
const unhandled = { stops: 1, status: 143 };

/** What is not here is ignored. */
const rows: Row[] = [
  ['starting', 'launched', {}, 'running', ''],
  ['starting', 'failed', {}, 'ending', 'warnFailed, endWith1'],
  ['starting', 'failed', { ...crashed, status: 0 }, 'ending', 'warnFailed, endWith1'],
  ['starting', 'failed', crashed, 'waiting', 'warnFailed, warnRestart 137 250, wait 250'],
  ['starting', 'foundHealthy', {}, 'starting', ''],
  ['starting', 'stop', {}, 'stopping', 'stopAfterRetired'],

  ['running', 'healthy', {}, 'running', 'startFollowers'],
  ['running', 'foundHealthy', {}, 'running', ''],
  ['running', 'hung', {}, 'running', 'warnHung, killHung'],
  ['running', 'exited', {}, 'between', 'look'],
  ['running', 'failed', {}, 'ending', 'warnFailed, endWith1'],
  ['running', 'replaced', {}, 'running', ''],
  ['running', 'stop', {}, 'stopping', 'stopAfterRetired'],

  ['between', 'nothing', crashed, 'ending', 'endWith0'],
  ['between', 'next', crashed, 'starting', 'announceNext, launch'],
  ['between', 'next', {}, 'starting', 'announceNext, launch'],
  ['between', 'none', crashed, 'waiting', 'warnRestart 137 250, wait 250'],
  ['between', 'none', { ...crashed, pause: 30_000 }, 'waiting', 'warnRestart 137 30000, wait 30000'],
  ['between', 'none', { ...crashed, status: 0 }, 'ending', 'end 0'],
  ['between', 'none', { ...crashed, status: 143 }, 'waiting', 'warnRestart 143 250, wait 250'],
  ['between', 'none', { status: 78 }, 'ending', 'end 78'],
  ['between', 'removed', crashed, 'ending', 'warnRemoved 137, end 137'],
  ['between', 'removed', { ...crashed, status: 0 }, 'ending', 'end 0'],
  ['between', 'removed', { status: 1 }, 'ending', 'end 1'],
  ['between', 'failed', crashed, 'ending', 'warnFailed, endWith1'],
  ['between', 'foundHealthy', {}, 'between', ''],
  ['between', 'replaced', crashed, 'running', ''],
  ['between', 'stop', crashed, 'stopping', 'stopAfterRetired'],

  ['waiting', 'waited', crashed, 'starting', 'launch'],
  ['waiting', 'queued', crashed, 'between', 'look'],
  ['waiting', 'other', crashed, 'ending', 'end 137'],
  ['waiting', 'failed', crashed, 'ending', 'warnFailed, endWith1'],
  ['waiting', 'foundHealthy', crashed, 'waiting', ''],
  ['waiting', 'replaced', crashed, 'running', ''],
  ['waiting', 'stop', crashed, 'stopping', 'stopAfterRetired'],

  ['stopping', 'launched', stopped, 'stopping', 'terminate'],
  ['stopping', 'failed', stopped, 'ending', 'warnFailed, endWith1'],
  ['stopping', 'hung', stopped, 'stopping', 'warnHung, killHung'],
  ['stopping', 'exited', stopped, 'stopping', 'look'],
  ['stopping', 'nothing', stopped, 'ending', 'endWith0'],
  ...(['next', 'none', 'removed', 'waited', 'queued', 'other'] as const).flatMap((answer): Row[] => [
    ['stopping', answer, stopped, 'ending', 'end 137'],
    ['stopping', answer, { ...stopped, status: 0 }, 'ending', 'end 0'],
    ['stopping', answer, unhandled, 'ending', 'endWith0'],
  ]),
  ['stopping', 'replaced', stopped, 'stopping', ''],
  ['stopping', 'stop', stopped, 'stopping', 'stopAll'],
  ['stopping', 'stop', { ...stopped, stops: 2 }, 'stopping', 'killAll'],
  ['stopping', 'stop', { ...stopped, stops: 7 }, 'stopping', 'killAll'],

  ['ending', 'stop', crashed, 'ending', 'stopAfterRetired'],
  ['ending', 'stop', stopped, 'ending', 'stopAll'],
  ['ending', 'stop', { ...stopped, stops: 2 }, 'ending', 'killAll'],
  ['ending', 'failed', crashed, 'ending', 'warnFailed, giveUp'],
];

t.test('each state with each event', async (t) => {
  for (const state of every.states) {
    for (const name of every.events) {
      const ofPair = rows.filter(([of, event]) => of === state && event === name);
      for (const [, , memory, next, effects] of ofPair) {
        const machine: Machine = { state, memory: { ...initialMemory, ...memory } };
        const after = transit(machine, eventOf(name));
        const about = `${state}, ${name}, ${JSON.stringify(memory)}`;
        t.strictSame([after.machine.state, after.effects.map(textOf).join(', ')], [next, effects], about);
      }
      if (ofPair.length > 0) continue;
      const machine: Machine = { state, memory: { ...initialMemory, ...crashed } };
      t.match(table[state][name], { ignored: /\w/ }, `${state}, ${name}: ignored, with the reason`);
      t.strictSame(transit(machine, eventOf(name)), { machine, effects: [] }, `${state}, ${name}: changes nothing`);
    }
  }
});

t.test('the table has a transition for each case, and no word without use', async (t) => {
  const outcomes = every.states.flatMap((state) => Object.values(table[state]));
  const all = outcomes.flatMap((outcome) => ('ignored' in outcome ? [] : [outcome]));
  for (const outcome of all) {
    t.ok(
      outcome.slice(0, -1).every((each) => each.when) && outcome.at(-1)?.when === undefined,
      'the last holds otherwise',
    );
  }
  const used = all.flat();
  t.strictSame(new Set(used.flatMap((each) => each.steps)), new Set(Object.keys(steps)));
  t.strictSame(new Set(used.flatMap(({ when }) => when ?? [])), new Set(Object.keys(conditions)));
  t.strictSame(new Set(used.map((each) => each.to)), new Set(every.states));
});

/** What follows from some events, from the first start on. */
function play(...texts: string[]) {
  let machine = initialMachine;
  const done: string[] = [];
  for (const text of texts) {
    const after = transit(machine, eventOf(text));
    machine = after.machine;
    done.push(...after.effects.map(textOf));
  }
  return { ...machine, done };
}

const crash = ['exited 137', 'none', 'waited', 'launched'];

t.test('a crash before anything was healthy ends the supervisor with the exit status', async (t) => {
  t.strictSame(play('launched', 'exited 78', 'none').done, ['look', 'end 78']);
});

t.test('crashes: pauses of 250 ms to 30 s, from the first one again once healthy', async (t) => {
  const pauses = (done: string[]) =>
    done.filter((each) => each.startsWith('wait ')).map((each) => Number(each.slice(5)));
  const crashes = Array.from({ length: 9 }, () => crash).flat();
  const doubled = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000];
  t.strictSame(pauses(play('launched', 'healthy', ...crashes).done), doubled);
  t.strictSame(pauses(play('launched', 'healthy', ...crash, ...crash, 'healthy', ...crash).done), [250, 500, 250]);
  // What a command finds healthy is restarted, and does not end the back-off; nor does a replacement.
  for (const found of ['foundHealthy', 'replaced']) {
    t.strictSame(pauses(play('launched', found, ...crash, found, ...crash).done), [250, 500], found);
  }
  t.match(play('launched', 'healthy', ...crash, 'exited 0', 'none'), { state: 'ending', memory: { status: 0 } });
});

t.test('a stop while a process is started: it is sent the signal once it is there', async (t) => {
  const { done, state } = play(
    'launched',
    'healthy',
    'exited 137',
    'none',
    'waited',
    'stop',
    'launched',
    'exited 143',
    'none',
  );
  t.equal(state, 'ending');
  t.strictSame(done.slice(-5), ['launch', 'stopAfterRetired', 'terminate', 'look', 'endWith0']);
});

t.test('a stop in the back-off, or while the next launch is looked for: nothing more is started', async (t) => {
  for (const found of ['waited', 'queued', 'other']) {
    const { done } = play('launched', 'healthy', 'exited 137', 'none', 'stop', found);
    t.strictSame(done.slice(-3), ['wait 250', 'stopAfterRetired', 'end 137'], found);
  }
  for (const found of ['next', 'none', 'removed']) {
    const { done } = play('launched', 'healthy', 'exited 137', 'stop', found);
    t.strictSame(done.slice(-3), ['look', 'stopAfterRetired', 'end 137'], found);
  }
});

t.test('one, two and three stops', async (t) => {
  t.strictSame(play('launched', 'stop', 'exited 0', 'none').done, ['stopAfterRetired', 'look', 'end 0']);
  const two = play('launched', 'stop', 'stop', 'exited 0', 'none');
  t.strictSame(two.done, ['stopAfterRetired', 'stopAll', 'look', 'end 0']);
  const three = play('launched', 'stop', 'stop', 'stop', 'exited 137', 'none', 'stop');
  t.strictSame(three.done, ['stopAfterRetired', 'stopAll', 'killAll', 'look', 'end 137', 'killAll']);
  t.equal(three.memory.stops, 4);
});

t.test('a stop before the box handles signals is no failure; SIGTERM from elsewhere is', async (t) => {
  t.equal(play('launched', 'stop', 'exited 143', 'none').done.at(-1), 'endWith0');
  t.equal(play('launched', 'exited 143', 'none').done.at(-1), 'end 143');
});

t.test(
  'the launch queue: an empty one ends the supervisor with 0, a launch replaces the box, also a crashed one',
  async (t) => {
    t.strictSame(play('launched', 'healthy', 'exited 137', 'nothing').done.slice(-2), ['look', 'endWith0']);
    t.strictSame(play('launched', 'exited 0', 'next', 'launched').done, ['look', 'announceNext', 'launch']);
    const paused = play('launched', 'healthy', 'exited 137', 'none', 'queued', 'nothing');
    t.strictSame(paused.done.slice(-3), ['wait 250', 'look', 'endWith0'], 'it ends a pause');
  },
);

t.test('a replacement that is completed while the former box exits: it is not started again', async (t) => {
  t.equal(play('launched', 'exited 1', 'replaced').state, 'running');
  const { done, state } = play('launched', 'healthy', 'exited 1', 'none', 'replaced', 'exited 1', 'none');
  t.equal(state, 'waiting', 'the new one is');
  t.strictSame(done.slice(-2), ['warnRestart 1 500', 'wait 500']);
  t.equal(play('launched', 'stop', 'exited 1', 'replaced', 'exited 0', 'none').done.at(-1), 'end 0');
});

t.test('a release that was removed, and a box that another command has started', async (t) => {
  t.strictSame(play('launched', 'healthy', 'exited 1', 'removed').done.slice(-2), ['warnRemoved 1', 'end 1']);
  t.equal(play('launched', 'healthy', 'exited 1', 'none', 'other').done.at(-1), 'end 1');
});

t.test('a box that hangs is killed and started again', async (t) => {
  const { done } = play('launched', 'healthy', 'hung', ...crash);
  t.strictSame(done.slice(1), ['warnHung', 'killHung', 'look', 'warnRestart 137 250', 'wait 250', 'launch']);
});

t.test('a start that fails ends the supervisor with 1; one after a crash is tried again, with back-off', async (t) => {
  const restarted = play('launched', 'healthy', ...crash.slice(0, -1), 'failed', 'waited', 'failed', 'stop', 'waited');
  t.strictSame(restarted.done.slice(5), [
    ...['warnFailed', 'warnRestart 137 500', 'wait 500', 'launch'],
    ...['warnFailed', 'warnRestart 137 1000', 'wait 1000', 'stopAfterRetired', 'end 137'],
  ]);
  const replaced = play('launched', 'healthy', 'exited 0', 'next', 'failed');
  t.strictSame(replaced.done.slice(-2), ['warnFailed', 'endWith1'], 'its command starts the former one');
  const ended = play('launched', 'stop', 'failed', 'failed');
  t.strictSame(ended.done.slice(1), ['warnFailed', 'endWith1', 'warnFailed', 'giveUp'], 'also one of the end');
});
