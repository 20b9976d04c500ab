/**
 * The second factor: enabling and disabling it, logging in with it, and recovery codes.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { stepOf } from '../codes.ts';
import { issuePasswordReset } from '../index.ts';
import {
  bearerOf,
  challengeOf,
  codeOf,
  enableFactor,
  hire,
  type Person,
  packages,
  password,
  pretendAttempts,
  pretendMinutesAgo,
} from '../testing/index.ts';

// Hashing a password is slow on purpose.
t.setTimeout(600_000);

const key = 'a key for tests that encrypts secrets';
const box = await createTestBox(t, { packages, tier: 'basic', environment: { SECOND_FACTOR_KEY: key } });
const path = '/admin/me/second-factor';
const logInPath = '/admin/auth/login/second-factor';

const complete = (challenge: string, code: string) => box.visitor().post(logInPath, { challenge, code });
const logIn = (email: string, sent = password) => box.visitor().post('/admin/auth/login', { email, password: sent });

interface Event {
  type: string;
  payload: unknown;
}

/** The events about a person since the last one of a type, oldest first. */
async function eventsOf({ id }: Pick<Person, 'id'>): Promise<[type: string, payload: unknown][]> {
  const events = await box.db.query<Event>(
    "select type, payload from event_outbox where tenant_id = $1 and resource_id = $2 and type <> 'staff.joined' order by id",
    [id],
  );
  return events.map(({ type, payload }) => [type, payload]);
}

/** Forgets all counted attempts. */
const forgetAttempts = () => box.db.query('delete from auth_attempts where tenant_id = $1');

t.beforeEach(async () => {
  await forgetAttempts();
});

t.test('codes of one time step before and after now are accepted', async (t) => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  // RFC 6238, appendix B, the last 6 of the 8 digits.
  t.equal(stepOf(secret, '287082', 59_000), 1);
  t.equal(stepOf(secret, '081804', 1_111_111_109_000), 37_037_036);
  const now = 1_700_000_000_000;
  const accepted = [-3, -2, -1, 0, 1, 2, 3].filter((steps) => stepOf(secret, codeOf(secret, steps, now), now) !== null);
  t.strictSame(accepted, [-1, 0, 1]);
  for (const code of ['', '12345', '1234567', 'abcdef']) t.equal(stepOf(secret, code, now), null, code);
});

t.test('the password begins it, and a code enables it and ends the other sessions', async (t) => {
  const person = await hire(box, 'manager');
  const other = (await logIn(person.email)).body.token;
  const otherSession = () => bearerOf(box, other).get('/admin/me');
  t.strictSame((await person.get(path)).body, { enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
  t.match(await person.post(`${path}/confirm`, { code: '123456' }), {
    status: 409,
    body: { code: 'second_factor_not_enabled', detail: 'Begin with POST /admin/me/second-factor.' },
  });
  t.match(await person.post(path, { password: 'a guess' }), { status: 403, body: { code: 'wrong_password' } });

  const first = await person.post(path, { password });
  t.equal(first.status, 201);
  const { uri, secret } = (await person.post(path, { password })).body;
  const parsed = new URL(uri);
  t.equal(parsed.protocol, 'otpauth:');
  t.equal(parsed.searchParams.get('secret'), secret);
  t.match(decodeURIComponent(parsed.pathname), person.email);
  t.strictSame((await person.get(path)).body, { enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
  t.match(await logIn(person.email), { status: 200 }, 'a secret without a code changes nothing');
  const replaced = await person.post(`${path}/confirm`, { code: codeOf(first.body.secret, 0) });
  t.match(replaced, { status: 403, body: { code: 'wrong_code' } }, 'the first secret is replaced');

  t.equal((await otherSession()).status, 200);
  const confirmed = await person.post(`${path}/confirm`, { code: codeOf(secret, 0) });
  t.equal(confirmed.status, 200);
  const { recoveryCodes } = confirmed.body;
  t.equal(new Set(recoveryCodes).size, 10);
  for (const code of recoveryCodes) t.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  t.equal((await otherSession()).status, 401);
  const state = (await person.get(path)).body;
  t.strictSame(state, { enabled: true, enabledAt: state.enabledAt, recoveryCodesLeft: 10 });
  t.match(state.enabledAt, /^\d{4}-/);
  for (const again of [
    await person.post(path, { password }),
    await person.post(`${path}/confirm`, { code: codeOf(secret, 1) }),
  ])
    t.match(again, { status: 409, body: { code: 'second_factor_enabled' } });
  t.strictSame(
    (await eventsOf(person)).filter(([type]) => type !== 'staff.logged_in'),
    [['staff.second_factor_enabled', {}]],
  );
});

t.test('neither the secret nor a code is stored in the clear', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const challenge = await challengeOf(box, person);
  await complete(challenge, person.recoveryCodes[0] as string);
  const stored = JSON.stringify([
    await box.db.query('select * from staff_second_factors where tenant_id = $1'),
    await box.db.query('select * from staff_tokens where tenant_id = $1'),
    await box.db.query('select * from event_outbox where tenant_id = $1'),
  ]);
  for (const secret of [person.secret, challenge, ...person.recoveryCodes]) t.notOk(stored.includes(secret), secret);
  t.match(stored, /"secretKey":"v1\./);
});

t.test('a secret stored before the box had a key is encrypted when a code is used', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const change = 'update staff_second_factors set secret_key = $3 where tenant_id = $1 and staff_user_id = $2';
  await box.db.query(change, [person.id, person.secret]);
  const stored = async () => {
    const [row] = await box.db.query<{ secretKey: string }>(
      'select secret_key from staff_second_factors where tenant_id = $1 and staff_user_id = $2',
      [person.id],
    );
    return row?.secretKey;
  };
  t.equal((await complete(await challengeOf(box, person), '000000')).status, 403);
  t.equal(await stored(), person.secret, 'a wrong code changes nothing');
  t.match(await complete(await challengeOf(box, person), await person.newCode()), { status: 200 });
  const encrypted = await stored();
  t.match(encrypted, /^v1\./);
  t.match(await complete(await challengeOf(box, person), await person.newCode()), { status: 200 });
  t.equal(await stored(), encrypted);
});

t.test('an encrypted secret works only in its own row', async (t) => {
  const [one, other] = [
    await enableFactor(box, await hire(box, 'viewer')),
    await enableFactor(box, await hire(box, 'viewer')),
  ];
  const copy = `update staff_second_factors set secret_key = (
      select secret_key from staff_second_factors where tenant_id = $1 and staff_user_id = $2)
    where tenant_id = $1 and staff_user_id = $3`;
  await box.db.query(copy, [one.id, other.id]);
  t.equal((await complete(await challengeOf(box, other), codeOf(one.secret, 1))).status, 500);
  t.match(await complete(await challengeOf(box, one), codeOf(one.secret, 1)), { status: 200 });
});

t.test('a log-in with the factor needs a code, and each code works once', async (t) => {
  const person = await enableFactor(box, await hire(box, 'manager'));
  const wrong = await logIn(person.email, 'wrong password');
  t.match(wrong, { status: 401, body: { code: 'wrong_login' } });
  t.notOk('challenge' in wrong.body);

  const asked = await logIn(person.email);
  const { challenge, expiresAt } = asked.body;
  t.match(asked, { status: 401, body: { code: 'second_factor_required', challenge: /^chl_[\w-]{43}$/ } });
  t.ok(Date.parse(expiresAt) > Date.now() && Date.parse(expiresAt) <= Date.now() + 10 * 60_000);
  t.notOk('token' in asked.body);
  t.strictSame(asked.headers.getSetCookie(), []);
  t.equal((await bearerOf(box, challenge).get('/admin/me')).status, 401);

  const code = await person.newCode();
  const opened = await complete(challenge, `${code.slice(0, 3)} ${code.slice(3)}`);
  t.match(opened, { status: 200, body: { token: /^sts_/, device: null } });
  const me = await bearerOf(box, opened.body.token).get('/admin/me');
  t.match(me, { status: 200, body: { id: person.id } });
  t.match(await complete(challenge, codeOf(person.secret, 1)), { status: 404, body: { code: 'challenge_unknown' } });
  const second = await challengeOf(box, person);
  t.match(await complete(second, code), { status: 403, body: { code: 'wrong_code' } }, 'the code was used');
  t.equal((await complete(second, codeOf(person.secret, 1))).status, 200, 'the next one was not');
  const third = await challengeOf(box, person);
  t.equal((await complete(third, codeOf(person.secret, 0))).status, 403, 'one before the last used one is refused');
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
  await forgetAttempts();
  const challenge = await challengeOf(box, person);
  t.strictSame(await trusted(), []);
  const counted =
    "select sum(attempts)::integer as attempts from auth_attempts where tenant_id = $1 and kind like 'staff password %'";
  t.strictSame(await box.db.query(counted), [{ attempts: 0 }], 'a correct password is not counted');
  await complete(challenge, await person.newCode());
  t.equal((await trusted()).length, 1);
});

t.test('a challenge belongs to one person of one tenant, expires and ends with a password reset', async (t) => {
  const [person, other] = [
    await enableFactor(box, await hire(box, 'viewer')),
    await enableFactor(box, await hire(box, 'viewer')),
  ];
  const unknown = { status: 404, body: { code: 'challenge_unknown', detail: 'Log in again with the password.' } };
  const challenge = await challengeOf(box, person);
  t.match(await complete(challenge, await other.newCode()), { status: 403 }, "another person's code");
  t.match(await complete(challenge, other.recoveryCodes[0] as string), { status: 403 });
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
  t.match(await complete(challenge, await person.newCode()), unknown, 'expired');

  const before = await challengeOf(box, person);
  await box.visitor().post('/admin/auth/password/forgot', { email: person.email });
  const [request] = await box.db.query<{ id: string }>(
    "select id from staff_tokens where tenant_id = $1 and email = $2 and purpose = 'password_reset'",
    [person.email],
  );
  const token = (await issuePasswordReset(box.db, request?.id as string))?.token as string;
  t.match(await complete(token, await person.newCode()), unknown, 'a reset link is no challenge');
  const next = 'another horse battery';
  t.equal((await box.visitor().post('/admin/auth/password/reset', { token, password: next })).status, 204);
  t.match(await complete(before, await person.newCode()), unknown, 'of the former password');
  t.match(
    await logIn(person.email, next),
    { status: 401, body: { code: 'second_factor_required' } },
    'the factor stays',
  );

  const open = await challengeOf(box, other);
  await box.staff.patch(`/admin/users/${other.id}`, { status: 'disabled' });
  t.match(await complete(open, await other.newCode()), unknown, 'the account is disabled');
  t.match(await logIn(other.email), { status: 401, body: { code: 'wrong_login' } });
});

t.test('five codes per challenge', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const challenge = await challengeOf(box, person);
  const statuses: number[] = [];
  for (let at = 0; at < 5; at++) {
    statuses.push((await complete(challenge, 'aaaa-aaaa-aaaa-aaaa')).status);
    await forgetAttempts();
  }
  t.strictSame(statuses, [403, 403, 403, 403, 403]);
  t.match(await complete(challenge, await person.newCode()), { status: 404, body: { code: 'challenge_unknown' } });
  t.match(await complete(await challengeOf(box, person), await person.newCode()), { status: 200 });
});

t.test('an account allows five codes, whatever they are for, and then delays each', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const wrong = 'aaaa-aaaa-aaaa-aaaa';
  const tooMany = { status: 429, body: { code: 'too_many_requests' } };
  for (let at = 0; at < 2; at++) {
    t.equal((await complete(await challengeOf(box, person), wrong)).status, 403);
    t.equal((await person.post(`${path}/disable`, { password, code: wrong })).status, 403);
  }
  t.equal((await person.post(`${path}/recovery-codes`, { code: '000000' })).status, 403);
  const code = await person.newCode();
  const challenge = await challengeOf(box, person);
  await pretendMinutesAgo(box, 0);
  t.match(await complete(challenge, code), tooMany, 'the correct code is not checked');
  t.match(await person.post(`${path}/recovery-codes`, { code }), tooMany);
  t.match(await person.post(`${path}/disable`, { password, code }), tooMany);
  await pretendAttempts(box, 'staff code account', 30);
  await pretendMinutesAgo(box, 14);
  t.match(await complete(challenge, code), tooMany, 'the longest wait is 15 minutes');
  await pretendMinutesAgo(box, 15);
  t.equal((await complete(challenge, code)).status, 200);
  const [count] = await box.db.query(
    "select 1 from auth_attempts where tenant_id = $1 and kind = 'staff code account'",
  );
  t.equal(count, undefined, 'a success ends the count');
});

t.test('a guess of codes while enabling is counted, too', async (t) => {
  const person = await hire(box, 'viewer');
  const { secret } = (await person.post(path, { password })).body;
  for (let at = 0; at < 5; at++) t.equal((await person.post(`${path}/confirm`, { code: 'abcdef' })).status, 403);
  await pretendMinutesAgo(box, 0);
  t.equal((await person.post(`${path}/confirm`, { code: codeOf(secret, 0) })).status, 429);
});

t.test('a recovery code works once, and a code replaces them all', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const [first, second] = person.recoveryCodes as [string, string];
  t.equal((await complete(await challengeOf(box, person), first.toUpperCase().replaceAll('-', ' '))).status, 200);
  t.match(await complete(await challengeOf(box, person), first), { status: 403, body: { code: 'wrong_code' } });
  t.match(await person.get(path), { body: { recoveryCodesLeft: 9 } });

  t.match(await person.post(`${path}/recovery-codes`, { code: second }), { status: 403, body: { code: 'wrong_code' } });
  t.match(await person.get(path), { body: { recoveryCodesLeft: 9 } }, 'it was not used');
  const code = await person.newCode();
  const { recoveryCodes } = (await person.post(`${path}/recovery-codes`, { code })).body;
  t.equal(new Set([...recoveryCodes, ...person.recoveryCodes]).size, 20);
  t.match(await person.post(`${path}/recovery-codes`, { code }), { status: 403 }, 'the code was used');
  t.match(await complete(await challengeOf(box, person), second), { status: 403 }, 'the former codes are void');
  t.equal((await complete(await challengeOf(box, person), recoveryCodes[0])).status, 200);
  t.match(await person.get(path), { body: { recoveryCodesLeft: 9 } });
});

t.test('the password and a code or a recovery code disable it', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const disable = (sent: string, code: string) => person.post(`${path}/disable`, { password: sent, code });
  const code = await person.newCode();
  t.match(await disable('a guess', code), { status: 403, body: { code: 'wrong_password' } });
  t.match(await disable(password, 'aaaa-aaaa-aaaa-aaaa'), { status: 403, body: { code: 'wrong_code' } });
  t.match(await person.get(path), { body: { enabled: true, recoveryCodesLeft: 10 } });
  t.equal((await disable(password, code)).status, 204);
  t.strictSame((await person.get(path)).body, { enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
  t.equal((await logIn(person.email)).status, 200);
  for (const response of [await disable(password, code), await person.post(`${path}/recovery-codes`, { code })])
    t.match(response, { status: 409, body: { code: 'second_factor_not_enabled' } });

  const again = await enableFactor(box, person);
  t.equal((await disable(password, again.recoveryCodes[9] as string)).status, 204);
  t.strictSame(
    (await eventsOf(person)).filter(([type]) => type !== 'staff.logged_in').map(([type]) => type),
    ['enabled', 'disabled', 'enabled', 'disabled'].map((what) => `staff.second_factor_${what}`),
  );
});

t.test('an owner resets the factor of another person, whose sessions end', async (t) => {
  const person = await enableFactor(box, await hire(box, 'manager'));
  const owner = await enableFactor(box, await hire(box, 'owner'));
  const manager = await hire(box, 'manager');
  const reset = (caller: typeof box.staff, { id }: Person) => caller.delete(`/admin/users/${id}/second-factor`);
  t.match(await reset(manager, person), { status: 403 });
  t.match(await reset(person, person), { status: 403 });
  t.match(await reset(owner, owner), { status: 409, body: { code: 'own_account' } });
  t.match(await owner.get(path), { body: { enabled: true } });
  t.match(await reset((await box.openTenant()).staff, person), { status: 404 });
  t.equal((await person.get(path)).status, 200);
  const challenge = await challengeOf(box, person);

  t.equal((await reset(owner, person)).status, 204);
  t.equal((await person.get(path)).status, 401);
  t.equal((await complete(challenge, codeOf(person.secret, 1))).status, 404);
  t.equal((await logIn(person.email)).status, 200);
  t.match(await reset(owner, person), { status: 409, body: { code: 'second_factor_not_enabled' } });
  t.strictSame(
    (await eventsOf(person)).filter(([type]) => type === 'staff.second_factor_reset'),
    [['staff.second_factor_reset', { actorType: 'staff', actorId: owner.id }]],
  );
});
