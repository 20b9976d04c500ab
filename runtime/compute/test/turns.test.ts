/**
 * Turns: slots, those of one tenant, and the order in which tenants that wait get one.
 */
import t from 'tap';
import { Turns } from '../turns.ts';

const full = () => new Error('full');

/** A task that runs until it is opened. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

t.test('a tenant has all slots but one, and tenants that wait take turns', async (t) => {
  const turns = new Turns({ slots: 3, waiting: 10 });
  const started: string[] = [];
  const gates = new Map<string, ReturnType<typeof gate>>();
  const add = (tenant: string, name: string) => {
    gates.set(name, gate());
    return turns.run(tenant, full, async () => {
      started.push(name);
      await gates.get(name)?.promise;
    });
  };
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'].map((name) => add(name.slice(0, 1), name));
  t.strictSame(started, ['a1', 'a2', 'b1'], 'two of the first tenant, although a third slot was free');
  const end = async (name: string) => {
    gates.get(name)?.open();
    await new Promise(setImmediate);
  };
  await end('b1');
  t.strictSame(started.slice(3), ['b2'], 'the first tenant has its two');
  await end('a1');
  t.strictSame(started.slice(4), ['a3'], 'it has waited longest');
  await end('a2');
  t.strictSame(started.slice(5), ['c1'], 'each tenant has its turn');
  await end('a3');
  t.strictSame(started.slice(6), ['b3']);
  for (const name of ['b2', 'b3', 'c1', 'a4']) await end(name);
  await Promise.all(all);
  t.strictSame(started.slice(7), ['a4']);
});

t.test('one slot serves all tenants', async (t) => {
  const turns = new Turns({ slots: 1, waiting: 1 });
  t.equal(await turns.run('a', full, async () => 1), 1);
});

t.test('a limited number of a tenant’s tasks waits', async (t) => {
  const turns = new Turns({ slots: 2, waiting: 2 });
  const { promise, open } = gate();
  const add = (tenant: string, waiting?: number) => turns.run(tenant, full, () => promise, waiting);
  const tasks = [add('a'), add('a'), add('a')];
  const refused = [t.rejects(add('a'), { message: 'full' }), t.rejects(add('a', 1), { message: 'full' })];
  tasks.push(add('b'), add('b'));
  open();
  await Promise.all([...tasks, ...refused]);
});

t.test('a task that fails passes its slot on', async (t) => {
  const turns = new Turns({ slots: 2, waiting: 2 });
  const failing = turns.run('a', full, async () => {
    throw new Error('no');
  });
  const next = turns.run('a', full, async () => 'done');
  await t.rejects(failing, { message: 'no' });
  t.equal(await next, 'done');
});
