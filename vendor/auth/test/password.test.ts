/**
 * Changing a password with the current one, and resetting it by a link.
 */

import { createTestBox, exactly, payloadsOf, type TestTenant, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { issuePasswordReset } from '../passwords/service.ts';
import { forgetAttempts, hire, logIn, packages, password, signIn } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const next = 'another horse battery';
// The throttle has tests of its own.
t.beforeEach(() => forgetAttempts(box));

interface ResetRequested {
  requestId: string;
  expiresAt: string;
}

/** The payload of the newest event that requests a link. */
async function newestRequest(tenant: TestTenant): Promise<ResetRequested | undefined> {
  return (await payloadsOf<ResetRequested>(tenant, { type: 'staff.password_reset_requested' })).at(-1);
}

const forgot = (email: string, tenant: TestTenant = box) =>
  tenant.visitor().post('/admin/auth/password/forgot', { email });
const reset = (token: string, to = next, tenant: TestTenant = box) =>
  tenant.visitor().post('/admin/auth/password/reset', { token, password: to });

/** Requests a link and creates its secret. */
async function requestLink(email: string): Promise<{ requestId: string; token: string }> {
  await forgot(email);
  const { requestId } = (await newestRequest(box)) as ResetRequested;
  return { requestId, token: (await issuePasswordReset(box.db, requestId))?.token as string };
}

t.test('a link resets the password once and ends every session', async (t) => {
  const person = await hire(box, 'manager');
  const accepted = await forgot(person.email.toUpperCase());
  t.match({ status: accepted.status, body: accepted.body }, { status: 202, body: '' });
  const event = (await newestRequest(box)) as ResetRequested;
  t.strictSame(Object.keys(event).sort(), ['expiresAt', 'requestId'], 'the outbox has neither address nor secret');

  const sent = await issuePasswordReset(box.db, event.requestId);
  t.match(sent, { email: person.email, name: 'manager', locale: null, token: /^rst_[\w-]{43}$/ });
  const token = sent?.token as string;
  const stored = await box.db.query('select * from staff_tokens where tenant_id = $1');
  t.notMatch(JSON.stringify(stored), token, 'only its hash is stored');

  t.match(await reset(token, 'short'), { status: 400, body: { errors: exactly([{ pointer: '/password' }]) } });
  t.match(await reset(token), { status: 204 });
  t.match(await person.get('/admin/me'), { status: 401 });
  t.match(await reset(token), { status: 404, body: { code: 'password_reset_unknown' } });
  t.equal(await issuePasswordReset(box.db, event.requestId), null, 'the request is no longer open');
  t.match(await box.visitor().post('/admin/auth/login', { email: person.email, password }), { status: 401 });
  t.match(await (await signIn(box, box, { email: person.email, password: next })).get('/admin/me'), { status: 200 });
});

t.test('an unknown address gets the same response, and no link', async (t) => {
  const known = await forgot(box.email);
  const person = await hire(box, 'viewer');
  await box.staff.patch(`/admin/users/${person.id}`, { status: 'disabled' });
  for (const email of ['nobody@shop.example', person.email]) {
    const response = await forgot(email);
    t.strictSame([response.status, response.body], [known.status, known.body], email);
    const { requestId } = (await newestRequest(box)) as ResetRequested;
    t.equal(await issuePasswordReset(box.db, requestId), null, email);
  }
});

t.test('a link that was not sent before the password or the account changed is not sent', async (t) => {
  const person = await hire(box, 'viewer');
  await forgot(person.email);
  const { requestId } = (await newestRequest(box)) as ResetRequested;
  await box.staff.patch(`/admin/users/${person.id}`, { status: 'disabled' });
  await box.staff.patch(`/admin/users/${person.id}`, { status: 'active' });
  t.equal(await issuePasswordReset(box.db, requestId), null);
});

t.test('of two concurrent uses of a link one succeeds', async (t) => {
  const person = await hire(box, 'viewer');
  const { token } = await requestLink(person.email);
  const passwords = ['first horse battery', 'second horse battery'];
  const responses = await Promise.all(passwords.map((to) => reset(token, to)));
  t.strictSame(responses.map(({ status }) => status).sort(), [204, 404]);
  const accepted = passwords[responses.findIndex(({ status }) => status === 204)] as string;
  const rejected = passwords.find((each) => each !== accepted) as string;
  t.match(await box.visitor().post('/admin/auth/login', { email: person.email, password: accepted }), { status: 200 });
  t.match(await box.visitor().post('/admin/auth/login', { email: person.email, password: rejected }), { status: 401 });
});

t.test(
  'a link is invalid for another tenant, after it expires, once it is replaced, and after the account was disabled',
  async (t) => {
    const other = await box.openTenant();
    const person = await hire(box, 'viewer');
    const first = await requestLink(person.email);
    t.match(await reset(first.token, next, other), { status: 404 });
    t.equal(await issuePasswordReset(other.db, first.requestId), null);

    const again = (await issuePasswordReset(box.db, first.requestId))?.token as string;
    t.match(await reset(first.token), { status: 404 }, 'a second message has replaced it');
    const expire = "update staff_tokens set expires_at = now() - interval '1 s' where tenant_id = $1 and id = $2";
    await box.db.query(expire, [first.requestId]);
    t.match(await reset(again), { status: 404 });
    t.equal(await issuePasswordReset(box.db, first.requestId), null);

    const second = await requestLink(person.email);
    const left = await box.db.query('select id from staff_tokens where tenant_id = $1 and id = $2', [first.requestId]);
    t.strictSame(left, [], 'expired requests are deleted');
    await box.staff.patch(`/admin/users/${person.id}`, { status: 'disabled' });
    await box.staff.patch(`/admin/users/${person.id}`, { status: 'active' });
    t.match(await reset(second.token), { status: 404 });
  },
);

t.test('changing a password requires the current one and ends all other sessions', async (t) => {
  const person = await hire(box, 'viewer');
  const elsewhere = await signIn(box, box, { email: person.email, password });
  const { token } = await requestLink(person.email);
  const cases: [body: object, expected: object][] = [
    [{ password: next }, { status: 400, body: { errors: [{ pointer: '/currentPassword' }] } }],
    [{ currentPassword: password }, { status: 400, body: { errors: [{ pointer: '/password' }] } }],
    [
      { password: next, currentPassword: 'wrong' },
      { status: 403, body: { code: 'wrong_password' } },
    ],
    [{ role: 'owner' }, { status: 400 }],
    [{}, { status: 400 }],
    [
      { name: 'Ada', locale: 'nonsense!' },
      { status: 400, body: { errors: [{ pointer: '/locale' }] } },
    ],
    [
      { name: 'Ada', locale: 'de-AT' },
      { status: 200, body: { name: 'Ada', locale: 'de-AT', role: 'viewer' } },
    ],
    [{ locale: null }, { status: 200, body: { name: 'Ada', locale: null } }],
  ];
  for (const [body, expected] of cases) t.match(await person.patch('/admin/me', body), expected, JSON.stringify(body));
  t.match(await elsewhere.get('/admin/me'), { status: 200 });

  const changed = await person.patch('/admin/me', { password: next, currentPassword: password });
  t.match(changed, { status: 200, body: { email: person.email } });
  t.match(await person.get('/admin/me'), { status: 200 });
  t.match(await elsewhere.get('/admin/me'), { status: 401 });
  t.match(await reset(token), { status: 404 }, 'earlier links are invalid');
  t.match(await logIn(box, person.email, next), { status: 200 });
});

t.test('of a concurrent reset and change with the old password one succeeds', async (t) => {
  const person = await hire(box, 'viewer');
  const { token } = await requestLink(person.email);
  const [changed, done] = await Promise.all([
    person.patch('/admin/me', { password: 'thief horse battery', currentPassword: password }),
    reset(token),
  ]);
  // Both would let the old password override the reset.
  t.equal([changed.status === 200, done.status === 204].filter(Boolean).length, 1, `${changed.status} ${done.status}`);
});

t.test('a log-in concurrent with a reset leaves no session of the old password', async (t) => {
  const person = await hire(box, 'viewer');
  const { token } = await requestLink(person.email);
  const [first, done, second] = await Promise.all([logIn(box, person.email), reset(token), logIn(box, person.email)]);
  t.equal(done.status, 204);
  for (const { status, body } of [first, second]) {
    const headers = { authorization: `Bearer ${body.token}` };
    if (status === 200) t.match(await box.visitor().get('/admin/me', { headers }), { status: 401 });
    else t.equal(status, 401);
  }
});

t.test('a reset wins over a change and a log-in that verified the old password before it', async (t) => {
  const person = await hire(box, 'viewer');
  const { token } = await requestLink(person.email);
  const sent = await box.db.transaction(async (holder) => {
    await holder.query('select id from staff_users where tenant_id = $1 and id = $2 for update', [person.id]);
    const done = reset(token);
    await untilWaiting(box, 1);
    const changed = person.patch('/admin/me', { password: 'thief horse battery', currentPassword: password });
    const opened = logIn(box, person.email);
    await untilWaiting(box, 3);
    return { done, changed, opened };
  });
  t.match(await sent.done, { status: 204 });
  t.match(await sent.changed, { status: 403, body: { code: 'wrong_password' } });
  t.match(await sent.opened, { status: 401, body: { code: 'wrong_login' } });
  t.match(await logIn(box, person.email, next), { status: 200 });
});
