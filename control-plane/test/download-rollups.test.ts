/**
 * Counts of downloads by day: each download once and on its own day, whatever the number of replicas, kills and late
 * reports; and the removal of reports that have been counted.
 */
import { randomUUID } from 'node:crypto';
import { connect, packageName } from '@carton/runtime/service';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { removeOldReports, rollUpReports } from '../telemetry/roll-up.ts';
import { startTestControlPlane, type TestControlPlane } from './test-control-plane.ts';

const report = {
  customerId: 'acme',
  tier: 'basic',
  packageName: packageName('cart'),
  version: '0.1.0',
  outcome: 'allowed',
};

/** Sends reports of downloads at these times. */
async function send({ registry }: TestControlPlane, times: readonly string[], change: object = {}): Promise<void> {
  for (let at = 0; at < times.length; at += 500) {
    const reports = times.slice(at, at + 500).map((downloadedAt) => ({
      idempotencyKey: randomUUID(),
      downloadedAt,
      report: { ...report, ...change },
    }));
    const { status } = await registry.post('/telemetry/downloads/batch', { reports });
    if (status !== 202) throw new Error(`${status}`);
  }
}

const many = (count: number, time: string) => Array.from({ length: count }, () => time);
const daysOf = async ({ db }: TestControlPlane) =>
  (await db('download_rollups').orderBy(['day', 'packageName', 'version']).select('day', 'count')).map(
    ({ day, count }) => [day, count],
  );
const countsOf = async ({ db }: TestControlPlane) => {
  const { rows } = await db.raw(
    `select (select sum(count)::integer from download_rollups) as days, (select sum(count)::integer from download_totals) as totals`,
  );
  return rows[0];
};

/** A connection of another replica. */
function replica(t: Test, { databaseUrl }: TestControlPlane) {
  const db = connect({ url: databaseUrl, poolSize: 2 });
  t.teardown(() => db.destroy());
  return db;
}

t.test('metrics say how many reports wait to be counted, and for how long', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const { db, admin } = controlPlane;
  const read = async () => {
    const { body } = await admin.get('/metrics');
    const value = (name: string) =>
      Number(new RegExp(`^carton_download_reports_${name} ([\\d.]+)$`, 'm').exec(body)?.[1]);
    return { reports: value('uncounted'), age: value('oldest_uncounted_seconds') };
  };
  await send(controlPlane, many(3, '2026-11-20T12:00:00Z'));
  await db('download_reports').update({ createdAt: db.raw("now() - interval '1000 seconds'") });
  const waiting = await read();
  t.equal(waiting.reports, 3);
  t.ok(waiting.age >= 1000);
  await rollUpReports(db);
  // They are read once a second at most.
  let counted = waiting;
  while (counted.reports === 3) counted = await read();
  t.strictSame(counted, { reports: 0, age: 0 });
});

t.test('downloads are counted by day in UTC, customer, tier, package, version and outcome', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const { db, admin } = controlPlane;
  await send(controlPlane, ['2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z', '2026-11-20T23:59:59Z']);
  await send(controlPlane, ['2026-11-20T12:00:00+13:00'], { version: undefined });
  await send(controlPlane, ['2026-11-20T12:00:00Z'], { version: undefined, outcome: 'denied' });
  await send(controlPlane, ['2026-11-20T12:00:00Z'], { tier: 'growth' });
  await send(controlPlane, ['2026-11-20T12:00:00Z'], { customerId: 'other' });
  t.equal(await rollUpReports(db), 7);
  t.equal(await rollUpReports(db), 0, 'once');
  const { status, body } = await admin.get('/telemetry/rollups?limit=100');
  t.equal(status, 200);
  const shown = body.items
    .map(({ id: _, ...rest }: { id: string }) => rest)
    .sort((a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const day = '2026-11-20';
  const expected = [
    { day: '2026-11-19', ...report, count: 1 },
    { day, ...report, count: 2 },
    { day: '2026-11-19', ...report, version: null, count: 1 },
    { day, ...report, version: null, outcome: 'denied', count: 1 },
    { day, ...report, tier: 'growth', count: 1 },
    { day, ...report, customerId: 'other', count: 1 },
  ];
  t.equal(shown.length, expected.length);
  t.strictSame(
    new Set(shown.map((row: Record<string, unknown>) => JSON.stringify(Object.entries(row).sort()))),
    new Set(expected.map((row) => JSON.stringify(Object.entries(row).sort()))),
  );
  const only = (query: string) =>
    admin
      .get(`/telemetry/rollups?${query}`)
      .then(({ body }) => body.items.map(({ count }: { count: number }) => count));
  t.strictSame(await only('from=2026-11-20&to=2026-11-21&customerId=acme&tier=basic&outcome=allowed'), [2]);
  t.strictSame(await only('from=2026-11-21'), []);
  t.strictSame(await only('to=2026-11-20&version=0.1.0'), [1]);
  t.equal((await admin.get('/telemetry/rollups?from=2026-11-20T00:00:00Z')).status, 400);
});

t.test('late reports are added to the right day, once', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const { db } = controlPlane;
  await send(controlPlane, ['2026-11-20T10:00:00Z', '2026-11-22T10:00:00Z']);
  await rollUpReports(db);
  await send(controlPlane, ['2026-11-18T10:00:00Z', '2026-11-20T11:00:00Z']);
  await rollUpReports(db);
  await rollUpReports(db);
  t.strictSame(await daysOf(controlPlane), [
    ['2026-11-18', 1],
    ['2026-11-20', 2],
    ['2026-11-22', 1],
  ]);
  t.match(
    await db('download_totals'),
    exactly([{ count: 4, firstAt: '2026-11-18T10:00:00.000Z', lastAt: '2026-11-22T10:00:00.000Z' }]),
  );
});

t.test('replicas that count at once while reports arrive count each once', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const replicas = [controlPlane.db, replica(t, controlPlane), replica(t, controlPlane)];
  const sending = Promise.all(
    ['2026-11-20T10:00:00Z', '2026-11-21T10:00:00Z'].map((time) => send(controlPlane, many(1500, time))),
  );
  let isOver = false;
  const counting = replicas.map(async (db) => {
    while (!isOver) await rollUpReports(db, 100);
  });
  await sending;
  isOver = true;
  await Promise.all(counting);
  await rollUpReports(controlPlane.db);
  t.strictSame(await daysOf(controlPlane), [
    ['2026-11-20', 1500],
    ['2026-11-21', 1500],
  ]);
  t.strictSame(await countsOf(controlPlane), { days: 3000, totals: 3000 });
});

t.test('a process that dies while it counts has counted nothing', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const { db } = controlPlane;
  await send(controlPlane, many(250, '2026-11-20T10:00:00Z'));
  t.equal(await rollUpReports(db, 1000), 250);
  await send(controlPlane, many(250, '2026-11-20T10:00:00Z'));
  // The connection ends at each of the statements, as that of a killed process does.
  for (const table of ['download_reports', 'download_rollups', 'download_totals']) {
    await db.raw(`
      create function end_connection() returns trigger language plpgsql as $$
      begin
        perform pg_terminate_backend(pg_backend_pid());
        return null;
      end $$;
      create trigger ends after insert or update on ${table} for each statement execute function end_connection()`);
    const dying = connect({ url: controlPlane.databaseUrl, poolSize: 1 });
    await t.rejects(rollUpReports(dying), table);
    await dying.destroy();
    await db.raw(`drop trigger ends on ${table}; drop function end_connection()`);
    t.strictSame(await countsOf(controlPlane), { days: 250, totals: 250 }, table);
  }
  t.equal(await rollUpReports(db), 250);
  t.strictSame(await countsOf(controlPlane), { days: 500, totals: 500 });
});

t.test('reports are removed once they are old and counted; counts stay', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const { db } = controlPlane;
  const age = (days: number) =>
    db('download_reports').update({ createdAt: db.raw('created_at - make_interval(days => ?)', [days]) });
  await send(controlPlane, many(3, '2026-01-20T10:00:00Z'));
  await age(11);
  t.equal(await removeOldReports(db, 10), 0, 'not counted yet');
  await rollUpReports(db);
  await send(controlPlane, many(2, '2026-01-20T10:00:00Z'));
  await rollUpReports(db);
  t.equal(await removeOldReports(db, 0), 0, '0 is for ever');
  t.equal(await removeOldReports(db, 12), 0);
  t.equal(await removeOldReports(db, 10), 3, 'the age is that of the arrival');
  t.equal((await db('download_reports')).length, 2);
  t.strictSame(await daysOf(controlPlane), [['2026-01-20', 5]]);
});

t.test('a running control plane counts by itself', async (t) => {
  const controlPlane = await startTestControlPlane(t, { rollUpInterval: 20 });
  await send(controlPlane, many(5, '2026-11-20T10:00:00Z'));
  while ((await countsOf(controlPlane)).days !== 5) await new Promise((resolve) => setTimeout(resolve, 20));
  t.strictSame(await daysOf(controlPlane), [['2026-11-20', 5]]);
});
