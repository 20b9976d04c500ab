/**
 * Events from the outbox to subscribers: delivered once, in order, retried after a failure, and never lost.
 */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { maxAttempts } from '../../events/deliver.ts';
import { startBox } from '../../start-box.ts';
import { createTestBox, type TestBox, type TestTenant } from '../../testing/box.ts';
import { untilDelivered } from '../../testing/events.ts';
import { exactly } from '../../testing/exactly.ts';
import { until } from '../../testing/waiting.ts';
import { echoPackage } from './echo-package.ts';

interface Recorded {
  subscriber: string;
  text: string;
  attempt: number;
  deliveryId: string;
}

function recorded({ db }: TestTenant, subscriber: string): Promise<Recorded[]> {
  return db.query('select * from echo_records where tenant_id = $1 and subscriber = $2 order by position', [
    subscriber,
  ]);
}

function untilRecorded(tenant: TestTenant, subscriber: string, count: number): Promise<Recorded[]> {
  return until(
    () => recorded(tenant, subscriber),
    ({ length }) => length >= count,
  );
}

async function say({ staff }: TestTenant, id: string, text: string): Promise<number> {
  return (await staff.post('/admin/echoes', { id, text })).status;
}

const deliveries = ({ db }: TestTenant, subscriber: string) =>
  db.query<{ id: string; type: string; status: string; attempts: number; error: string | null; nextAttemptAt: string }>(
    'select * from event_deliveries where tenant_id = $1 and subscriber = $2 order by position, id',
    [subscriber],
  );

/** Makes all pending deliveries due now. */
const makeDue = ({ db }: TestTenant) =>
  db.query("update event_deliveries set next_attempt_at = now() where tenant_id = $1 and status = 'pending'");

const addFault = ({ db }: TestTenant, subscriber: string) => db.insert('echo_faults', { subscriber });
const removeFaults = ({ db }: TestTenant) => db.query('delete from echo_faults where tenant_id = $1');

/** Starts a second replica on the database of a box. */
async function startReplica(t: Test, box: TestBox, packages: { packages: readonly string[]; packagesFrom: string }) {
  const { databaseUrl } = box;
  const replica = await startBox({ ...packages, databaseUrl, tier: 'basic', host: '127.0.0.1', port: 0 });
  t.teardown(() => replica.stop());
  return replica;
}

t.test('every event is delivered to each subscriber once, in the order of its resource, by two replicas', async (t) => {
  const packages = await echoPackage(t);
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...packages });
  await startReplica(t, box, packages);
  const other = await box.openTenant();
  const tenants = [box, other];
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  const statuses: number[] = [];
  for (let round = 0; round < 12; round++) {
    const both = tenants.flatMap((tenant) =>
      ids.map((id) => say(tenant, id, `${id} ${String(round).padStart(2, '0')}`)),
    );
    statuses.push(...(await Promise.all(both)));
  }
  t.ok(statuses.every((status) => status === 201));
  for (const tenant of tenants) {
    await untilDelivered(tenant);
    for (const subscriber of ['echo.once', 'echo.outside']) {
      const texts = (await recorded(tenant, subscriber)).map(({ text }) => text);
      t.equal(texts.length, 36, 'each once');
      for (const id of ids) {
        const own = texts.filter((text) => text.startsWith(id));
        t.strictSame(own, [...own].sort(), 'in order');
      }
      const types = (await deliveries(tenant, subscriber)).map(({ type }) => type);
      t.equal(types.filter((type) => type === 'echo.written').length, 36, 'a delivery has the type of its event');
    }
  }
});

t.test('a delivery that fails', async (t) => {
  const packages = await echoPackage(t);
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...packages });

  t.test('is rolled back and retried, and blocks only later events of its resource', async (t) => {
    const tenant = await box.openTenant();
    const [failing, other] = [randomUUID(), randomUUID()];
    await addFault(tenant, 'echo.once');
    await say(tenant, failing, 'first');
    const [attempted] = await until(
      () => deliveries(tenant, 'echo.once'),
      ([first]) => first?.error != null,
    );
    t.match(attempted, { status: 'pending', attempts: 1, error: 'echo.once fails ' });
    t.ok(Date.parse(attempted?.nextAttemptAt as string) > Date.now(), 'with back-off');
    t.strictSame(await recorded(tenant, 'echo.once'), [], 'its work was rolled back');
    await say(tenant, failing, 'second');
    await untilRecorded(tenant, 'echo.outside', 2);
    await removeFaults(tenant);
    await say(tenant, other, 'other');
    await untilRecorded(tenant, 'echo.once', 1);
    t.match(await recorded(tenant, 'echo.once'), exactly([{ text: 'other' }]), 'another resource does not wait');
    await makeDue(tenant);
    await untilDelivered(tenant);
    const records = await recorded(tenant, 'echo.once');
    t.strictSame(
      records.map(({ text, attempt }) => [text, attempt]),
      [
        ['other', 1],
        ['first', 2],
        ['second', 1],
      ],
    );
  });

  t.test('outside a transaction is retried with the same delivery id, and its writes stay', async (t) => {
    const tenant = await box.openTenant();
    await addFault(tenant, 'echo.outside');
    await say(tenant, randomUUID(), 'twice');
    await until(
      () => deliveries(tenant, 'echo.outside').then((all) => all.filter(({ error }) => error !== null)),
      ({ length }) => length > 0,
    );
    await removeFaults(tenant);
    await makeDue(tenant);
    await untilDelivered(tenant);
    const records = await recorded(tenant, 'echo.outside');
    t.strictSame(
      records.map(({ attempt }) => attempt),
      [1, 2],
    );
    t.equal(records[0]?.deliveryId, records[1]?.deliveryId);
  });

  t.test('too often is dead, no longer blocks the next, and can be retried', async (t) => {
    const tenant = await box.openTenant();
    const id = randomUUID();
    await addFault(tenant, 'echo.once');
    await say(tenant, id, 'failing');
    await until(
      () => deliveries(tenant, 'echo.once'),
      ([first]) => first?.error != null,
    );
    await tenant.db.query('update event_deliveries set attempts = $2 where tenant_id = $1 and error is not null', [
      maxAttempts - 1,
    ]);
    await makeDue(tenant);
    await until(
      () => deliveries(tenant, 'echo.once'),
      ([first]) => first?.status === 'dead',
    );
    await removeFaults(tenant);
    await say(tenant, id, 'next');
    await untilDelivered(tenant);
    t.match(await recorded(tenant, 'echo.once'), exactly([{ text: 'next' }]));
    const { body } = await tenant.staff.get('/admin/event-deliveries?status=dead');
    t.match(body.items, exactly([{ subscriber: 'echo.once', attempts: maxAttempts, event: { type: 'echo.written' } }]));
    const retried = await tenant.staff.post(`/admin/event-deliveries/${body.items[0].id}/retry`);
    t.match(retried, { status: 200, body: { status: 'pending', attempts: 0 } });
    await untilDelivered(tenant);
    t.match(await recorded(tenant, 'echo.once'), exactly([{ text: 'next' }, { text: 'failing' }]));
  });

  t.test('is rolled back when another replica has claimed it meanwhile', async (t) => {
    const tenant = await box.openTenant();
    await addFault(tenant, 'echo.once');
    await tenant.db.transaction(async (tx) => {
      // The subscriber waits for this row.
      await removeFaults({ ...tenant, db: tx });
      await say(tenant, randomUUID(), 'slow');
      await until(
        () => deliveries(tenant, 'echo.once'),
        ([first]) => first?.attempts === 1,
      );
      await tenant.db.query(
        "update event_deliveries set attempts = 2 where tenant_id = $1 and subscriber = 'echo.once'",
      );
    });
    await makeDue(tenant);
    const records = await untilRecorded(tenant, 'echo.once', 1);
    t.match(records, exactly([{ text: 'slow', attempt: 3 }]), 'only the later claim is recorded');
    await untilDelivered(tenant);
    t.equal((await recorded(tenant, 'echo.once')).length, 1);
  });
});

t.test('the events of a transaction that was rolled back are not delivered', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...(await echoPackage(t)) });
  t.equal(await say(box, randomUUID(), 'rolled back'), 500);
  t.equal(await say(box, randomUUID(), 'committed'), 201);
  t.match(await untilRecorded(box, 'echo.once', 1), exactly([{ text: 'committed' }]));
  t.strictSame(
    await box.db.query("select 1 from event_outbox where tenant_id = $1 and payload->>'text' = 'rolled back'"),
    [],
  );
});

t.test('an event is delivered only to the subscribers that it concerns', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...(await echoPackage(t)) });
  const id = randomUUID();
  for (const text of ['quiet', 'LOUD', 'quiet again']) await say(box, id, text);
  await untilDelivered(box);
  const delivered = async (subscriber: string) => (await deliveries(box, subscriber)).map(({ status }) => status);
  t.strictSame(await delivered('echo.once'), ['delivered', 'delivered', 'delivered']);
  t.strictSame(await delivered('echo.loud'), ['delivered']);
  t.match(await recorded(box, 'echo.loud'), exactly([{ text: 'LOUD', attempt: 1 }]));
});

t.test('the sweep finds an event without a notification', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...(await echoPackage(t)) });
  await box.db.query(
    `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
     values ($1, $2, 'echo.written', 'echo', $2, '{"text": "found"}')`,
    [randomUUID()],
  );
  t.match(await untilRecorded(box, 'echo.once', 1), exactly([{ text: 'found' }]));
});

t.test('a job runs once when it is due, on one of two replicas', async (t) => {
  const packages = await echoPackage(t);
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...packages });
  await startReplica(t, box, packages);
  await untilRecorded(box, 'echo.count', 1);
  await box.db.query("update background_tasks set due_at = now() where tenant_id = $1 and name = 'echo.count'");
  await untilRecorded(box, 'echo.count', 2);
  const [task] = await box.db.query<{ due: boolean }>(
    "select due_at > now() as due from background_tasks where tenant_id = $1 and name = 'echo.count'",
  );
  t.match(task, { due: true });
  t.equal((await recorded(box, 'echo.count')).length, 2);
});
