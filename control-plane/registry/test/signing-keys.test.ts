// The control plane's keys: rotation, floods of unknown key ids, and a control plane that is away.

import t from 'tap';
import { ask, makeKey, prepareStorage, signToken, start, startControlPlane } from './test-registry.ts';

const makeStorage = await prepareStorage(t, { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } });

t.test('a new key is picked up, at most one fetch every 30 s, and a withdrawn key stops verifying', async (t) => {
  const [first, second] = [makeKey(), makeKey()];
  const controlPlane = await startControlPlane(t, [first]);
  const storage = await makeStorage(t);
  let elapsed = 0;
  const registry = await start(t, { controlPlaneUrl: controlPlane.url, storage, elapsed: () => elapsed });
  const status = async (token: string) => (await ask(registry, '/@carton/cart', token)).status;
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
  const strangers = await Promise.all(Array.from({ length: 20 }, () => signToken(makeKey(), registry.url)));
  t.strictSame([...new Set(await Promise.all(strangers.map(status)))], [401]);
  t.equal(controlPlane.state.keyFetches, 3, 'twenty unknown keys at once make one fetch');

  controlPlane.state.keys = [second];
  elapsed = 60_000 + 10 * 60_000;
  await status(secondToken);
  while (controlPlane.state.keyFetches < 4) await status(secondToken);
  while ((await status(firstToken)) === 200) {}
  t.equal(await status(firstToken), 401, 'the first key was withdrawn');
  t.equal(await status(secondToken), 200);
});

t.test('a registry restarted while the control plane is away still verifies', async (t) => {
  const key = makeKey();
  const controlPlane = await startControlPlane(t, [key]);
  const storage = await makeStorage(t);
  const publicUrl = 'http://registry.example';
  const options = { controlPlaneUrl: controlPlane.url, storage, publicUrl };
  const token = await signToken(key, publicUrl);

  const before = await start(t, options);
  t.equal((await ask(before, '/@carton/cart', token)).status, 200);
  await before.stop();
  await controlPlane.stop();

  const after = await start(t, options);
  t.equal((await ask(after, '/@carton/cart', token)).status, 200);
  t.equal((await ask(after, '/@carton/cart', await signToken(makeKey(), publicUrl))).status, 401);
});

t.test('a registry that never reached the control plane answers 503, not 401, until it does', async (t) => {
  const key = makeKey();
  const away = await startControlPlane(t, [key]);
  await away.stop();
  const storage = await makeStorage(t);
  let elapsed = 0;
  const registry = await start(t, { controlPlaneUrl: away.url, storage, elapsed: () => elapsed });
  const token = await signToken(key, registry.url);
  const refused = await ask(registry, '/@carton/cart', token);
  t.equal(refused.status, 503);
  t.equal(refused.headers['retry-after'], '5');
  await startControlPlane(t, [key], away.port);
  elapsed = 1_000;
  t.equal((await ask(registry, '/@carton/cart', token)).status, 200);
});
