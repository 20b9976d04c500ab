/**
 * Batches of download reports: an outcome for each, stored once whatever way it comes, with the time of the download.
 */
import { randomUUID } from 'node:crypto';
import { packageName } from '@carton/runtime/service';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db, registry } = controlPlane;
const reportOf = (customerId: string, change: object = {}) => ({
  customerId,
  tier: 'basic',
  packageName: packageName('cart'),
  version: '0.1.0',
  outcome: 'allowed',
  ...change,
});
const itemOf = (customerId: string, { idempotencyKey = randomUUID(), ...rest }: Record<string, unknown> = {}) => ({
  idempotencyKey,
  report: reportOf(customerId),
  ...rest,
});
const send = (reports: unknown) => registry.post('/telemetry/downloads/batch', { reports });
const outcomesOf = ({ body }: Awaited<ReturnType<typeof send>>) =>
  body.outcomes.map(({ outcome }: { outcome: string }) => outcome);
const stored = (customerId: string) => db('download_reports').where({ customerId }).orderBy('downloadedAt');

t.test('each report of a batch is stored when the response arrives, with the time of its download', async (t) => {
  const times = ['2026-11-01T08:00:00.123Z', '2026-11-02T08:00:00.000Z'];
  const items = times.map((downloadedAt) => itemOf('timed', { downloadedAt }));
  const response = await send(items);
  t.equal(response.status, 202);
  t.strictSame(response.body, {
    outcomes: items.map(({ idempotencyKey }) => ({ idempotencyKey, outcome: 'stored', detail: null })),
  });
  t.match(await stored('timed'), exactly(times.map((downloadedAt) => ({ downloadedAt, ...reportOf('timed') }))));
});

t.test('a time that no right clock can have counts as the time of arrival', async (t) => {
  const before = Date.now() - 1000;
  const wrong = ['1970-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '2099-01-01T00:00:00Z', '2026-01-01T23:59:60Z', 'now'];
  t.strictSame(
    outcomesOf(await send([...wrong.map((downloadedAt) => itemOf('clock', { downloadedAt })), itemOf('clock')])),
    [...wrong.map(() => 'stored'), 'stored'],
  );
  for (const { downloadedAt, createdAt } of await stored('clock')) {
    t.equal(downloadedAt, createdAt);
    t.ok(Date.parse(downloadedAt) >= before);
  }
});

t.test('an invalid report is rejected with the reason, and the others are stored', async (t) => {
  const faulty = [
    { tier: 'platinum' },
    { version: '' },
    { host: 'x' },
    { customerId: 'a\u0000b' },
    { outcome: undefined },
  ];
  const items = faulty.flatMap((change) => [
    itemOf('partly'),
    itemOf('partly', { report: reportOf('partly', change) }),
  ]);
  const response = await send(items);
  t.equal(response.status, 202);
  t.strictSame(
    outcomesOf(response),
    faulty.flatMap(() => ['stored', 'rejected']),
  );
  for (const { outcome, detail } of response.body.outcomes) {
    if (outcome === 'rejected') t.match(detail, /\S/);
    else t.equal(detail, null);
  }
  t.equal((await stored('partly')).length, faulty.length);
});

t.test('a report is stored once: in one batch, in several at once, and singly before or after', async (t) => {
  const repeated = itemOf('once');
  t.strictSame(outcomesOf(await send([repeated, repeated])), ['stored', 'repeated']);
  t.strictSame(outcomesOf(await send([repeated])), ['repeated']);
  const single = (key: string, body = reportOf('once')) =>
    registry.post('/telemetry/download', body, { headers: { 'idempotency-key': key } });
  const after = await single(repeated.idempotencyKey as string);
  t.strictSame([after.status, after.body], [202, { accepted: true }]);
  t.equal((await stored('once')).length, 1);

  const first = randomUUID();
  t.equal((await single(first)).status, 202);
  t.strictSame(
    outcomesOf(await send([itemOf('once', { idempotencyKey: first, downloadedAt: '2026-11-01T08:00:00Z' })])),
    ['repeated'],
  );
  t.equal((await stored('once')).length, 2);

  const items = Array.from({ length: 100 }, () => itemOf('at once'));
  const turned = [...items].reverse();
  const responses = await Promise.all([items, turned, items, turned].map(send));
  t.strictSame(new Set(responses.map(({ status }) => status)), new Set([202]));
  t.equal(responses.flatMap(outcomesOf).filter((outcome) => outcome === 'stored').length, 100);
  t.equal((await stored('at once')).length, 100);
});

t.test('a key that another report has is rejected, in the batch and before', async (t) => {
  const one = itemOf('conflict');
  const other = { ...one, report: reportOf('conflict', { outcome: 'denied' }) };
  t.strictSame(outcomesOf(await send([one, other])), ['stored', 'rejected']);
  t.match((await send([other])).body, { outcomes: exactly([{ outcome: 'rejected', detail: /key/ }]) });
  t.match(await stored('conflict'), exactly([{ outcome: 'allowed' }]));
});

t.test('a batch is for the registry, and has 1 to 500 reports', async (t) => {
  t.equal((await controlPlane.admin.post('/telemetry/downloads/batch', { reports: [itemOf('x')] })).status, 401);
  t.equal((await send([])).status, 400);
  t.equal((await send(Array.from({ length: 501 }, () => itemOf('many')))).status, 400);
  t.strictSame(await stored('many'), []);
  const longest = reportOf('\u{1f6d2}'.repeat(255), { version: '\u{1f6d2}'.repeat(256) });
  const items = Array.from({ length: 500 }, () => ({ ...itemOf('x'), report: longest }));
  const { status, body } = await send(items);
  t.strictSame([status, body.outcomes?.length], [202, 500]);
});
