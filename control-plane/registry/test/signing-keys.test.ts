// The control plane's keys: rotation, many unknown key ids, and an outage of the control plane.

import t from 'tap';
import { generateKey, openRegistry, prepareStorage, send, signToken, startControlPlaneStub } from '../testing/index.ts';

const makeStorage = await prepareStorage(t, { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } });

t.test('a new key is fetched, at most once every 30 s, and a withdrawn key stops verifying', async (t) => {
  const [first, second] = [generateKey(), generateKey()];
  const controlPlane = await startControlPlaneStub(t, [first]);
  const storage = await makeStorage(t);
  let elapsed = 0;
  const { registry } = await openRegistry(t, { controlPlane, storage, elapsed: () => elapsed });
  const status = async (token: string) => (await send(registry, '/@carton/cart', token)).status;
  const [firstToken, secondToken] = [await signToken(first, registry.url), await signToken(second, registry.url)];
  t.equal(await status(firstToken), 200);
  t.equal(controlPlane.state.keyFetches, 1);

  controlPlane.state.keys = [first, second];
  t.equal(await status(secondToken), 401, 'within 30 s of the last fetch');
  t.equal(controlPlane.state.keyFetches, 1);
  elapsed = 30_000;
  t.equal(await status(secondToken), 200);
  t.equal(await status(firstToken), 200);
  t.equal(controlPlane.state.keyFetches, 2);

  elapsed = 60_000;
  const unknown = await Promise.all(Array.from({ length: 20 }, () => signToken(generateKey(), registry.url)));
  t.strictSame([...new Set(await Promise.all(unknown.map(status)))], [401]);
  t.equal(controlPlane.state.keyFetches, 3, 'twenty concurrent unknown keys cause one fetch');

  controlPlane.state.keys = [second];
  elapsed = 60_000 + 10 * 60_000;
  await status(secondToken);
  while (controlPlane.state.keyFetches < 4) await status(secondToken);
  while ((await status(firstToken)) === 200) {}
  t.equal(await status(firstToken), 401, 'the first key was withdrawn');
  t.equal(await status(secondToken), 200);
});

t.test('a registry that restarts in an outage of the control plane verifies tokens', async (t) => {
  const publicUrl = 'http://registry.example';
  const options = { storage: await makeStorage(t), publicUrl };
  const { controlPlane, registry: before, tokenOf } = await openRegistry(t, options);
  const token = await tokenOf();
  t.equal((await send(before, '/@carton/cart', token)).status, 200);
  await before.stop();
  await controlPlane.stop();

  const { registry: after } = await openRegistry(t, { ...options, controlPlane });
  t.equal((await send(after, '/@carton/cart', token)).status, 200);
  t.equal((await send(after, '/@carton/cart', await signToken(generateKey(), publicUrl))).status, 401);
});

t.test('a registry that has not reached the control plane yet responds with 503, not 401', async (t) => {
  const key = generateKey();
  const stopped = await startControlPlaneStub(t, [key]);
  await stopped.stop();
  const storage = await makeStorage(t);
  let elapsed = 0;
  const { registry, tokenOf } = await openRegistry(t, { controlPlane: stopped, storage, elapsed: () => elapsed });
  const token = await tokenOf();
  const response = await send(registry, '/@carton/cart', token);
  t.equal(response.status, 503);
  t.equal(response.headers['retry-after'], '5');
  await startControlPlaneStub(t, [key], stopped.port);
  elapsed = 1_000;
  t.equal((await send(registry, '/@carton/cart', token)).status, 200);
});
