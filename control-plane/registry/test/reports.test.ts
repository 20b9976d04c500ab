// Download reports: none is lost and none sent twice, whatever the control plane does meanwhile.

import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import {
  ask,
  makeKey,
  makePackage,
  npm,
  prepareStorage,
  publishSecret,
  registrySecret,
  signToken,
  start,
  startControlPlane,
  until,
} from './test-registry.ts';

const key = makeKey();
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
const left = (storage: string, state: string) => readdir(join(storage, 'reports', state));

t.test('tarballs are reported, packuments and searches are not', async (t) => {
  const controlPlane = await startControlPlane(t, [key]);
  const registry = await start(t, { controlPlaneUrl: controlPlane.url, storage: await makeStorage(t) });
  const token = await signToken(key, registry.url);
  await ask(registry, '/@carton/cart', token);
  await ask(registry, '/-/v1/search?text=cart', token);
  await ask(registry, cartTarball, token, { method: 'HEAD' });
  await ask(registry, '/@carton/cart/-/cart-9.9.9.tgz', token);
  await ask(registry, '/@carton/nothing/-/nothing-1.0.0.tgz', token);
  await ask(registry, cartTarball);
  await ask(registry, cartTarball, publishSecret);
  await ask(registry, cartTarball, token);
  await ask(registry, '/@carton/collection', token);
  // Reports arrive in the order of the requests, so nothing of the above is still to come after the refusal's.
  await until(() => controlPlane.state.received.some(({ report }) => report.outcome === 'denied'));
  t.strictSame(
    controlPlane.state.received.map(({ report }) => report),
    [allowed, denied],
  );
  for (const { headers } of controlPlane.state.received) {
    t.equal(headers.authorization, `Bearer ${registrySecret}`);
    t.match(headers['idempotency-key'], /^[0-9a-f-]{36}$/);
  }
});

t.test('the same refusal counts once a minute, as packument or tarball', async (t) => {
  const controlPlane = await startControlPlane(t, [key]);
  let elapsed = 0;
  const registry = await start(t, {
    controlPlaneUrl: controlPlane.url,
    storage: await makeStorage(t),
    elapsed: () => elapsed,
  });
  const token = await signToken(key, registry.url);
  const paths = ['/@carton/collection', '/@carton%2fcollection', '/@carton/collection/-/collection-2.0.0.tgz'];
  for (const path of paths) t.equal((await ask(registry, path, token)).status, 403);
  await ask(registry, '/@carton/collection', await signToken(key, registry.url, { sub: 'customer-2' }));
  elapsed = 60_000;
  for (const path of paths) await ask(registry, path, token);
  await until(() => controlPlane.state.received.length >= 3);
  t.strictSame(
    controlPlane.state.received.map(({ report }) => report),
    [denied, { ...denied, customerId: 'customer-2' }, denied],
  );
});

t.test('a control plane that is away stops no download and gets every report once, also after a restart', async (t) => {
  const controlPlane = await startControlPlane(t, [key]);
  const storage = await makeStorage(t);
  const publicUrl = 'http://registry.example';
  const options = { controlPlaneUrl: controlPlane.url, storage, publicUrl };
  const token = await signToken(key, publicUrl);
  const before = await start(t, options);
  t.equal((await ask(before, cartTarball, token)).status, 200);
  await until(() => controlPlane.state.received.length === 1);
  await controlPlane.stop();

  for (let count = 0; count < 5; count += 1) t.equal((await ask(before, cartTarball, token)).status, 200);
  t.equal((await ask(before, '/@carton/collection', token)).status, 403);
  await before.stop();
  t.equal((await left(storage, 'ready')).length, 6);

  const back = await startControlPlane(t, [key], controlPlane.port);
  await start(t, options);
  await until(async () => (await left(storage, 'ready')).length === 0);
  const keys = new Set(back.state.received.map(({ headers }) => headers['idempotency-key']));
  t.equal(keys.size, 6);
  t.strictSame(
    back.state.received.map(({ report }) => report),
    [allowed, allowed, allowed, allowed, allowed, denied],
  );
});

t.test('a control plane that returns gets the reports of a running registry', async (t) => {
  const controlPlane = await startControlPlane(t, [key]);
  const registry = await start(t, { controlPlaneUrl: controlPlane.url, storage: await makeStorage(t) });
  const token = await signToken(key, registry.url);
  for (const answer of [500, 401, 429]) {
    controlPlane.state.answer = answer;
    await ask(registry, cartTarball, token);
  }
  controlPlane.state.answer = 202;
  await until(() => controlPlane.state.received.length === 3);
  t.equal(new Set(controlPlane.state.received.map(({ headers }) => headers['idempotency-key'])).size, 3);
});

t.test('a report the control plane refuses is put aside, and the next ones arrive', async (t) => {
  const controlPlane = await startControlPlane(t, [key]);
  const storage = await makeStorage(t);
  const logged: string[] = [];
  const log = (_level: string, message: string) => logged.push(message);
  const registry = await start(t, { controlPlaneUrl: controlPlane.url, storage, log });
  const token = await signToken(key, registry.url);
  controlPlane.state.answer = 422;
  await ask(registry, cartTarball, token);
  await until(async () => (await left(storage, 'dead')).length === 1);
  controlPlane.state.answer = 202;
  await ask(registry, '/@carton/collection', token);
  await until(() => controlPlane.state.received.length === 1);
  t.match(controlPlane.state.received[0]?.report, denied);
  t.ok(logged.some((message) => message.includes('refused a download report')));
  await until(async () => (await left(storage, 'ready')).length === 0);
});

t.test('what a killed registry was serving is reported; what was cut off while it was written is not', async (t) => {
  const controlPlane = await startControlPlane(t, [key]);
  const storage = await makeStorage(t);
  const first = await start(t, { controlPlaneUrl: controlPlane.url, storage });
  await first.stop();
  const begun = join(storage, 'reports', 'begun');
  await writeFile(join(begun, '000000000000001.one.json'), JSON.stringify(allowed));
  await writeFile(join(begun, '000000000000002.two.json'), '{"customerId":"cus');
  await start(t, { controlPlaneUrl: controlPlane.url, storage });
  await until(() => controlPlane.state.received.length === 1);
  t.strictSame(controlPlane.state.received[0]?.report, allowed);
  t.equal(controlPlane.state.received[0]?.headers['idempotency-key'], 'one');
  t.strictSame(await left(storage, 'begun'), []);
});

t.test('a download the client gives up is no download', async (t) => {
  const controlPlane = await startControlPlane(t, [key]);
  const storage = await makeStorage(t);
  const registry = await start(t, { controlPlaneUrl: controlPlane.url, storage });
  const folder = await makePackage(t, { name: '@carton/large', version: '1.0.0', carton: { tier: 'basic' } });
  await writeFile(join(folder, 'noise.bin'), randomBytes(24 * 1024 * 1024));
  const { code, output } = await npm(registry, folder, publishSecret, 'publish');
  t.equal(code, 0, output);
  const token = await signToken(key, registry.url, { packages: ['@carton/large'] });
  const path = '/@carton/large/-/large-1.0.0.tgz';
  await new Promise<void>((resolve) => {
    const asked = request(`${registry.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    asked.on('response', (response) => {
      response.once('data', () => asked.destroy());
      response.on('close', resolve).on('error', () => {});
    });
    asked.on('error', () => {}).end();
  });
  await until(async () => (await left(storage, 'begun')).length === 0);
  t.strictSame(await left(storage, 'ready'), []);
  t.equal((await ask(registry, path, token)).body.length > 24 * 1024 * 1024, true);
  await until(() => controlPlane.state.received.length === 1);
  t.match(controlPlane.state.received[0]?.report, { packageName: '@carton/large', outcome: 'allowed' });
});
