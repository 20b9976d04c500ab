/**
 * Cross-origin requests: the allowed origins of a store, and the protection of cookies.
 */
import t from 'tap';
import { callerOf, createTestBox, exactly } from '../testing/index.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const withCart = ['region', 'product', 'pricing', 'inventory', 'cart'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages: [...packages, ...withCart], trustProxy: 'loopback' });

t.test('a box without rate limits sends no RateLimit header', async (t) => {
  t.equal((await box.visitor().get('/store')).headers.get('ratelimit'), null);
});

t.test("a tenant's own hosts and its allowed origins may call it, but no other tenant", async (t) => {
  const other = await box.openTenant();
  const seenBy = async (tenant: typeof other, origin: string) => {
    const { headers } = await tenant.visitor().get('/store', { headers: { origin } });
    const credentials = headers.get('access-control-allow-credentials') === 'true' ? 'with' : 'without';
    return headers.get('access-control-allow-origin') === origin ? credentials : 'no';
  };
  t.equal(await seenBy(box, 'https://www.friend.example'), 'no');
  const allowedOrigins = ['https://www.friend.example:443', 'http://localhost:3000', 'https://www.friend.example'];
  t.match(await box.staff.patch('/admin/store', { allowedOrigins }), {
    status: 200,
    body: { allowedOrigins: exactly(['https://www.friend.example', 'http://localhost:3000']) },
  });
  for (const host of ['shop.example', '*.shop.example']) {
    t.match(await box.operator.post(`/admin/tenants/${box.id}/domains`, { host }), { status: 201 });
  }
  t.equal(await seenBy(box, 'https://www.friend.example'), 'with', 'immediately');
  t.equal(await seenBy(box, 'http://localhost:3000'), 'with');
  t.equal(await seenBy(box, 'https://shop.example'), 'with');
  t.equal(await seenBy(box, 'https://a.shop.example'), 'without', 'no credentials for a wildcard');
  t.equal(await seenBy(box, 'http://shop.example'), 'no');
  t.equal(await seenBy(other, 'https://www.friend.example'), 'no');
  t.equal(await seenBy(other, 'https://shop.example'), 'no');
  await box.staff.patch('/admin/store', { allowedOrigins: [] });
  t.equal(await seenBy(box, 'https://www.friend.example'), 'no', 'no longer allowed');
});

t.test('a preflight request needs no credential', async (t) => {
  await box.staff.patch('/admin/store', { allowedOrigins: ['https://admin.example'] });
  const preflight = { origin: 'https://admin.example', 'access-control-request-method': 'PATCH' };
  const { status, headers } = await box.visitor().call('OPTIONS', '/admin/store', { headers: preflight });
  t.equal(status, 204);
  t.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, PATCH');
  t.match(headers.get('access-control-allow-headers'), /X-Session-Id/);
  const nowhere = await callerOf(box.url).call('OPTIONS', '/admin/store', { headers: preflight });
  t.equal(nowhere.headers.get('access-control-allow-origin'), null, 'without a tenant no origin is allowed');
});

t.test('an invalid origin is refused', async (t) => {
  for (const origin of ['*', 'null', 'https://', 'https://a.example/', 'https://*.example.com', 'ftp://a.example']) {
    t.match(
      await box.staff.patch('/admin/store', { allowedOrigins: ['https://fine.example', origin] }),
      { status: 400, body: { errors: exactly([{ pointer: '/allowedOrigins/1' }]) } },
      origin,
    );
  }
  t.match(
    await box.staff.patch('/admin/store', { allowedOrigins: ['https://a.example:99999'] }),
    { status: 400, body: { errors: exactly([{ pointer: '/allowedOrigins/0' }]) } },
    'an invalid port',
  );
});

t.test('cookies of shoppers and staff are HttpOnly, SameSite and, by the setting, Secure', async (t) => {
  const options = { packages: [...packages, ...withCart], trustProxy: 'loopback' };
  const secure = await createTestBox(t, { ...options, secureCookies: true });
  for (const [tenant, isSecure] of [[secure, true] as const, [box, false] as const]) {
    const { email, password } = tenant;
    const openers: [what: string, method: string, path: string, body: object][] = [
      ['shopper', 'PATCH', '/cart', { email: 'ada@example.com' }],
      ['staff', 'POST', '/admin/auth/login', { email, password, cookie: true }],
    ];
    for (const [what, method, path, body] of openers) {
      for (const proto of ['http', 'https']) {
        const { headers } = await tenant
          .visitor()
          .call(method, path, { body, headers: { 'x-forwarded-proto': proto } });
        const cookie = headers.get('set-cookie') ?? '';
        t.match(cookie, /; httponly/i, what);
        t.match(cookie, /; samesite=(lax|strict)/i, what);
        t.match(cookie, /; path=\//i, what);
        t.equal(/; secure/i.test(cookie), isSecure, `${what}: by the setting, not by X-Forwarded-Proto (${proto})`);
      }
    }
  }
});

t.test('a cross-site request cannot use the cookie of a shopper or of staff', async (t) => {
  const { email, password } = box;
  const cookieOf = async (method: string, path: string, body: object) => {
    const { headers } = await box.visitor().call(method, path, { body });
    return {
      cookie: (headers.get('set-cookie') ?? '').replace(/;.*/s, ''),
      session: headers.get('x-session-id') ?? '',
    };
  };
  const shopper = await cookieOf('PATCH', '/cart', { email: 'ada@example.com' });
  const member = await cookieOf('POST', '/admin/auth/login', { email, password, cookie: true });
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const own = { 'sec-fetch-site': 'same-origin' };
  const send = async (path: string, headers: Record<string, string>, body: object) =>
    (await box.visitor().patch(path, body, { headers })).status;

  const cart = { email: 'eve@example.com' };
  t.equal(await send('/cart', { ...foreign, cookie: shopper.cookie }, cart), 403);
  t.match(await box.visitor().get('/cart', { headers: { cookie: shopper.cookie } }), {
    body: { email: 'ada@example.com' },
  });
  t.equal(await send('/cart', { ...own, cookie: shopper.cookie }, cart), 200);
  t.equal(
    await send('/cart', { ...foreign, 'x-session-id': shopper.session }, cart),
    200,
    'the check applies to cookies only',
  );

  const store = { name: 'Renamed' };
  t.equal(await send('/admin/store', { ...foreign, cookie: member.cookie }, store), 403);
  t.equal(await send('/admin/store', { ...own, cookie: member.cookie }, store), 200);
  await box.staff.patch('/admin/store', { allowedOrigins: [foreign.origin] });
  t.equal(
    await send('/admin/store', { ...foreign, cookie: member.cookie }, store),
    200,
    'unless the origin is allowed',
  );
  await box.staff.patch('/admin/store', { allowedOrigins: [] });
});
