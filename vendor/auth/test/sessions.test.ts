/**
 * Sessions by bearer token and by cookie: opening, rotation, closing; those of a person, listed and ended by their owner.
 */
import { newId } from '@carton/runtime';
import { callerOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { hire, packages, password, signIn } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const credentials = { email: box.email, password: box.password };

const me = (headers: Record<string, string>, tenant = box.visitor()) => tenant.get('/admin/me', { headers });
const logIn = (headers: Record<string, string> = {}, more: object = {}) =>
  box.visitor().post('/admin/auth/login', { ...credentials, ...more }, { headers });

t.test('a bearer token opens a session until it is closed', async (t) => {
  const { status, body, headers } = await logIn({}, { email: box.email.toUpperCase() });
  t.match({ status, body }, { status: 200, body: { token: /^sts_[\w-]{43}$/, expiresAt: /Z$/ } });
  t.equal(headers.get('set-cookie'), null);
  t.equal(body.device, null, 'a device token is only created on request');
  const bearer = { authorization: `Bearer ${body.token}` };
  t.match(await me(bearer), { status: 200, body: { email: box.email, role: 'owner', locale: null } });
  const stored = await box.db.query<{ tokenHash: string }>(
    'select token_hash from staff_sessions where tenant_id = $1',
  );
  t.notOk(
    stored.some(({ tokenHash }) => tokenHash.includes(body.token)),
    'only its hash is stored',
  );
  t.match(await box.visitor().post('/admin/auth/logout', undefined, { headers: bearer }), { status: 204 });
  t.match(await me(bearer), { status: 401, body: { code: 'unauthenticated' } });
});

t.test('the session cookie is limited to /admin and hidden from scripts', async (t) => {
  const { status, body, headers } = await logIn({}, { cookie: true });
  t.match({ status, body }, { status: 200, body: { token: null, expiresAt: /Z$/ } });
  const set = headers.getSetCookie();
  t.equal(set.length, 2, 'one for the session, one for the device');
  for (const line of set) {
    const [, ...attributes] = line.toLowerCase().split('; ');
    for (const attribute of ['path=/admin', 'httponly', 'samesite=strict'])
      t.ok(attributes.includes(attribute), attribute);
    t.notOk(attributes.includes('secure'), 'the test box has no TLS');
  }
  const [pair] = set;
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  t.match(pair, /^carton_staff=sts_/);
  t.match(await me({ cookie }), { status: 200, body: { email: box.email } });
  t.match(
    await me({ cookie, authorization: 'Bearer wrong' }),
    { status: 401 },
    'the header takes precedence over the cookie',
  );

  const other = await box.openTenant();
  t.match(await me({ cookie }, other.visitor()), { status: 401 }, "a tenant's cookie is invalid for another tenant");

  const out = await box.visitor().post('/admin/auth/logout', undefined, { headers: { cookie } });
  t.equal(out.status, 204);
  t.match(out.headers.get('set-cookie'), /^carton_staff=; path=\/admin; expires=Thu, 01 Jan 1970/i);
  t.match(await me({ cookie }), { status: 401 });
});

t.test('secure cookies can only be set by their own host', async (t) => {
  const secure = await createTestBox(t, { packages, tier: 'basic', secureCookies: true });
  const body = { email: secure.email, password: secure.password, cookie: true };
  const { status, headers } = await secure.visitor().post('/admin/auth/login', body);
  t.equal(status, 200);
  const set = headers.getSetCookie();
  t.equal(set.length, 2);
  t.match(set[0], /^__Host-carton_staff=sts_/);
  t.match(set[1], /^__Host-carton_device_[0-9a-f]{12}=dvc_/);
  for (const line of set)
    t.strictSame(line.match(/; (path=\/|secure|httponly|samesite=strict)(?=;|$)/gi)?.length, 4, line);
  const cookie = set[0]?.split(';')[0] as string;
  t.match(await me({ cookie }, secure.visitor()), { status: 200 });
  const planted = cookie.replace('__Host-', '');
  t.match(await me({ cookie: planted }, secure.visitor()), { status: 401 }, 'a cookie without the prefix is ignored');
  const crossSite = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const change = await secure.visitor().patch('/admin/me', { name: 'Renamed' }, { headers: crossSite });
  t.match(change, { status: 403, body: { code: 'cross_site_request' } });
  const { components } = (await callerOf(secure.url).get('/docs/json')).body;
  t.match(components.securitySchemes.staffCookie, { name: '__Host-carton_staff' });
});

t.test('pages of other sites cannot use the cookie', async (t) => {
  const { headers } = await logIn({}, { cookie: true });
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  const change = (more: Record<string, string>) =>
    box.visitor().patch('/admin/me', { name: 'Renamed' }, { headers: { cookie, ...more } });
  const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  t.match(await change(crossSite), { status: 403, body: { code: 'cross_site_request' } });
  t.match(await change({ 'sec-fetch-site': 'same-origin' }), { status: 200, body: { name: 'Renamed' } });
});

t.test('logging in closes the session whose token the request sends', async (t) => {
  for (const kind of ['bearer', 'cookie'] as const) {
    const first = await logIn({}, { cookie: kind === 'cookie' });
    const secrets: Record<string, string> =
      kind === 'cookie'
        ? { cookie: first.headers.get('set-cookie')?.split(';')[0] as string }
        : { authorization: `Bearer ${first.body.token}` };
    t.match(await logIn(secrets, { password: 'wrong password' }), { status: 401, body: { code: 'wrong_login' } });
    t.match(await me(secrets), { status: 200 }, `${kind}: a failed log-in closes nothing`);
    const second = await logIn(secrets);
    t.match(await me(secrets), { status: 401 }, `${kind}: the previous session is closed`);
    t.match(await me({ authorization: `Bearer ${second.body.token}` }), { status: 200 });
    t.equal(second.headers.has('set-cookie'), kind === 'cookie', 'the cookie of a closed session is cleared');
  }
});

t.test('a session expires, and its row is deleted at the next log-in', async (t) => {
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

t.test('the document describes the bearer token and the cookie', async (t) => {
  const { paths, components } = (await callerOf(box.url).get('/docs/json')).body;
  t.strictSame(paths['/admin/me'].get.security, [{ staffSession: [] }, { staffCookie: [] }]);
  t.match(components.securitySchemes.staffCookie, { type: 'apiKey', in: 'cookie', name: 'carton_staff' });
  t.notOk('apiKey' in components.securitySchemes, 'packages that are not mounted do not appear');
});

const viewer = await hire(box, 'viewer');
const other = await hire(box, 'owner');
const second = await signIn(box, box, { email: viewer.email, password });

const listed = async (caller: { get: typeof viewer.get }) =>
  (await caller.get('/admin/me/sessions')).body.items as { id: string; current: boolean }[];

t.test('a person lists the own sessions, newest first', async (t) => {
  const sessions = await listed(viewer);
  t.strictSame(
    sessions.map(({ current }) => current),
    [false, true],
  );
  t.strictSame(Object.keys(sessions[0] ?? {}).sort(), [
    'address',
    'createdAt',
    'current',
    'expiresAt',
    'id',
    'userAgent',
  ]);
  t.strictSame((await listed(other)).length, 1, 'not those of others, not even for owners');
  await box.db.query('update staff_sessions set expires_at = now() where tenant_id = $1 and id = $2', [
    (await listed(other))[0]?.id,
  ]);
  t.equal((await other.get('/admin/me/sessions')).status, 401);
  const page = await viewer.get('/admin/me/sessions?limit=1');
  t.equal((await viewer.get(`/admin/me/sessions?cursor=${page.body.nextCursor}`)).body.items[0].id, sessions[1]?.id);
});

t.test('a person ends the own sessions only', async (t) => {
  const colleague = await hire(box, 'owner');
  const [newest, oldest] = await listed(viewer);
  const path = (id: string | undefined) => `/admin/me/sessions/${id}`;
  t.match(await colleague.delete(path(newest?.id)), { status: 404, body: { code: 'not_found' } });
  t.equal((await viewer.delete(path(newId()))).status, 404);
  t.equal((await second.get('/admin/me')).status, 200);
  t.equal((await viewer.delete(path(newest?.id))).status, 204);
  t.equal((await second.get('/admin/me')).status, 401, 'it ended immediately');
  t.equal((await viewer.delete(path(newest?.id))).status, 404);
  t.equal((await viewer.delete(path(oldest?.id))).status, 204, 'also the session of the request');
  t.equal((await viewer.get('/admin/me')).status, 401);
});

t.test('ending the session of the request deletes its cookie', async (t) => {
  const { headers } = await box.visitor().post('/admin/auth/login', { email: viewer.email, password, cookie: true });
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  const browser = callerOf(box.url, { ...box.visitor().headers, cookie });
  const current = (await listed(browser)).find((session) => session.current);
  const ended = await browser.delete(`/admin/me/sessions/${current?.id}`);
  t.match(ended.headers.get('set-cookie'), /^carton_staff=;/);
});
