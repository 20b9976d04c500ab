/**
 * Sessions of shoppers: only a token that the box has issued for this tenant and that has not expired is valid.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import t from 'tap';
import { SessionKeys } from '../box/session-keys.ts';
import { issueToken, sessionDays } from '../box/session-token.ts';
import { UnsignedSessions } from '../box/unsigned-sessions.ts';
import { hashToken } from '../http/credentials.ts';
import { type Answer, createTestBox, exactly, sessionHashOf, type TestTenant, writePackage } from '../testing/index.ts';
import { visits } from './visits-package.ts';

const box = await createTestBox(t, { ...(await writePackage(t, visits)), database: 'empty' });
const none = { hash: null, memberId: null, visits: 0 };
const day = 24 * 60 * 60 * 1000;

const tokenOf = ({ headers }: Answer) => headers.get('x-session-id');
const cookiesOf = ({ headers }: Answer) => headers.getSetCookie();
const by = (token: string) => ({ headers: { 'x-session-id': token } });
const byCookie = (cookie: string) => ({ headers: { cookie } });
const begin = async (tenant: TestTenant = box) => tokenOf(await tenant.visitor().post('/visits')) as string;

/** A token as the box would have issued it a number of days ago. */
async function issuedDaysAgo(days: number, tenantId = box.id): Promise<string> {
  const [key] = await box.owner.query<{ id: number; secret: Buffer }>('select id, secret from session_keys limit 1');
  const { id, secret } = key as { id: number; secret: Buffer };
  return issueToken(
    { id, secret: createSecretKey(secret) },
    tenantId,
    randomBytes(32).toString('base64url'),
    Date.now() - days * day,
  );
}

t.test('a session continues by header or cookie', async (t) => {
  const first = await box.visitor().post('/visits');
  const token = tokenOf(first) as string;
  t.match(token, /^[\w-]{73}$/);
  t.strictSame(first.body, { hash: sessionHashOf({ headers: { 'x-session-id': token } }), memberId: null, visits: 1 });
  const [cookie = ''] = cookiesOf(first);
  t.match(cookie, new RegExp(`^carton_session=${token}; path=/; expires=[^;]+; samesite=lax; httponly$`));
  const again = await box.visitor().get('/visits', by(token));
  t.strictSame(again.body, first.body);
  t.equal(tokenOf(again), token, 'the header is repeated');
  t.strictSame(cookiesOf(again), []);
  const inBrowser = await box.visitor().get('/visits', byCookie(`a=b; carton_session=${token}`));
  t.strictSame(inBrowser.body, first.body);
  t.strictSame([tokenOf(inBrowser), cookiesOf(inBrowser)], [null, []]);
});

t.test('an invalid token is ignored: reads find nothing, and the first write begins a new session', async (t) => {
  const own = await begin();
  const other = await box.openTenant();
  const last = own.at(-1) === 'A' ? 'Q' : 'A';
  const expired = await issuedDaysAgo(sessionDays);
  const wrong: [what: string, token: string][] = [
    ['invented, as long as a name', 'c'.repeat(43)],
    ['invented, as long as a token', randomBytes(55).toString('base64url').slice(0, 73)],
    ['malformed', 'not a session'],
    ['too long', 'a'.repeat(3000)],
    ['without a signature', `${own.slice(0, 43)}${'A'.repeat(30)}`],
    ['another name with a valid signature', `${'d'.repeat(43)}${own.slice(43)}`],
    ['another signature', `${own.slice(0, 60)}${own[60] === 'A' ? 'B' : 'A'}${own.slice(61)}`],
    ['truncated', own.slice(0, 72)],
    ['longer', `${own}${last}`],
    ['of another tenant', await begin(other)],
    ['expired', expired],
    ['expired, with a later time', `${expired.slice(0, 43)}${own.slice(43, 51)}${expired.slice(51)}`],
  ];
  for (const [what, token] of wrong) {
    for (const sent of [by(token), byCookie(`carton_session=${encodeURIComponent(token)}`)]) {
      const read = await box.visitor().get('/visits', sent);
      t.strictSame([read.status, read.body, tokenOf(read), cookiesOf(read)], [200, none, null, []], what);
      const written = await box.visitor().post('/visits', undefined, sent);
      t.strictSame([written.status, written.body.visits], [201, 1], what);
      t.not(tokenOf(written), token, what);
      t.strictSame((await box.visitor().get('/visits', by(tokenOf(written) as string))).body, written.body, what);
    }
  }
  t.strictSame((await box.visitor().get('/visits', by(own))).body.visits, 1, 'no other session is affected');
});

t.test('an invalid header does not invalidate the cookie', async (t) => {
  const token = await begin();
  const { body } = await box.visitor().get('/visits', {
    headers: { 'x-session-id': 'x'.repeat(43), cookie: `carton_session=${token}` },
  });
  t.equal(body.visits, 1);
});

t.test('a session in use is renewed with the same name', async (t) => {
  const [young, old] = [await issuedDaysAgo(44), await issuedDaysAgo(46)];
  const unchanged = await box.visitor().get('/visits', by(young));
  t.strictSame([tokenOf(unchanged), cookiesOf(unchanged)], [young, []]);
  const renewed = await box.visitor().get('/visits', by(old));
  const token = tokenOf(renewed) as string;
  t.not(token, old);
  t.equal(token.slice(0, 43), old.slice(0, 43));
  t.match(cookiesOf(renewed), exactly([new RegExp(`^carton_session=${token};`)]));
  t.equal(renewed.body.hash, hashToken(old.slice(0, 43)));
});

t.test('log-in begins a new session, and the former token has no access to it', async (t) => {
  const planted = await begin();
  const loggedIn = await box.visitor().post('/visits/log-in', undefined, by(planted));
  const token = tokenOf(loggedIn) as string;
  const [before, hash] = [planted, token].map((each) => hashToken(each.slice(0, 43)));
  t.strictSame(loggedIn.body, { before, hash });
  t.not(before, hash);
  t.match(cookiesOf(loggedIn), exactly([new RegExp(`^carton_session=${token};`)]));
  t.strictSame((await box.visitor().get('/visits', by(token))).body, { hash, memberId: null, visits: 1 });
  t.strictSame((await box.visitor().get('/visits', by(planted))).body.visits, 0);
  const fresh = await box.visitor().post('/visits/log-in');
  t.strictSame(fresh.body, { before: null, hash: hashToken((tokenOf(fresh) as string).slice(0, 43)) });
});

t.test('idempotency keys are separate for each session', async (t) => {
  const [one, other] = [await begin(), await begin()];
  const keyed = (token: string) => ({ headers: { 'x-session-id': token, 'idempotency-key': 'same' } });
  const first = await box.visitor().post('/visits', undefined, keyed(one));
  const repeated = await box.visitor().post('/visits', undefined, keyed(one));
  t.strictSame([repeated.body, repeated.headers.get('idempotent-replayed')], [first.body, 'true']);
  const separate = await box.visitor().post('/visits', undefined, keyed(other));
  t.strictSame([separate.body.visits, separate.headers.get('idempotent-replayed')], [2, null]);
  const invented = await box.visitor().post('/visits', undefined, keyed('c'.repeat(43)));
  t.equal(invented.headers.get('idempotent-replayed'), null);
});

t.test('with secureCookies no other host of the domain can set the cookie', async (t) => {
  const secure = await createTestBox(t, {
    ...(await writePackage(t, visits)),
    database: 'empty',
    secureCookies: true,
  });
  const first = await secure.visitor().post('/visits');
  const token = tokenOf(first) as string;
  t.match(
    cookiesOf(first),
    exactly([new RegExp(`^__Host-carton_session=${token}; path=/; expires=[^;]+; samesite=lax; secure; httponly$`)]),
  );
  t.equal((await secure.visitor().get('/visits', byCookie(`__Host-carton_session=${token}`))).body.visits, 1);
  t.strictSame((await secure.visitor().get('/visits', byCookie(`carton_session=${token}`))).body, none);
  const schemes = JSON.stringify((await secure.box.document()).components);
  t.match(schemes, /"name":"__Host-carton_session"/, 'the document has the actual name of the cookie');
});

/** A box that ran a release without signatures until an hour ago, with the data of one of its sessions. */
async function upgradedBox(t: Parameters<typeof createTestBox>[0], options: { secureCookies?: boolean } = {}) {
  const upgraded = await createTestBox(t, { ...(await writePackage(t, visits)), database: 'empty', ...options });
  await upgraded.owner.query(`update applied_migrations
                                 set applied_at = now() - case when file like '20260301%' then interval '1 day' else '1 hour' end`);
  const known = randomBytes(32).toString('base64url');
  const insert = `insert into visits (tenant_id, hash, visits, since) values ($1, $2, 7, now() - interval '2 hours')`;
  await upgraded.db.query(insert, [hashToken(known)]);
  return { upgraded, known };
}

t.test('a session of the previous release continues as another, which nobody else knows', async (t) => {
  const { upgraded, known } = await upgradedBox(t);
  const send = (token: string) => upgraded.visitor().get('/visits', by(token));
  const [first, second] = await Promise.all([send(known), send(known)]);
  const token = tokenOf(first) as string;
  const hash = hashToken(token.slice(0, 43));
  t.strictSame(first.body, { hash, memberId: null, visits: 7 });
  t.not(token.slice(0, 43), known);
  t.match(cookiesOf(first), exactly([new RegExp(`^carton_session=${token};`)]));
  t.strictSame(second.body, first.body, 'one new session for requests at the same time');
  t.strictSame((await send(token)).body, first.body);
  const elsewhere = new UnsignedSessions(new SessionKeys(upgraded.box.database));
  t.equal(await elsewhere.replace(upgraded.db, known), null, 'who comes later, or to another process, finds nothing');

  const recent = randomBytes(32).toString('base64url');
  await upgraded.db.query('insert into visits (tenant_id, hash) values ($1, $2)', [hashToken(recent)]);
  t.strictSame((await send(recent)).body, none, 'no session is without a signature since the upgrade');
  const signed = await begin(upgraded);
  t.strictSame((await send(signed.slice(0, 43))).body, none, 'a signed session without its signature is none');
  const short = 'not a session name';
  await upgraded.db.query(`insert into visits (tenant_id, hash, since) values ($1, $2, '2026-01-01')`, [
    hashToken(short),
  ]);
  t.strictSame((await send(short)).body, none, 'only names that a release has issued are looked up');
});

t.test('it is one of its own tenant, and has none of what came later', async (t) => {
  const { upgraded, known } = await upgradedBox(t);
  const other = await upgraded.openTenant();
  t.strictSame((await other.visitor().get('/visits', by(known))).body, none);
  t.equal((await upgraded.visitor().get('/visits', byCookie(`carton_session=${known}`))).body.visits, 7);
});

t.test('a new box takes no session without a signature', async (t) => {
  const known = randomBytes(32).toString('base64url');
  await box.db.query(`insert into visits (tenant_id, hash, since) values ($1, $2, now() - interval '1 year')`, [
    hashToken(known),
  ]);
  for (const sent of [by(known), byCookie(`carton_session=${known}`)]) {
    const answer = await box.visitor().get('/visits', sent);
    t.strictSame([answer.body, tokenOf(answer), cookiesOf(answer)], [none, null, []]);
  }
});

t.test('a session of the previous release is not accepted after it would have expired', async (t) => {
  const { upgraded, known } = await upgradedBox(t);
  await upgraded.owner.query(`update applied_migrations set applied_at = applied_at - interval '91 days'`);
  await upgraded.db.query(`update visits set since = since - interval '91 days' where tenant_id = $1`);
  t.strictSame((await upgraded.visitor().get('/visits', by(known))).body, none);
});

t.test('with secureCookies its former cookie is accepted once and replaced', async (t) => {
  const { upgraded: secure, known } = await upgradedBox(t, { secureCookies: true });
  const crossSite = { cookie: `carton_session=${known}`, 'sec-fetch-site': 'cross-site' };
  t.match(await secure.visitor().post('/visits', undefined, { headers: crossSite }), {
    status: 403,
    body: { code: 'cross_site_request' },
  });
  const response = await secure.visitor().get('/visits', byCookie(`carton_session=${known}`));
  t.equal(response.body.visits, 7);
  t.match(
    cookiesOf(response),
    exactly([/^__Host-carton_session=/, /^carton_session=; path=\/; expires=Thu, 01 Jan 1970/]),
  );
});
