// Tokens of suspended and revoked licences: refused soon, also after a restart and while the control plane is away.

import t from 'tap';
import { generateKey, openRegistry, prepareStorage, send, startControlPlaneStub, waitUntil } from '../testing/index.ts';

const storageWithCart = await prepareStorage(t, { name: '@carton/cart', version: '1.0.0', carton: { tier: 'basic' } });
const interval = { withdrawalInterval: 20 };
const now = () => new Date().toISOString();

t.test('the token of a withdrawn licence is refused, those of other licences are not', async (t) => {
  const { controlPlane, registry, tokenOf } = await openRegistry(t, { ...interval, storage: await storageWithCart(t) });
  const [token, sibling] = await Promise.all(['licence-1', 'licence-2'].map((license) => tokenOf({ license })));
  const statusOf = async (bearer?: string) => (await send(registry, '/@carton/cart', bearer)).status;
  t.equal(await statusOf(token), 200);

  controlPlane.state.withdrawals = [{ licenseId: 'licence-1', customerId: 'customer-1', withdrawnAt: now() }];
  await waitUntil(async () => (await statusOf(token)) !== 200);
  for (const path of ['/@carton/cart', '/@carton/cart/-/cart-1.0.0.tgz', '/@carton/none']) {
    const { status, body } = await send(registry, path, token);
    t.strictSame(
      [status, JSON.parse(body)],
      [403, { error: 'The licence is suspended or was revoked: contact the vendor', code: 'license_withdrawn' }],
      path,
    );
  }
  t.equal(await statusOf(sibling), 200, 'another licence of the customer');

  controlPlane.state.withdrawals = [];
  await waitUntil(async () => (await statusOf(token)) === 200);
});

t.test('a token without a licence, of an earlier control plane, is refused if it was issued before', async (t) => {
  const { controlPlane, registry, tokenOf } = await openRegistry(t, { ...interval, storage: await storageWithCart(t) });
  const [token, other] = await Promise.all(['customer-1', 'customer-2'].map((sub) => tokenOf({ sub })));
  const statuses = () =>
    Promise.all([token, other].map(async (bearer) => (await send(registry, '/@carton/cart', bearer)).status));
  const soon = new Date(Date.now() + 60_000).toISOString();
  controlPlane.state.withdrawals = [
    { licenseId: 'licence-1', customerId: 'customer-1', withdrawnAt: soon },
    { licenseId: 'licence-2', customerId: 'customer-2', withdrawnAt: '2020-01-01T00:00:00.000Z' },
  ];
  await waitUntil(async () => (await statuses())[0] !== 200);
  t.strictSame(await statuses(), [403, 200]);
});

t.test('while the control plane is away the last list stays in force, also after a restart', async (t) => {
  const controlPlane = await startControlPlaneStub(t, [generateKey()]);
  const storage = await storageWithCart(t);
  const options = { ...interval, controlPlane, storage, publicUrl: 'https://registry.example' };
  controlPlane.state.withdrawals = [{ licenseId: 'licence-1', customerId: 'customer-1', withdrawnAt: now() }];
  const { registry: first, tokenOf } = await openRegistry(t, options);
  const [token, valid] = await Promise.all(['licence-1', 'licence-2'].map((license) => tokenOf({ license })));
  await waitUntil(async () => (await send(first, '/@carton/cart', token)).status === 403);
  await controlPlane.stop();
  await first.stop();
  const messages: string[] = [];
  const { registry: second } = await openRegistry(t, { ...options, log: (_, message) => messages.push(message) });
  await waitUntil(() => messages.some((message) => message.startsWith('withdrawn licences cannot be read')));
  const statuses = await Promise.all(
    [token, valid].map(async (bearer) => (await send(second, '/@carton/cart', bearer)).status),
  );
  t.strictSame(statuses, [403, 200]);
});

t.test('a list that cannot be read changes nothing', async (t) => {
  const messages: string[] = [];
  const { controlPlane, registry, tokenOf } = await openRegistry(t, {
    ...interval,
    storage: await storageWithCart(t),
    log: (_, message) => messages.push(message),
  });
  const token = await tokenOf({ license: 'licence-1' });
  controlPlane.state.withdrawals = [{ licenseId: 'licence-1', customerId: 'customer-1', withdrawnAt: now() }];
  await waitUntil(async () => (await send(registry, '/@carton/cart', token)).status === 403);
  controlPlane.state.withdrawals = [{ licenseId: 7 }];
  await waitUntil(() => messages.some((message) => message.startsWith('withdrawn licences cannot be read')));
  t.equal((await send(registry, '/@carton/cart', token)).status, 403);
});
