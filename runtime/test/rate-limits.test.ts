/**
 * Rate limits by tenant and caller.
 */
import t from 'tap';
import { callerOf, createTestBox } from '../testing/index.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);

t.test('each tenant and each caller has separate limits', async (t) => {
  const box = await createTestBox(t, { packages, rateLimits: { read: 3 }, trustProxy: 'loopback' });
  const other = await box.openTenant();
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const visit = async (tenant: typeof other, address: string) =>
    (await tenant.visitor().get('/store', from(address))).status;
  t.strictSame(
    [await visit(box, '192.0.2.1'), await visit(box, '192.0.2.1'), await visit(box, '192.0.2.1')],
    [200, 200, 200],
  );
  const refused = await box.visitor().get('/store', from('192.0.2.1'));
  t.match(refused, { status: 429, body: { code: 'too_many_requests' } });
  t.match(refused.headers.get('retry-after'), /^\d+$/);
  t.equal(await visit(box, '198.51.100.7, 192.0.2.1'), 429, 'addresses from before our proxy are not trusted');
  t.equal(await visit(box, '192.0.2.2'), 200, 'another address');
  t.equal(await visit(other, '192.0.2.1'), 200, 'another tenant');
  t.match(await box.staff.get('/admin/me', from('192.0.2.1')), { status: 200 }, 'staff at the same address');
  for (let call = 0; call < 6; call++)
    t.match(await box.operator.get('/admin/tenants'), { status: 200 }, 'the operator');
  t.equal((await box.operator.get('/admin/tenants')).headers.get('ratelimit'), null);
});

t.test('without a trusted proxy a forged address does not avoid the limit', async (t) => {
  const box = await createTestBox(t, { packages, rateLimits: { read: 2 } });
  const statuses: number[] = [];
  for (let call = 1; call <= 4; call++) {
    const headers = { 'x-forwarded-for': `192.0.2.${call}`, forwarded: `for=192.0.2.${call}` };
    statuses.push((await box.visitor().get('/store', { headers })).status);
  }
  t.strictSame(statuses, [200, 200, 429, 429]);
});

t.test('requests without a credential from an address shut out no right password or token there', async (t) => {
  const box = await createTestBox(t, { packages, rateLimits: { login: 3, write: 100 } });
  const visitor = box.visitor();
  const forgot = async () => (await visitor.post('/admin/auth/password/forgot', { email: 'x@shop.example' })).status;
  t.strictSame([await forgot(), await forgot(), await forgot(), await forgot()], [202, 202, 202, 429]);
  t.equal((await visitor.post('/admin/auth/login', { email: box.email, password: box.password })).status, 200);
  const { token } = (await box.staff.post('/admin/invites', { email: 'new@shop.example', role: 'viewer' })).body;
  const accepted = await visitor.post('/admin/invites/accept', { token, name: 'New', password: box.password });
  t.equal(accepted.status, 201);
});

t.test('wrong credentials are limited without blocking valid ones, and so are guesses of passwords', async (t) => {
  const withCart = [
    ...packages,
    ...['region', 'product', 'pricing', 'inventory', 'cart'].map((name) => `@carton/${name}`),
  ];
  const box = await createTestBox(t, { packages: withCart, rateLimits: { login: 10 } });
  const other = await box.openTenant();
  const shopper = box.shopper();
  await shopper.patch('/cart', { note: 'Mine' });

  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const wrong: [what: string, send: (attempt: number) => Promise<{ status: number }>, last: number][] = [
    ['session', (attempt) => box.visitor().get('/cart', { headers: { 'x-session-id': `malformed ${attempt}` } }), 200],
    ['staff', (attempt) => box.visitor().get('/admin/me', bearer(`sts_${attempt}`)), 429],
    ['operator', (attempt) => callerOf(box.url).get('/admin/tenants', bearer(`secret ${attempt}`)), 429],
    ['metrics', (attempt) => callerOf(box.url).get('/metrics', bearer(`metrics ${attempt}`)), 429],
    ['an expired session', () => other.visitor().get('/admin/me', bearer('sts_ended')), 401],
  ];
  for (const [what, send, last] of wrong) {
    let status = 0;
    for (let attempt = 0; attempt < 15; attempt++) ({ status } = await send(attempt));
    t.equal(status, last, what);
  }
  t.match(await shopper.get('/cart'), { status: 200, body: { note: 'Mine' } });
  t.equal((await box.staff.get('/admin/me')).status, 200);
  t.equal((await other.staff.get('/admin/me')).status, 200);
  t.equal((await box.operator.get('/admin/tenants')).status, 200);
  t.equal((await callerOf(box.url).get('/metrics', bearer(box.secrets.metrics))).status, 200);
  t.equal((await other.visitor().get('/admin/me', bearer('sts_another'))).status, 401, 'counted by tenant');

  const logIn = (password: string) => box.visitor().post('/admin/auth/login', { email: box.email, password });
  t.equal((await logIn(box.password)).status, 200, 'also a log-in with the right password');
  for (let attempt = 0; attempt < 10; attempt++) await logIn(`guess ${attempt}`);
  t.match(await logIn(box.password), { status: 429, body: { code: 'too_many_requests' } });
});
