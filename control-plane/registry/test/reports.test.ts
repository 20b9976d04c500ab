// Download reports: delivered exactly once, whatever the state of the control plane.

import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import {
  makePackage,
  npm,
  openRegistry,
  prepareStorage,
  publishSecret,
  registrySecret,
  send,
  startControlPlaneStub,
  waitUntil,
} from '../testing/index.ts';

const makeStorage = await prepareStorage(
  t,
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } },
  { name: '@carton/collection', version: '2.0.0', carton: { tier: 'growth' } },
);
const cartTarball = '/@carton/cart/-/cart-1.2.0.tgz';
const allowed = {
  customerId: 'customer-1',
  tier: 'basic',
  packageName: '@carton/cart',
  version: '1.2.0',
  outcome: 'allowed',
};
const denied = { ...allowed, packageName: '@carton/collection', version: '2.0.0', outcome: 'denied' };
const reportFiles = (storage: string, state: string) => readdir(join(storage, 'reports', state));

t.test('tarballs are reported, packuments and searches are not', async (t) => {
  const { controlPlane, registry, tokenOf } = await openRegistry(t, { storage: await makeStorage(t) });
  const token = await tokenOf();
  await send(registry, '/@carton/cart', token);
  await send(registry, '/-/v1/search?text=cart', token);
  await send(registry, cartTarball, token, { method: 'HEAD' });
  await send(registry, '/@carton/cart/-/cart-9.9.9.tgz', token);
  await send(registry, '/@carton/nothing/-/nothing-1.0.0.tgz', token);
  await send(registry, cartTarball);
  await send(registry, cartTarball, publishSecret);
  await send(registry, cartTarball, token);
  await send(registry, '/@carton/collection', token);
  // Reports arrive in the order of the requests, so the denied one is the last.
  await waitUntil(() => controlPlane.state.received.some(({ report }) => report.outcome === 'denied'));
  t.strictSame(
    controlPlane.state.received.map(({ report }) => report),
    [allowed, denied],
  );
  for (const { headers } of controlPlane.state.received) {
    t.equal(headers.authorization, `Bearer ${registrySecret}`);
    t.match(headers['idempotency-key'], /^[0-9a-f-]{36}$/);
  }
});

t.test('repeated denials of a packument or tarball within a minute are reported once', async (t) => {
  let elapsed = 0;
  const storage = await makeStorage(t);
  const { controlPlane, registry, tokenOf } = await openRegistry(t, { storage, elapsed: () => elapsed });
  const token = await tokenOf();
  const paths = ['/@carton/collection', '/@carton%2fcollection', '/@carton/collection/-/collection-2.0.0.tgz'];
  for (const path of paths) t.equal((await send(registry, path, token)).status, 403);
  await send(registry, '/@carton/collection', await tokenOf({ sub: 'customer-2' }));
  elapsed = 60_000;
  for (const path of paths) await send(registry, path, token);
  await waitUntil(() => controlPlane.state.received.length >= 3);
  t.strictSame(
    controlPlane.state.received.map(({ report }) => report),
    [denied, { ...denied, customerId: 'customer-2' }, denied],
  );
});

t.test(
  'in an outage of the control plane, downloads continue and reports arrive once, after a restart too',
  async (t) => {
    const storage = await makeStorage(t);
    const options = { storage, publicUrl: 'http://registry.example' };
    const { controlPlane, registry: before, tokenOf, key } = await openRegistry(t, options);
    const token = await tokenOf();
    t.equal((await send(before, cartTarball, token)).status, 200);
    await waitUntil(() => controlPlane.state.received.length === 1);
    await controlPlane.stop();

    for (let count = 0; count < 5; count += 1) t.equal((await send(before, cartTarball, token)).status, 200);
    t.equal((await send(before, '/@carton/collection', token)).status, 403);
    await before.stop();
    t.equal((await reportFiles(storage, 'ready')).length, 6);

    const back = await startControlPlaneStub(t, [key], controlPlane.port);
    await openRegistry(t, { ...options, controlPlane: back });
    await waitUntil(async () => (await reportFiles(storage, 'ready')).length === 0);
    const keys = new Set(back.state.received.map(({ headers }) => headers['idempotency-key']));
    t.equal(keys.size, 6);
    t.strictSame(
      back.state.received.map(({ report }) => report),
      [allowed, allowed, allowed, allowed, allowed, denied],
    );
  },
);

t.test('a running registry delivers its reports after an outage of the control plane', async (t) => {
  const { controlPlane, registry, tokenOf } = await openRegistry(t, { storage: await makeStorage(t) });
  const token = await tokenOf();
  for (const status of [500, 401, 429]) {
    controlPlane.state.reportStatus = status;
    await send(registry, cartTarball, token);
  }
  controlPlane.state.reportStatus = 202;
  await waitUntil(() => controlPlane.state.received.length === 3);
  t.equal(new Set(controlPlane.state.received.map(({ headers }) => headers['idempotency-key'])).size, 3);
});

t.test('a report that the control plane rejects is moved to reports/dead, and the next ones arrive', async (t) => {
  const storage = await makeStorage(t);
  const logged: string[] = [];
  const log = (_level: string, message: string) => logged.push(message);
  const { controlPlane, registry, tokenOf } = await openRegistry(t, { storage, log });
  const token = await tokenOf();
  controlPlane.state.reportStatus = 422;
  await send(registry, cartTarball, token);
  await waitUntil(async () => (await reportFiles(storage, 'dead')).length === 1);
  controlPlane.state.reportStatus = 202;
  await send(registry, '/@carton/collection', token);
  await waitUntil(() => controlPlane.state.received.length === 1);
  t.match(controlPlane.state.received[0]?.report, denied);
  t.ok(logged.some((message) => message.includes('rejected a download report')));
  await waitUntil(async () => (await reportFiles(storage, 'ready')).length === 0);
});

t.test('after a crash, begun reports are delivered and incomplete files deleted', async (t) => {
  const storage = await makeStorage(t);
  const { controlPlane, registry: first } = await openRegistry(t, { storage });
  await first.stop();
  const begun = join(storage, 'reports', 'begun');
  await writeFile(join(begun, '000000000000001.one.json'), JSON.stringify(allowed));
  await writeFile(join(begun, '000000000000002.two.json'), '{"customerId":"cus');
  await openRegistry(t, { controlPlane, storage });
  await waitUntil(() => controlPlane.state.received.length === 1);
  t.strictSame(controlPlane.state.received[0]?.report, allowed);
  t.equal(controlPlane.state.received[0]?.headers['idempotency-key'], 'one');
  t.strictSame(await reportFiles(storage, 'begun'), []);
});

t.test('a download that the client aborts is not reported', async (t) => {
  const storage = await makeStorage(t);
  const { controlPlane, registry, tokenOf } = await openRegistry(t, { storage });
  const folder = await makePackage(t, { name: '@carton/large', version: '1.0.0', carton: { tier: 'basic' } });
  await writeFile(join(folder, 'noise.bin'), randomBytes(24 * 1024 * 1024));
  const { code, output } = await npm(registry, folder, publishSecret, 'publish');
  t.equal(code, 0, output);
  const token = await tokenOf({ packages: ['@carton/large'] });
  const path = '/@carton/large/-/large-1.0.0.tgz';
  await new Promise<void>((resolve) => {
    const outgoing = request(`${registry.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    outgoing.on('response', (response) => {
      response.once('data', () => outgoing.destroy());
      response.on('close', resolve).on('error', () => {});
    });
    outgoing.on('error', () => {}).end();
  });
  await waitUntil(async () => (await reportFiles(storage, 'begun')).length === 0);
  t.strictSame(await reportFiles(storage, 'ready'), []);
  t.equal((await send(registry, path, token)).body.length > 24 * 1024 * 1024, true);
  await waitUntil(() => controlPlane.state.received.length === 1);
  t.match(controlPlane.state.received[0]?.report, { packageName: '@carton/large', outcome: 'allowed' });
});
