/**
 * Logging in with a second factor: what a code opens, whose challenge it is, and how many codes may be tried.
 */

import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { issuePasswordReset } from '../passwords/service.ts';
import {
  bearerOf,
  challengeOf,
  codeOf,
  completeLogIn,
  enableFactor,
  forgetAttempts,
  hire,
  logIn,
  packages,
  password,
  postFrom,
  pretendAttempts,
  pretendMinutesAgo,
} from '../testing/index.ts';

const key = 'a key for tests that encrypts secrets';
const box = await createTestBox(t, { packages, tier: 'basic', environment: { SECOND_FACTOR_KEY: key } });
const path = '/admin/me/second-factor';
const logInPath = '/admin/auth/login/second-factor';
t.beforeEach(() => forgetAttempts(box));

t.test('a log-in with the factor needs a code, and each code works once', async (t) => {
  const person = await enableFactor(box, await hire(box, 'manager'));
  const wrong = await logIn(box, person.email, 'wrong password');
  t.match(wrong, { status: 401, body: { code: 'wrong_login' } });
  t.notOk('challenge' in wrong.body);

  const asked = await logIn(box, person.email);
  const { challenge, expiresAt } = asked.body;
  t.match(asked, { status: 401, body: { code: 'second_factor_required', challenge: /^chl_[\w-]{43}$/ } });
  t.ok(Date.parse(expiresAt) > Date.now() && Date.parse(expiresAt) <= Date.now() + 10 * 60_000);
  t.notOk('token' in asked.body);
  t.strictSame(asked.headers.getSetCookie(), []);
  t.equal((await bearerOf(box, challenge).get('/admin/me')).status, 401);

  const code = await person.newCode();
  const opened = await completeLogIn(box, challenge, `${code.slice(0, 3)} ${code.slice(3)}`);
  t.match(opened, { status: 200, body: { token: /^sts_/, device: null } });
  const me = await bearerOf(box, opened.body.token).get('/admin/me');
  t.match(me, { status: 200, body: { id: person.id } });
  t.match(await completeLogIn(box, challenge, codeOf(person.secret, 1)), {
    status: 404,
    body: { code: 'challenge_unknown' },
  });
  const second = await challengeOf(box, person);
  t.match(await completeLogIn(box, second, code), { status: 403, body: { code: 'wrong_code' } }, 'the code was used');
  t.equal((await completeLogIn(box, second, codeOf(person.secret, 1))).status, 200, 'the next one was not');
  const third = await challengeOf(box, person);
  t.equal(
    (await completeLogIn(box, third, codeOf(person.secret, 0))).status,
    403,
    'one before the last used one is refused',
  );
});

t.test('the session of a browser is in a cookie, and its device becomes trusted', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const challenge = await challengeOf(box, person);
  const opened = await box.visitor().post(logInPath, { challenge, code: await person.newCode(), cookie: true });
  t.match(opened, { status: 200, body: { token: null, device: null } });
  t.strictSame(
    opened.headers
      .getSetCookie()
      .map((cookie: string) => cookie.replace(/=.*/, '').replace(/[0-9a-f]{12}$/, '…'))
      .sort(),
    ['carton_device_…', 'carton_staff'],
  );
  const next = await challengeOf(box, person);
  const byClient = await box.visitor().post(logInPath, { challenge: next, code: await person.newCode(), device: null });
  t.match(byClient, { status: 200, body: { token: /^sts_/, device: /^dvc_/ } });
});

t.test('a right password without a code makes no address trusted', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const trusted = () =>
    box.db.query("select kind from auth_attempts where tenant_id = $1 and kind = 'staff password known'");
  await forgetAttempts(box);
  const challenge = await challengeOf(box, person);
  t.strictSame(await trusted(), []);
  const counted =
    "select sum(attempts)::integer as attempts from auth_attempts where tenant_id = $1 and kind like 'staff password %'";
  t.strictSame(await box.db.query(counted), [{ attempts: 0 }], 'a correct password is not counted');
  await completeLogIn(box, challenge, await person.newCode());
  t.equal((await trusted()).length, 1);
});

t.test('a challenge belongs to one person of one tenant, expires and ends with a password reset', async (t) => {
  const [person, other] = [
    await enableFactor(box, await hire(box, 'viewer')),
    await enableFactor(box, await hire(box, 'viewer')),
  ];
  const unknown = { status: 404, body: { code: 'challenge_unknown', detail: 'Log in again with the password.' } };
  const challenge = await challengeOf(box, person);
  t.match(await completeLogIn(box, challenge, await other.newCode()), { status: 403 }, "another person's code");
  t.match(await completeLogIn(box, challenge, other.recoveryCodes[0] as string), { status: 403 });
  const tenant = await box.openTenant();
  t.match(await tenant.visitor().post(logInPath, { challenge, code: await person.newCode() }), unknown);
  const reset = await box
    .visitor()
    .post('/admin/auth/password/reset', { token: challenge, password: 'thief horse battery' });
  t.match(reset, { status: 404, body: { code: 'password_reset_unknown' } }, 'it resets no password');
  await box.db.query(
    "update staff_tokens set expires_at = now() - interval '1 second' where tenant_id = $1 and staff_user_id = $2",
    [person.id],
  );
  t.match(await completeLogIn(box, challenge, await person.newCode()), unknown, 'expired');

  const before = await challengeOf(box, person);
  await box.visitor().post('/admin/auth/password/forgot', { email: person.email });
  const [request] = await box.db.query<{ id: string }>(
    "select id from staff_tokens where tenant_id = $1 and email = $2 and purpose = 'password_reset'",
    [person.email],
  );
  const token = (await issuePasswordReset(box.db, request?.id as string))?.token as string;
  t.match(await completeLogIn(box, token, await person.newCode()), unknown, 'a reset link is no challenge');
  const next = 'another horse battery';
  t.equal((await box.visitor().post('/admin/auth/password/reset', { token, password: next })).status, 204);
  t.match(await completeLogIn(box, before, await person.newCode()), unknown, 'of the former password');
  t.match(
    await logIn(box, person.email, next),
    { status: 401, body: { code: 'second_factor_required' } },
    'the factor stays',
  );

  const open = await challengeOf(box, other);
  await box.staff.patch(`/admin/users/${other.id}`, { status: 'disabled' });
  t.match(await completeLogIn(box, open, await other.newCode()), unknown, 'the account is disabled');
  t.match(await logIn(box, other.email), { status: 401, body: { code: 'wrong_login' } });
});

t.test('five codes per challenge', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const challenge = await challengeOf(box, person);
  const statuses: number[] = [];
  for (let at = 0; at < 5; at++) {
    statuses.push((await completeLogIn(box, challenge, 'aaaa-aaaa-aaaa-aaaa')).status);
    await forgetAttempts(box);
  }
  t.strictSame(statuses, [403, 403, 403, 403, 403]);
  t.match(await completeLogIn(box, challenge, await person.newCode()), {
    status: 404,
    body: { code: 'challenge_unknown' },
  });
  t.match(await completeLogIn(box, await challengeOf(box, person), await person.newCode()), { status: 200 });
});

t.test('an account allows five codes, and its sessions five, and then delays each', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const wrong = 'aaaa-aaaa-aaaa-aaaa';
  const tooMany = { status: 429, body: { code: 'too_many_requests' } };
  for (let at = 0; at < 5; at++) t.equal((await completeLogIn(box, await challengeOf(box, person), wrong)).status, 403);
  for (let at = 0; at < 3; at++) t.equal((await person.post(`${path}/disable`, { password, code: wrong })).status, 403);
  for (let at = 0; at < 2; at++) t.equal((await person.post(`${path}/recovery-codes`, { code: '000000' })).status, 403);
  const code = await person.newCode();
  const challenge = await challengeOf(box, person);
  await pretendMinutesAgo(box, 0);
  t.match(await completeLogIn(box, challenge, code), tooMany, 'the correct code is not checked');
  t.match(await person.post(`${path}/recovery-codes`, { code }), tooMany);
  t.match(await person.post(`${path}/disable`, { password, code }), tooMany);
  await pretendAttempts(box, 'staff code account', 30);
  await pretendMinutesAgo(box, 14);
  t.match(await completeLogIn(box, challenge, code), tooMany, 'the longest wait is 15 minutes');
  await pretendMinutesAgo(box, 15);
  t.equal((await completeLogIn(box, challenge, code)).status, 200);
  const [count] = await box.db.query(
    "select 1 from auth_attempts where tenant_id = $1 and kind = 'staff code account'",
  );
  t.equal(count, undefined, 'a success ends the count');
});

t.test('those who know the password cannot lock out the owner by wrong codes', async (t) => {
  const person = await enableFactor(box, await hire(box, 'manager'));
  const credentials = { email: person.email, password };
  const logInFrom = (address: string) => postFrom(address, box, '/admin/auth/login', credentials);
  const complete = (address: string, challenge: string, more: object) =>
    postFrom(address, box, '/admin/auth/login/second-factor', { challenge, ...more });
  const first = await complete('127.0.11.1', (await logInFrom('127.0.11.1')).body.challenge, {
    code: await person.newCode(),
    device: null,
  });
  t.equal(first.status, 200);
  const { device } = first.body;

  const statuses: number[] = [];
  for (let at = 0; at < 7; at++) {
    const { challenge } = (await logInFrom('127.0.11.1')).body;
    statuses.push((await complete('127.0.11.1', challenge, { code: 'aaaa-aaaa-aaaa-aaaa' })).status);
  }
  t.strictSame(statuses, [403, 403, 403, 403, 403, 429, 429], 'also at the address of the owner');
  const { challenge } = (await logInFrom('127.0.11.1')).body;
  const code = await person.newCode();
  t.equal((await complete('127.0.11.1', challenge, { code, device: `dvc_${'x'.repeat(43)}` })).status, 429);
  t.equal((await complete('127.0.11.2', challenge, { code, device })).status, 200, 'the known device');
  t.equal((await person.post(`${path}/recovery-codes`, { code: await person.newCode() })).status, 200, 'the session');
});

t.test('an address tries twenty codes of all accounts, then waits', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const challenge = (await postFrom('127.0.12.1', box, '/admin/auth/login', { email: person.email, password })).body
    .challenge;
  const attempt = (address: string) =>
    postFrom(address, box, '/admin/auth/login/second-factor', { challenge, code: 'aaaa-aaaa-aaaa-aaaa' });
  t.equal((await attempt('127.0.12.1')).status, 403);
  await pretendAttempts(box, 'staff code address', 20);
  await pretendMinutesAgo(box, 0);
  t.equal((await attempt('127.0.12.1')).status, 429);
  t.equal((await attempt('127.0.12.2')).status, 403);
});
