/**
 * Events from the outbox to subscribers: once, in order, again after a failure, and never lost.
 */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { boot } from '../../boot.ts';
import { mostAttempts } from '../../events/deliver.ts';
import { createTestBox, type TestBox, type TestShop } from '../../testing/box.ts';
import { exactly } from '../../testing/exactly.ts';
import { until } from '../../testing/waiting.ts';
import { echoPackage } from './echo-package.ts';

interface Recorded {
  subscriber: string;
  text: string;
  attempt: number;
  deliveryId: string;
}

function recorded({ db }: TestShop, subscriber: string): Promise<Recorded[]> {
  return db.query('select * from echo_records where tenant_id = $1 and subscriber = $2 order by place', [subscriber]);
}

function untilRecorded(shop: TestShop, subscriber: string, count: number): Promise<Recorded[]> {
  return until(
    () => recorded(shop, subscriber),
    ({ length }) => length >= count,
  );
}

/** Resolves once no event and no delivery of the shop waits. */
async function untilIdle({ db }: TestShop): Promise<void> {
  await until(
    () =>
      db.query<{ waiting: boolean }>(
        `select exists (select from event_outbox where tenant_id = $1 and dispatched_at is null)
             or exists (select from event_deliveries where tenant_id = $1 and status = 'pending') as waiting`,
      ),
    ([row]) => row?.waiting === false,
  );
}

async function say({ staff }: TestShop, id: string, text: string): Promise<number> {
  return (await staff.post('/admin/echoes', { id, text })).status;
}

const deliveries = ({ db }: TestShop, subscriber: string) =>
  db.query<{ id: string; type: string; status: string; attempts: number; error: string | null; nextAttemptAt: string }>(
    'select * from event_deliveries where tenant_id = $1 and subscriber = $2 order by position, id',
    [subscriber],
  );

/** Makes what waits for another attempt due now. */
const hurry = ({ db }: TestShop) =>
  db.query("update event_deliveries set next_attempt_at = now() where tenant_id = $1 and status = 'pending'");

const fail = ({ db }: TestShop, subscriber: string) => db.insert('echo_faults', { subscriber });
const mend = ({ db }: TestShop) => db.query('delete from echo_faults where tenant_id = $1');

/** A second replica on the database of a box. */
async function replicaOf(t: Test, box: TestBox, given: { packages: readonly string[]; packagesFrom: string }) {
  const { databaseUrl } = box;
  const replica = await boot({ ...given, databaseUrl, tier: 'basic', host: '127.0.0.1', port: 0 });
  t.teardown(() => replica.stop());
  return replica;
}

t.test('every event reaches each subscriber once and in the order of its resource, on two replicas', async (t) => {
  const given = await echoPackage(t);
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...given });
  await replicaOf(t, box, given);
  const other = await box.openShop();
  const shops = [box, other];
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  const said: number[] = [];
  for (let round = 0; round < 12; round++) {
    const both = shops.flatMap((shop) => ids.map((id) => say(shop, id, `${id} ${String(round).padStart(2, '0')}`)));
    said.push(...(await Promise.all(both)));
  }
  t.ok(said.every((status) => status === 201));
  for (const shop of shops) {
    await untilIdle(shop);
    for (const subscriber of ['echo.once', 'echo.in-steps']) {
      const texts = (await recorded(shop, subscriber)).map(({ text }) => text);
      t.equal(texts.length, 36, 'each once');
      for (const id of ids) {
        const own = texts.filter((text) => text.startsWith(id));
        t.strictSame(own, [...own].sort(), 'in order');
      }
      const types = (await deliveries(shop, subscriber)).map(({ type }) => type);
      t.equal(types.filter((type) => type === 'echo.written').length, 36, 'a delivery has the type of its event');
    }
  }
});

t.test('what fails', async (t) => {
  const given = await echoPackage(t);
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...given });

  t.test('is undone and comes again, and keeps what is behind it waiting and nothing else', async (t) => {
    const shop = await box.openShop();
    const [failing, fine] = [randomUUID(), randomUUID()];
    await fail(shop, 'echo.once');
    await say(shop, failing, 'first');
    const [tried] = await until(
      () => deliveries(shop, 'echo.once'),
      ([first]) => first?.error != null,
    );
    t.match(tried, { status: 'pending', attempts: 1, error: 'echo.once does not feel like it' });
    t.ok(Date.parse(tried?.nextAttemptAt as string) > Date.now(), 'after a pause');
    t.strictSame(await recorded(shop, 'echo.once'), [], 'its work was undone');
    await say(shop, failing, 'second');
    await untilRecorded(shop, 'echo.in-steps', 2);
    await mend(shop);
    await say(shop, fine, 'other');
    await untilRecorded(shop, 'echo.once', 1);
    t.match(await recorded(shop, 'echo.once'), exactly([{ text: 'other' }]), 'another resource does not wait');
    await hurry(shop);
    await untilIdle(shop);
    const records = await recorded(shop, 'echo.once');
    t.strictSame(
      records.map(({ text, attempt }) => [text, attempt]),
      [
        ['other', 1],
        ['first', 2],
        ['second', 1],
      ],
    );
  });

  t.test('in steps is given the same delivery id, and its steps stay', async (t) => {
    const shop = await box.openShop();
    await fail(shop, 'echo.in-steps');
    await say(shop, randomUUID(), 'twice');
    await until(
      () => deliveries(shop, 'echo.in-steps').then((all) => all.filter(({ error }) => error !== null)),
      ({ length }) => length > 0,
    );
    await mend(shop);
    await hurry(shop);
    await untilIdle(shop);
    const records = await recorded(shop, 'echo.in-steps');
    t.strictSame(
      records.map(({ attempt }) => attempt),
      [1, 2],
    );
    t.equal(records[0]?.deliveryId, records[1]?.deliveryId);
  });

  t.test('too often is dead, lets the next through, and can be sent again', async (t) => {
    const shop = await box.openShop();
    const id = randomUUID();
    await fail(shop, 'echo.once');
    await say(shop, id, 'unlucky');
    await until(
      () => deliveries(shop, 'echo.once'),
      ([first]) => first?.error != null,
    );
    await shop.db.query('update event_deliveries set attempts = $2 where tenant_id = $1 and error is not null', [
      mostAttempts - 1,
    ]);
    await hurry(shop);
    await until(
      () => deliveries(shop, 'echo.once'),
      ([first]) => first?.status === 'dead',
    );
    await mend(shop);
    await say(shop, id, 'lucky');
    await untilIdle(shop);
    t.match(await recorded(shop, 'echo.once'), exactly([{ text: 'lucky' }]));
    const { body } = await shop.staff.get('/admin/event-deliveries?status=dead');
    t.match(
      body.items,
      exactly([{ subscriber: 'echo.once', attempts: mostAttempts, event: { type: 'echo.written' } }]),
    );
    const retried = await shop.staff.post(`/admin/event-deliveries/${body.items[0].id}/retry`);
    t.match(retried, { status: 200, body: { status: 'pending', attempts: 0 } });
    await untilIdle(shop);
    t.match(await recorded(shop, 'echo.once'), exactly([{ text: 'lucky' }, { text: 'unlucky' }]));
  });

  t.test('whoever lost the claim meanwhile has done nothing', async (t) => {
    const shop = await box.openShop();
    await fail(shop, 'echo.once');
    await shop.db.transaction(async (tx) => {
      // The subscriber waits for this row.
      await mend({ ...shop, db: tx });
      await say(shop, randomUUID(), 'slow');
      await until(
        () => deliveries(shop, 'echo.once'),
        ([first]) => first?.attempts === 1,
      );
      await shop.db.query("update event_deliveries set attempts = 2 where tenant_id = $1 and subscriber = 'echo.once'");
    });
    await hurry(shop);
    const records = await untilRecorded(shop, 'echo.once', 1);
    t.match(records, exactly([{ text: 'slow', attempt: 3 }]), 'the one that took it over has');
    await untilIdle(shop);
    t.equal((await recorded(shop, 'echo.once')).length, 1);
  });
});

t.test('nothing is told of what was undone', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...(await echoPackage(t)) });
  t.equal(await say(box, randomUUID(), 'undone'), 500);
  t.equal(await say(box, randomUUID(), 'done'), 201);
  t.match(await untilRecorded(box, 'echo.once', 1), exactly([{ text: 'done' }]));
  t.strictSame(
    await box.db.query("select 1 from event_outbox where tenant_id = $1 and payload->>'text' = 'undone'"),
    [],
  );
});

t.test('an event that nobody was woken for is found', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...(await echoPackage(t)) });
  await box.db.query(
    `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
     values ($1, $2, 'echo.written', 'echo', $2, '{"text": "found"}')`,
    [randomUUID()],
  );
  t.match(await untilRecorded(box, 'echo.once', 1), exactly([{ text: 'found' }]));
});

t.test('a job runs once when it is due, on one of two replicas', async (t) => {
  const given = await echoPackage(t);
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...given });
  await replicaOf(t, box, given);
  await untilRecorded(box, 'echo.count', 1);
  await box.db.query("update background_tasks set due_at = now() where tenant_id = $1 and name = 'echo.count'");
  await untilRecorded(box, 'echo.count', 2);
  const [task] = await box.db.query<{ due: boolean }>(
    "select due_at > now() as due from background_tasks where tenant_id = $1 and name = 'echo.count'",
  );
  t.match(task, { due: true });
  t.equal((await recorded(box, 'echo.count')).length, 2);
});
