/**
 * Sessions of members: log-in, which moves the guest's cart, log-out, and the list of sessions.
 */
import { createMember, logIn, openSession, password } from '@carton/member/testing';
import { type Caller, callerOf, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { cartPackages, createArticle, forgetAttempts, openBox, quantitiesOf, shopperWith } from './helpers.ts';

const box = await openBox(t, cartPackages);
const [shirt, socks] = [await createArticle(box), await createArticle(box)];
t.beforeEach(() => forgetAttempts(box));

const sessionsOf = async (caller: Caller) => (await caller.get('/member/sessions')).body.items;

t.test('log-in moves the cart of the guest, and the session of before is worthless', async (t) => {
  const member = await createMember(box);
  await member.post('/cart/items', { variantId: shirt, quantity: 1 });
  const guest = await shopperWith(box, [shirt, 2], [socks, 3]);
  const fixed = guest.headers['x-session-id'] as string;
  const answer = await logIn(guest, member);
  t.match(answer, { status: 200, body: { token: /^mbs_[\w-]{43}$/, device: null } });
  const merged = new Map([
    [shirt, 3],
    [socks, 3],
  ]);
  t.strictSame(await quantitiesOf(guest), merged);
  t.strictSame(await quantitiesOf(member), merged, 'the cart is that of the member');
  t.not(guest.headers['x-session-id'], fixed);
  const attacker = callerOf(box.url, { ...box.visitor().headers, 'x-session-id': fixed });
  t.match((await attacker.get('/cart')).body, { id: null, items: exactly([]) });
  t.equal((await attacker.get('/member')).status, 401);
  await attacker.post('/cart/items', { variantId: socks, quantity: 7 });
  t.strictSame(await quantitiesOf(guest), merged, 'what is added to the old session is not in the account');
  t.strictSame(await eventTypesOf(box, member.id), ['member.logged_in']);
});

t.test('a log-in loses no line, even of a full cart', async (t) => {
  const member = await createMember(box);
  await member.post('/cart/items', { variantId: shirt, quantity: 1 });
  const guest = await shopperWith(box, [socks, 1]);
  const fill = async (caller: Caller, lines: number, of: string) => {
    const { id } = (await caller.get('/cart')).body;
    await box.db.query(
      `insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity, properties, properties_key)
       select $1, gen_random_uuid(), $2, $3, 1, jsonb_build_object('of', $5::text, 'line', line), $5 || line
         from generate_series(1, $4::integer) as line`,
      [id, of === 'member' ? shirt : socks, lines, of],
    );
  };
  await fill(member, 498, 'member');
  await fill(guest, 64, 'guest');
  t.equal((await logIn(guest, member)).status, 200);
  t.equal((await guest.get('/cart')).body.items.length, 499 + 65);
});

t.test('a log-in that fails leaves the guest as before', async (t) => {
  const member = await createMember(box);
  const guest = await shopperWith(box, [shirt, 2]);
  const before = guest.headers['x-session-id'];
  for (const credentials of [
    { email: member.email, password: 'a wrong password' },
    { email: 'nobody@mail.example', password },
  ]) {
    const answer = await logIn(guest, credentials);
    t.match(answer, { status: 401, body: { code: 'wrong_login' } });
  }
  t.equal(guest.headers['x-session-id'], before);
  t.strictSame(await quantitiesOf(guest), new Map([[shirt, 2]]));
  t.strictSame(await eventTypesOf(box, member.id), []);
});

t.test('disabled, deleted and unfinished accounts cannot log in, and their sessions end', async (t) => {
  for (const change of ["status = 'disabled'", 'deleted_at = now()', 'password_hash = null']) {
    const member = await createMember(box);
    t.equal((await member.get('/member')).status, 200);
    await box.db.query(`update members set ${change} where tenant_id = $1 and id = $2`, [member.id]);
    t.equal((await logIn(box.shopper(), member)).status, 401, change);
    t.equal((await member.get('/member')).status, change.startsWith('password') ? 200 : 401, change);
  }
});

t.test('a cookie holds the session for browsers', async (t) => {
  const member = await createMember(box);
  const visitor = box.visitor();
  const { body, headers } = await visitor.post('/member/login', { email: member.email, password, cookie: true });
  t.match(body, { token: null, device: null });
  const cookies = headers.getSetCookie();
  const session = cookies.find((each) => each.startsWith('carton_member='));
  t.match(session, /; path=\/; .*samesite=lax; httponly/i);
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
  t.equal((await visitor.get('/member', { headers: { cookie } })).body.id, member.id);
  const crossSite = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  t.equal((await visitor.post('/member/logout', undefined, { headers: crossSite })).status, 403);
  const left = await visitor.post('/member/logout', undefined, { headers: { cookie } });
  t.equal(left.status, 204);
  t.ok(left.headers.getSetCookie().some((each) => /^carton_member=; .*1970/.test(each)));
  t.equal((await visitor.get('/member', { headers: { cookie } })).status, 401);
});

t.test('a log-in closes the session of the request', async (t) => {
  const member = await createMember(box);
  const former = member.headers.authorization as string;
  t.equal((await logIn(member, member)).status, 200);
  t.equal((await box.visitor().get('/member', { headers: { authorization: former } })).status, 401);
  t.equal((await sessionsOf(member)).length, 1);
});

t.test('log-out ends the session, and rotates that of the guest', async (t) => {
  const member = await createMember(box);
  const guest = await shopperWith(box, [shirt, 1]);
  await logIn(guest, member);
  const before = guest.headers['x-session-id'];
  t.equal((await guest.post('/member/logout')).status, 204);
  t.not(guest.headers['x-session-id'], before);
  t.equal((await guest.get('/member')).status, 401);
  delete guest.headers.authorization;
  t.match((await guest.get('/cart')).body, { id: null, items: exactly([]) }, 'the next user of the device has no cart');
  t.strictSame(await quantitiesOf(member), new Map([[shirt, 1]]), 'other sessions stay open');
});

t.test('members list and end their own sessions', async (t) => {
  const [member, other] = [await createMember(box), await createMember(box)];
  const phone = await openSession(box, member.id);
  const sessions = await sessionsOf(member);
  t.strictSame(
    sessions.map(({ current }: { current: boolean }) => current),
    [false, true],
  );
  t.strictSame(Object.keys(sessions[0]).sort(), ['address', 'createdAt', 'current', 'expiresAt', 'id', 'userAgent']);
  t.equal((await other.delete(`/member/sessions/${sessions[0].id}`)).status, 404, "another member's session");
  t.equal((await phone.get('/member')).status, 200);
  t.equal((await member.delete(`/member/sessions/${sessions[0].id}`)).status, 204);
  t.equal((await member.delete(`/member/sessions/${sessions[0].id}`)).status, 404);
  t.equal((await phone.get('/member')).status, 401);
  await box.db.query('update member_sessions set expires_at = now() where tenant_id = $1 and member_id = $2', [
    other.id,
  ]);
  t.equal((await other.get('/member')).status, 401, 'an expired session');
});

t.test('idempotency keys are separate for each member', async (t) => {
  const [one, other] = [await createMember(box), await createMember(box)];
  const key = { headers: { 'idempotency-key': 'same' } };
  const add = (member: Caller) => member.post('/cart/items', { variantId: shirt, quantity: 1 }, key);
  const [first, repeated, separate] = [await add(one), await add(one), await add(other)];
  t.strictSame([repeated.body, repeated.headers.get('idempotent-replayed')], [first.body, 'true']);
  t.strictSame([separate.status, separate.headers.get('idempotent-replayed')], [201, null]);
  t.not(separate.body.id, first.body.id, 'each has a cart');
});

t.test('the database has hashes of tokens only', async (t) => {
  const member = await createMember(box);
  const { token } = (await logIn(box.shopper(), member)).body;
  const stored = await box.db.query('select * from member_sessions where tenant_id = $1 and member_id = $2', [
    member.id,
  ]);
  t.equal(stored.length, 2);
  t.notMatch(JSON.stringify(stored), token.slice(4));
});

t.test('guesses are throttled by account and by client; a trusted device may still log in', async (t) => {
  const member = await createMember(box);
  const { device } = (await box.visitor().post('/member/login', { email: member.email, password, device: null })).body;
  await box.db.query("delete from auth_attempts where tenant_id = $1 and kind = 'member password known'");
  const guess = (email: string) => box.visitor().post('/member/login', { email, password: 'a wrong password' });
  for (let attempt = 0; attempt < 10; attempt++) t.equal((await guess(member.email)).status, 401);
  t.match(await guess(member.email), { status: 429, body: { code: 'too_many_requests' } });
  t.equal((await logIn(box.shopper(), member)).status, 429, 'a correct password waits too');
  const trusted = await box.visitor().post('/member/login', { email: member.email, password, device });
  t.equal(trusted.status, 200);
  t.equal(trusted.body.device, device);
  await forgetAttempts(box);
  for (let attempt = 0; attempt < 20; attempt++) t.equal((await guess(`nobody-${attempt}@mail.example`)).status, 401);
  t.equal((await guess('nobody@mail.example')).status, 429);
});
