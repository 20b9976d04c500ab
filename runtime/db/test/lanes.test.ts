/**
 * Lanes: few transactions work at the same time, unless they take long.
 */
import t from 'tap';
import { createTestDatabase } from '../../testing/database.ts';
import { openDatabase } from '../database.ts';
import { newId } from '../id.ts';
import { Lanes, lanesOf } from '../lanes.ts';

const { url, drop } = await createTestDatabase('empty');
const usual = new Lanes(2);
const database = openDatabase({ url, poolSize: 5, lanes: usual });
const db = database.forTenant(newId());
/** However busy the machine is, nothing takes long here. */
const patient = openDatabase({ url, poolSize: 5, lanes: new Lanes(2, 3_600_000) });
const patientDb = patient.forTenant(newId());
t.teardown(async () => {
  await Promise.all([database.close(), patient.close()]);
  await drop();
});

/** The most of so many transactions that worked at the same time. */
async function mostAtOnce(pieces: number, work: (at: number) => Promise<unknown>, of = patientDb) {
  let [now, most] = [0, 0];
  const one = (at: number) =>
    of.transaction(async () => {
      most = Math.max(most, ++now);
      try {
        await work(at);
      } finally {
        now--;
      }
    });
  await Promise.all(Array.from({ length: pieces }, (_, at) => one(at)));
  return most;
}

/** Short work, the first of which waits for a second: its connection may still be opened. */
function untilTwoHaveBegun() {
  const both = Promise.withResolvers<void>();
  let begun = 0;
  return async () => {
    if (++begun === 2) both.resolve();
    await both.promise;
    await new Promise(setImmediate);
  };
}

t.test('long work gives up its lane, and not its connection', async (t) => {
  const all = Promise.withResolvers<void>();
  let begun = 0;
  const work = () => {
    if (++begun === 5) all.resolve();
    return all.promise;
  };
  t.equal(await mostAtOnce(5, work, db), 5, 'all that the pool has');
  const further = [1, 2, 3].map(() => usual.run(() => new Promise(setImmediate)));
  t.equal(usual.waiting, 1, 'and afterwards the lanes count again');
  await Promise.all(further);
});

t.test('short work keeps to the lanes, in the order in which it came', async (t) => {
  const begun: number[] = [];
  const short = untilTwoHaveBegun();
  const work = (at: number) => {
    begun.push(at);
    return short();
  };
  t.equal(await mostAtOnce(20, work), 2);
  t.strictSame(
    begun,
    Array.from({ length: 20 }, (_, at) => at),
  );
});

t.test('what fails leaves its lane', async (t) => {
  const refused = await Promise.allSettled(
    [1, 2, 3].map(() => patientDb.transaction((tx) => tx.query('select $1::uuid, 1 / 0'))),
  );
  t.strictSame(
    refused.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  t.equal(await mostAtOnce(10, untilTwoHaveBegun()), 2);
});

t.test('more than may wait for a connection are refused', async (t) => {
  const all = Promise.withResolvers<void>();
  const sent = Array.from({ length: 2 + 5 * 32 + 3 }, () => db.transaction(() => all.promise));
  all.resolve();
  const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected');
  t.equal(refused.length, 3);
  t.match(refused[0], { reason: { message: /Too many requests are waiting/ } });
});

t.test('reads take lanes beside transactions, and none without', async (t) => {
  const lanes = new Lanes(2);
  const end = Promise.withResolvers<void>();
  const begun: string[] = [];
  const begin = (name: string) => () => {
    begun.push(name);
    return end.promise;
  };
  const work = [...'abc'].map((name) => lanes.runRead(begin(name)));
  t.strictSame([begun, lanes.waiting], [['a', 'b', 'c'], 0]);
  work.push(lanes.run(begin('transaction')), lanes.runRead(begin('d')), lanes.runRead(begin('e')));
  t.strictSame([begun.join(' '), lanes.waiting], ['a b c transaction d', 1]);
  end.resolve();
  await Promise.all(work);
  t.equal(begun.join(' '), 'a b c transaction d e');
});

t.test('a lane that is given up is free for the next, once', async (t) => {
  const lanes = new Lanes(1);
  const end = Promise.withResolvers<void>();
  const first = lanes.run(async (giveUp) => {
    giveUp();
    giveUp();
    await end.promise;
  });
  const next = [1, 2].map(() => lanes.run(() => end.promise));
  t.equal(lanes.waiting, 1, 'the second of them');
  end.resolve();
  await Promise.all([first, ...next]);
});

t.test('PostgreSQL on another machine has no lanes', async (t) => {
  t.ok(Number(lanesOf('postgres://carton:secret@localhost/carton?host=/run/carton')) >= 4, 'a Unix socket');
  t.equal(lanesOf('postgres://carton:secret@db.example/carton?host=db.example'), undefined);
  t.equal(lanesOf('postgres://carton:secret@127.0.0.1:5432/carton'), undefined);
});
