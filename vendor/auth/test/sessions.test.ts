/**
 * Sessions: opened, carried by bearer token or cookie, rotated and closed.
 */
import { callerOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { hire, packages, password, signIn } from './people.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const credentials = { email: box.email, password: box.password };

const me = (headers: Record<string, string>, shop = box.visitor()) => shop.get('/admin/me', { headers });
const logIn = (headers: Record<string, string> = {}, more: object = {}) =>
  box.visitor().post('/admin/auth/login', { ...credentials, ...more }, { headers });

t.test('a bearer session: opened, used, closed', async (t) => {
  const { status, body, headers } = await logIn({}, { email: box.email.toUpperCase() });
  t.match({ status, body }, { status: 200, body: { token: /^sts_[\w-]{43}$/, expiresAt: /Z$/ } });
  t.equal(headers.get('set-cookie'), null);
  const bearer = { authorization: `Bearer ${body.token}` };
  t.match(await me(bearer), { status: 200, body: { email: box.email, role: 'owner', locale: null } });
  const kept = await box.db.query<{ tokenHash: string }>('select token_hash from staff_sessions where tenant_id = $1');
  t.notOk(
    kept.some(({ tokenHash }) => tokenHash.includes(body.token)),
    'only its hash is kept',
  );
  t.match(await box.visitor().post('/admin/auth/logout', undefined, { headers: bearer }), { status: 204 });
  t.match(await me(bearer), { status: 401, body: { code: 'unauthenticated' } });
});

t.test('a session in a cookie is seen by the administration alone, and by no script', async (t) => {
  const { status, body, headers } = await logIn({}, { cookie: true });
  t.match({ status, body }, { status: 200, body: { token: null, expiresAt: /Z$/ } });
  const [pair = '', ...attributes] = (headers.get('set-cookie') ?? '').toLowerCase().split('; ');
  for (const attribute of ['path=/admin', 'httponly', 'samesite=strict'])
    t.ok(attributes.includes(attribute), attribute);
  t.notOk(attributes.includes('secure'), 'there is no TLS here');
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  t.match(pair, /^carton_staff=sts_/);
  t.match(await me({ cookie }), { status: 200, body: { email: box.email } });
  t.match(await me({ cookie, authorization: 'Bearer wrong' }), { status: 401 }, 'the header counts before the cookie');

  const other = await box.openShop();
  t.match(await me({ cookie }, other.visitor()), { status: 401 }, "one shop's cookie is nothing in another");

  const out = await box.visitor().post('/admin/auth/logout', undefined, { headers: { cookie } });
  t.equal(out.status, 204);
  t.match(out.headers.get('set-cookie'), /^carton_staff=; path=\/admin; expires=Thu, 01 Jan 1970/i);
  t.match(await me({ cookie }), { status: 401 });
});

t.test('behind TLS the cookie is sent over TLS alone', async (t) => {
  const proxied = await createTestBox(t, { packages, tier: 'basic', trustProxy: true });
  const body = { email: proxied.email, password: proxied.password, cookie: true };
  for (const [protocol, secure] of [
    ['https', true],
    ['http', false],
  ] as const) {
    const headers = { 'x-forwarded-proto': protocol, 'x-forwarded-for': '203.0.113.7' };
    const { status, headers: answer } = await proxied.visitor().post('/admin/auth/login', body, { headers });
    t.equal(status, 200);
    t.equal(/; secure/i.test(answer.get('set-cookie') ?? ''), secure, protocol);
  }
});

t.test("another site's page cannot use the cookie", async (t) => {
  const { headers } = await logIn({}, { cookie: true });
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  const change = (more: Record<string, string>) =>
    box.visitor().patch('/admin/me', { name: 'Renamed' }, { headers: { cookie, ...more } });
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  t.match(await change(foreign), { status: 403, body: { code: 'cross_site_request' } });
  t.match(await change({ 'sec-fetch-site': 'same-origin' }), { status: 200, body: { name: 'Renamed' } });
});

t.test('logging in closes the session that the request carries', async (t) => {
  for (const carry of ['bearer', 'cookie'] as const) {
    const first = await logIn({}, { cookie: carry === 'cookie' });
    const carried: Record<string, string> =
      carry === 'cookie'
        ? { cookie: first.headers.get('set-cookie')?.split(';')[0] as string }
        : { authorization: `Bearer ${first.body.token}` };
    t.match(await logIn(carried, { password: 'wrong password' }), { status: 401, body: { code: 'wrong_login' } });
    t.match(await me(carried), { status: 200 }, `${carry}: a failed log-in closes nothing`);
    const second = await logIn(carried);
    t.match(await me(carried), { status: 401 }, `${carry}: the one before is closed`);
    t.match(await me({ authorization: `Bearer ${second.body.token}` }), { status: 200 });
    t.equal(second.headers.has('set-cookie'), carry === 'cookie', 'a dead cookie is taken away');
  }
});

t.test('a session ends by itself, and its row goes at the next log-in', async (t) => {
  const person = await hire(box, 'viewer');
  t.match(await person.get('/admin/me'), { status: 200 });
  await box.db.query(
    "update staff_sessions set expires_at = now() - interval '1 s' where tenant_id = $1 and staff_user_id = $2",
    [person.id],
  );
  t.match(await person.get('/admin/me'), { status: 401 });
  const again = await signIn(box, box, { email: person.email, password });
  t.match(await again.get('/admin/me'), { status: 200 });
  const rows = await box.db.query('select 1 from staff_sessions where tenant_id = $1 and staff_user_id = $2', [
    person.id,
  ]);
  t.equal(rows.length, 1);
});

t.test('the document names both ways to carry a session', async (t) => {
  const { paths, components } = (await callerOf(box.url).get('/docs/json')).body;
  t.strictSame(paths['/admin/me'].get.security, [{ staffSession: [] }, { staffCookie: [] }]);
  t.match(components.securitySchemes.staffCookie, { type: 'apiKey', in: 'cookie', name: 'carton_staff' });
  t.notOk('apiKey' in components.securitySchemes, 'a package that is not mounted leaves no trace');
});
