/**
 * Download reports: stored before the response, stored once, read by the vendor.
 */
import { randomUUID } from 'node:crypto';
import { packageName } from '@carton/runtime/service';
import { exactly, pointersOf } from '@carton/runtime/testing';
import t from 'tap';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const report = {
  customerId: 'customer-1',
  tier: 'basic',
  packageName: packageName('cart'),
  version: '0.1.0',
  outcome: 'allowed',
};
const send = (body: unknown, key?: string) =>
  controlPlane.registry.post(
    '/telemetry/download',
    body,
    key === undefined ? {} : { headers: { 'idempotency-key': key } },
  );
const stored = (customerId: string) => controlPlane.db('download_reports').where({ customerId });

t.test('a report is stored when the response arrives', async (t) => {
  const { status, body } = await send(report);
  t.equal(status, 202);
  t.strictSame(body, { accepted: true });
  t.match(await stored('customer-1'), exactly([report]));
  const { version: _, ...withoutVersion } = report;
  t.equal((await send({ ...withoutVersion, customerId: 'customer-2', outcome: 'denied' })).status, 202);
  t.match(await stored('customer-2'), exactly([{ version: null, outcome: 'denied' }]));
});

t.test('an invalid report is rejected with the field at fault, and not stored', async (t) => {
  const cases: [change: Record<string, unknown>, pointer: string][] = [
    [{ customerId: undefined }, '/customerId'],
    [{ customerId: '' }, '/customerId'],
    [{ tier: undefined }, '/tier'],
    [{ tier: 'platinum' }, '/tier'],
    [{ packageName: undefined }, '/packageName'],
    [{ packageName: 'Not A Package' }, '/packageName'],
    [{ packageName: '' }, '/packageName'],
    [{ version: '' }, '/version'],
    [{ version: 1 }, '/version'],
    [{ outcome: undefined }, '/outcome'],
    [{ outcome: 'maybe' }, '/outcome'],
    [{ host: 'x' }, '/host'],
  ];
  for (const [change, pointer] of cases) {
    const response = await send({ ...report, customerId: 'customer-faulty', ...change });
    t.strictSame([response.status, pointersOf(response)], [400, [pointer]], JSON.stringify(change));
  }
  t.strictSame(await stored('customer-faulty'), []);
});

t.test('a repeated report is stored once, also when the requests are concurrent', async (t) => {
  const key = randomUUID();
  const repeated = { ...report, customerId: 'customer-repeats' };
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(repeated, key)));
  responses.push(await send(repeated, key));
  t.strictSame(new Set(responses.map(({ status }) => status)), new Set([202]));
  t.equal(responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 8);
  t.equal((await stored('customer-repeats')).length, 1);

  t.match(await send({ ...repeated, outcome: 'denied' }, key), {
    status: 409,
    body: { code: 'idempotency_key_reused' },
  });
  t.match(await send({ ...repeated, version: undefined }, key), { status: 409 });
  t.match(await send(repeated, ''), { status: 400 });
  t.match(await send(repeated, 'k'.repeat(256)), { status: 400 });
  t.equal((await send(repeated)).status, 202);
  t.equal((await send(repeated)).status, 202);
  t.equal((await stored('customer-repeats')).length, 3, 'without a key, each is stored');
});

t.test('reports are listed by page, customer, package and outcome', async (t) => {
  const customerId = 'customer-read';
  for (const [short, outcome] of [
    ['cart', 'allowed'],
    ['audit', 'denied'],
    ['cart', 'denied'],
  ]) {
    await send({ ...report, customerId, packageName: packageName(short as string), outcome });
  }
  const list = async (query: string) => {
    const { body } = await controlPlane.admin.get(`/telemetry/downloads?customerId=${customerId}&${query}`);
    return { ...body, items: body.items.map((item: typeof report) => `${item.packageName} ${item.outcome}`) };
  };
  const all = [`${packageName('cart')} denied`, `${packageName('audit')} denied`, `${packageName('cart')} allowed`];
  const first = await list('limit=2');
  t.strictSame(first.items, all.slice(0, 2), 'newest first');
  t.match(await list(`limit=2&cursor=${first.nextCursor}`), { items: all.slice(2), nextCursor: null });
  t.strictSame((await list('outcome=allowed')).items, all.slice(2));
  t.strictSame((await list(`packageName=${encodeURIComponent(packageName('audit'))}`)).items, [all[1]]);
  t.match(await controlPlane.admin.get('/telemetry/downloads?outcome=maybe'), { status: 400 });
});
