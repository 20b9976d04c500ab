/**
 * Compute processes: their budgets, their end, and whose turn it is.
 */
import { until } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { ComputeProcesses, type ComputeTask } from '../compute.ts';
import type { Work } from './tasks.ts';

const task: ComputeTask<Work, unknown> = {
  name: 'The work',
  module: new URL('./tasks.ts', import.meta.url).href,
  milliseconds: 20_000,
};
const one = { tenantId: 'one' };
const another = { tenantId: 'another' };

function open(t: Test, options: { idle?: number } = {}): ComputeProcesses {
  const processes = new ComputeProcesses(options);
  t.teardown(processes.close);
  return processes;
}

/** The code of the problem with which work is refused. */
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error) => error.type?.code ?? error.message,
  );

t.test('work is done in another process, without the secrets of the box', async (t) => {
  process.env.OPERATOR_SECRET = 'secret';
  const processes = open(t);
  t.equal(processes.size, 0, 'none is started before it is needed');
  const value = { text: 'é', missing: undefined, list: [1, null] };
  t.strictSame(await processes.run(one, task, { kind: 'echo', value }), value);
  t.not(await processes.run(one, task, { kind: 'pid' }), process.pid);
  const names = (await processes.run(one, task, { kind: 'environment' })) as string[];
  t.notOk(names.includes('OPERATOR_SECRET'));
  t.equal(processes.size, 1, 'one process does tasks that follow each other');
});

t.test('the memory of the box is not that of the process', async (t) => {
  const processes = open(t);
  // Touched, so that it is in memory.
  const held = Buffer.alloc(300 * 1024 * 1024, 1);
  t.equal(await processes.run(one, task, { kind: 'echo', value: 1 }), 1);
  t.equal(held.at(-1), 1);
});

t.test('an error of the work is passed on, and its process goes on', async (t) => {
  const processes = open(t);
  const pid = await processes.run(one, task, { kind: 'pid' });
  t.equal(await codeOf(processes.run(one, task, { kind: 'throw' })), 'no such value');
  t.equal(await processes.run(one, task, { kind: 'pid' }), pid);
});

t.test('work that exceeds its budget is ended, and the next is done', async (t) => {
  const processes = open(t);
  const endless = { ...task, milliseconds: 100 };
  t.equal(await codeOf(processes.run(one, endless, { kind: 'spin' })), 'too_costly', 'of time');
  t.equal(
    await codeOf(processes.run(one, endless, { kind: 'wait', value: 300 })),
    'none',
    'of time in which it computes: a busy machine is not its fault',
  );
  t.equal(await codeOf(processes.run(one, endless, { kind: 'wait', value: 3_600_000 })), 'too_costly', 'of waiting');
  t.equal(await codeOf(processes.run(one, task, { kind: 'fill' })), 'too_costly', 'of memory, a bit at a time');
  t.equal(await codeOf(processes.run(one, task, { kind: 'copy' })), 'too_costly', 'of memory, all at once');
  t.equal(
    await codeOf(processes.run(one, task, { kind: 'exit' })),
    'unavailable',
    'a crash is not the fault of the work',
  );
  t.equal(await processes.run(one, task, { kind: 'echo', value: 1 }), 1);
  t.equal(processes.size, 1, 'those that were ended are gone');
});

t.test('work that takes more memory has a process of its own, which ends with it', async (t) => {
  const processes = open(t);
  const pid = await processes.run(one, task, { kind: 'pid' });
  const large = { ...task, megabytes: 512 };
  t.equal(
    await processes.runAlone(one, large, { kind: 'hold', value: 300 }),
    300 * 1024 * 1024,
    'more than others may',
  );
  t.equal(await codeOf(processes.runAlone(one, large, { kind: 'hold', value: 600 })), 'too_costly', 'but no more');
  t.equal(await codeOf(processes.runAlone(one, { ...large, milliseconds: 100 }, { kind: 'spin' })), 'too_costly');
  t.not(await processes.runAlone(one, large, { kind: 'pid' }), pid);
  t.equal(await codeOf(processes.runAlone(one, large, { kind: 'throw' })), 'no such value');
  await until(
    async () => processes.size,
    (size) => size === 1,
  );
  t.equal(await codeOf(processes.run(one, task, { kind: 'hold', value: 300 })), 'too_costly', 'others may as before');
});

t.test('work that has a process of its own takes no turn of other work', async (t) => {
  const processes = open(t);
  const large = { ...task, megabytes: 512 };
  const endless = [one, one, another].map((each) => codeOf(processes.runAlone(each, large, { kind: 'spin' })));
  t.equal(await processes.run(one, task, { kind: 'echo', value: 1 }), 1);
  t.equal(processes.size, 4);
  await processes.close();
  t.strictSame(await Promise.all(endless), ['unavailable', 'unavailable', 'unavailable']);
});

t.test('a module that does not exist fails the task alone', async (t) => {
  const processes = open(t);
  const missing = { ...task, module: new URL('./missing.ts', import.meta.url).href };
  t.match(await codeOf(processes.run(one, missing, { kind: 'pid' })), /Cannot find module/);
  t.equal(await processes.run(one, task, { kind: 'echo', value: 1 }), 1);
});

t.test('a tenant never holds all processes', async (t) => {
  const processes = open(t);
  const endless = [1, 2, 3].map(() => codeOf(processes.run(one, { ...task, milliseconds: 60_000 }, { kind: 'spin' })));
  let ended = 0;
  for (const each of endless) void each.then(() => ended++);
  for (const value of [1, 2, 3]) {
    t.equal(await processes.run(another, task, { kind: 'echo', value }), value, 'another tenant’s work is done');
  }
  t.equal(ended, 0, 'while that of the first goes on and waits');
  t.equal(processes.size, 2);
  await processes.close();
  t.strictSame(await Promise.all(endless), ['unavailable', 'unavailable', 'unavailable']);
});

t.test('few tasks of a tenant wait, fewer of those that hold a connection', async (t) => {
  const processes = open(t);
  const run = (holdsConnection: boolean) => codeOf(processes.run({ ...one, holdsConnection }, task, { kind: 'spin' }));
  const waiting = [run(true), run(true), run(true), run(true)];
  t.equal(await run(true), 'unavailable', 'the fifth that holds one');
  waiting.push(...Array.from({ length: 9 }, () => run(false)));
  t.equal(await run(false), 'unavailable', 'the fourteenth');
  t.equal(await processes.run(another, task, { kind: 'echo', value: 1 }), 1, 'another tenant’s are not counted');
  await processes.close();
  await Promise.all(waiting);
});

t.test('what anyone may ask for takes few of the places of a tenant', async (t) => {
  const processes = open(t);
  const run = (isPublic: boolean) => codeOf(processes.run({ ...one, isPublic }, task, { kind: 'spin' }));
  const waiting = Array.from({ length: 6 }, () => run(true));
  t.equal(await run(true), 'unavailable', 'the seventh');
  // One of the six is done, and one waits with these.
  waiting.push(...Array.from({ length: 11 }, () => run(false)));
  t.equal(await run(false), 'unavailable', 'its other work has all other places');
  await processes.close();
  await Promise.all(waiting);
});

t.test('an idle process is ended, and another started when it is needed', async (t) => {
  const processes = open(t, { idle: 1 });
  const pid = await processes.run(one, task, { kind: 'pid' });
  await until(
    async () => processes.size,
    (size) => size === 0,
  );
  t.not(await processes.run(one, task, { kind: 'pid' }), pid);
});
