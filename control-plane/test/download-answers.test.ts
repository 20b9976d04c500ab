/**
 * What the vendor asks about customers: who runs an old version, and who was refused what.
 */
import { randomUUID } from 'node:crypto';
import { packageName } from '@carton/runtime/service';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { rollUpReports } from '../telemetry/roll-up.ts';
import { firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db, admin, publisher, registry } = controlPlane;
const cart = packageName('cart');
const [released] = firstRelease.packages.filter(({ name }) => name === cart);
const current = released?.version as string;

async function send(
  customerId: string,
  downloads: { version?: string; packageName?: string; outcome?: string; at?: string }[],
) {
  const reports = downloads.map(({ at = '2026-11-20T10:00:00.000Z', ...download }) => ({
    idempotencyKey: randomUUID(),
    downloadedAt: at,
    report: { customerId, tier: 'basic', packageName: cart, outcome: 'allowed', ...download },
  }));
  t.equal((await registry.post('/telemetry/downloads/batch', { reports })).status, 202);
  await rollUpReports(db);
}

const versions = async (query: string) => (await admin.get(`/customers/versions?${query}`)).body;

t.test('the newest version of each package is shown beside the current release of the channel', async (t) => {
  const canary = {
    ...firstRelease,
    version: '99.0.0',
    channel: 'canary',
    packages: firstRelease.packages.map((each) => (each.name === cart ? { ...each, version: '1.9.0' } : each)),
  };
  t.equal((await publisher.post('/releases', canary)).status, 201, 'a release on another channel');
  const { customerId } = await controlPlane.mint('old');
  await send(customerId, [
    { version: '0.0.9', at: '2026-11-21T10:00:00.000Z' },
    { version: '0.0.10', at: '2026-11-20T10:00:00.000Z' },
    { version: '0.0.10-rc.1' },
    { version: '0.0.8' },
    { version: current, outcome: 'denied' },
    {},
  ]);
  t.strictSame(await versions('customerId=old'), {
    items: [
      {
        customerId,
        packageName: cart,
        version: '0.0.10',
        downloadedAt: '2026-11-20T10:00:00.000Z',
        channels: [{ channel: 'stable', released: current, outdated: true }],
      },
    ],
    nextCursor: null,
  });
  const minted = await admin.post('/license/keys', { customerId, tier: 'basic', channel: 'canary' });
  await send(customerId, [{ version: current }]);
  t.match(
    (await versions('customerId=old')).items,
    exactly([
      {
        version: current,
        channels: exactly([
          { channel: 'canary', released: '1.9.0', outdated: true },
          { channel: 'stable', released: current, outdated: false },
        ]),
      },
    ]),
  );
  await admin.post(`/license/keys/${minted.body.id}/revoke`);
  t.strictSame((await versions('customerId=old&outdated=true')).items, [], 'a revoked licence does not count');
  t.equal((await versions('customerId=old&outdated=false')).items.length, 1);
});

t.test('versions are found by package and by being outdated, in pages', async (t) => {
  for (const customerId of ['p1', 'p2', 'p3', 'p4', 'p5']) {
    await send(customerId, [
      { version: ['p2', 'p4'].includes(customerId) ? current : '0.0.1' },
      { version: '7.0.0', packageName: packageName('nothing') },
      { version: 'nightly build', packageName: packageName('odd') },
    ]);
  }
  const pages: string[][] = [];
  let cursor = '';
  do {
    const page = await versions(
      `packageName=${encodeURIComponent(cart)}&outdated=true&limit=2${cursor && `&cursor=${cursor}`}`,
    );
    pages.push(page.items.map(({ customerId }: { customerId: string }) => customerId));
    cursor = page.nextCursor ?? '';
  } while (cursor);
  t.strictSame(pages, [['p1', 'p3'], ['p5']]);
  t.match(
    (await versions('customerId=p2')).items,
    exactly([
      { packageName: cart, version: current },
      { version: '7.0.0', channels: exactly([{ channel: 'stable', released: null, outdated: false }]) },
      { version: 'nightly build', channels: exactly([{ released: null, outdated: false }]) },
    ]),
  );
  t.equal((await admin.get('/customers/versions?cursor=x')).status, 400);
});

t.test('refusals are counted by customer and package, with the tier that includes the package', async (t) => {
  const { customerId } = await controlPlane.mint('refused', 'basic');
  const [sold] = firstRelease.packages.filter(({ tier }) => tier === 'enterprise' || tier === 'growth');
  const name = sold?.name as string;
  await send(customerId, [
    { packageName: name, version: '1.0.0', outcome: 'denied', at: '2026-11-18T10:00:00.000Z' },
    { packageName: name, outcome: 'denied', at: '2026-11-22T10:00:00.000Z' },
    { packageName: name, version: '1.0.0', outcome: 'allowed', at: '2026-11-23T10:00:00.000Z' },
    { packageName: packageName('zz-unknown'), outcome: 'denied' },
  ]);
  const { status, body } = await admin.get('/customers/refusals?customerId=refused');
  t.equal(status, 200);
  t.strictSame(body.items, [
    {
      customerId,
      packageName: name,
      count: 2,
      firstAt: '2026-11-18T10:00:00.000Z',
      lastAt: '2026-11-22T10:00:00.000Z',
      includedIn: sold?.tier,
      tiers: ['basic'],
    },
    {
      customerId,
      packageName: packageName('zz-unknown'),
      count: 1,
      firstAt: '2026-11-20T10:00:00.000Z',
      lastAt: '2026-11-20T10:00:00.000Z',
      includedIn: null,
      tiers: ['basic'],
    },
  ]);
  const page = await admin.get('/customers/refusals?customerId=refused&limit=1');
  t.match(page.body.items, exactly([{ packageName: name }]));
  const next = await admin.get(`/customers/refusals?customerId=refused&limit=1&cursor=${page.body.nextCursor}`);
  t.match(next.body, { items: exactly([{ packageName: packageName('zz-unknown') }]), nextCursor: null });
  t.match(
    (await admin.get(`/customers/refusals?packageName=${encodeURIComponent(name)}`)).body.items,
    exactly([{ customerId }]),
  );
});
