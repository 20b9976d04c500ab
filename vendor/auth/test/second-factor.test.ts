/**
 * The second factor of a person: enabling and disabling it, its secret, and recovery codes. Logging in with it is in
 * `second-factor-log-ins.test.ts`.
 */
import { createTestBox, eventsOf } from '@carton/runtime/testing';
import t from 'tap';
import { stepOf } from '../second-factor/codes.ts';
import {
  bearerOf,
  challengeOf,
  codeOf,
  completeLogIn,
  enableFactor,
  forgetAttempts,
  hire,
  logIn,
  type Person,
  packages,
  password,
  pretendMinutesAgo,
} from '../testing/index.ts';

const key = 'a key for tests that encrypts secrets';
const box = await createTestBox(t, { packages, tier: 'basic', environment: { SECOND_FACTOR_KEY: key } });
const path = '/admin/me/second-factor';
t.beforeEach(() => forgetAttempts(box));

/** The events about the second factor of a person, oldest first. */
async function factorEventsOf({ id }: Pick<Person, 'id'>): Promise<[type: string, payload: unknown][]> {
  const events = await eventsOf(box, { resourceId: id, type: /^(?!staff\.(joined|logged_in)$)/ });
  return events.map(({ type, payload }) => [type, payload]);
}

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
  const other = (await logIn(box, person.email)).body.token;
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
  t.match(await logIn(box, person.email), { status: 200 }, 'a secret without a code changes nothing');
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
  t.strictSame(await factorEventsOf(person), [['staff.second_factor_enabled', {}]]);
});

t.test('neither the secret nor a code is stored in the clear', async (t) => {
  const person = await enableFactor(box, await hire(box, 'viewer'));
  const challenge = await challengeOf(box, person);
  await completeLogIn(box, challenge, person.recoveryCodes[0] as string);
  const stored = JSON.stringify([
    await box.db.query('select * from staff_second_factors where tenant_id = $1'),
    await box.db.query('select * from staff_tokens where tenant_id = $1'),
    await eventsOf(box),
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
  t.equal((await completeLogIn(box, await challengeOf(box, person), '000000')).status, 403);
  t.equal(await stored(), person.secret, 'a wrong code changes nothing');
  t.match(await completeLogIn(box, await challengeOf(box, person), await person.newCode()), { status: 200 });
  const encrypted = await stored();
  t.match(encrypted, /^v1\./);
  t.match(await completeLogIn(box, await challengeOf(box, person), await person.newCode()), { status: 200 });
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
  t.equal((await completeLogIn(box, await challengeOf(box, other), codeOf(one.secret, 1))).status, 500);
  t.match(await completeLogIn(box, await challengeOf(box, one), codeOf(one.secret, 1)), { status: 200 });
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
  t.equal(
    (await completeLogIn(box, await challengeOf(box, person), first.toUpperCase().replaceAll('-', ' '))).status,
    200,
  );
  t.match(await completeLogIn(box, await challengeOf(box, person), first), {
    status: 403,
    body: { code: 'wrong_code' },
  });
  t.match(await person.get(path), { body: { recoveryCodesLeft: 9 } });

  t.match(await person.post(`${path}/recovery-codes`, { code: second }), { status: 403, body: { code: 'wrong_code' } });
  t.match(await person.get(path), { body: { recoveryCodesLeft: 9 } }, 'it was not used');
  const code = await person.newCode();
  const { recoveryCodes } = (await person.post(`${path}/recovery-codes`, { code })).body;
  t.equal(new Set([...recoveryCodes, ...person.recoveryCodes]).size, 20);
  t.match(await person.post(`${path}/recovery-codes`, { code }), { status: 403 }, 'the code was used');
  t.match(
    await completeLogIn(box, await challengeOf(box, person), second),
    { status: 403 },
    'the former codes are void',
  );
  t.equal((await completeLogIn(box, await challengeOf(box, person), recoveryCodes[0])).status, 200);
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
  t.equal((await logIn(box, person.email)).status, 200);
  for (const response of [await disable(password, code), await person.post(`${path}/recovery-codes`, { code })])
    t.match(response, { status: 409, body: { code: 'second_factor_not_enabled' } });

  const again = await enableFactor(box, person);
  t.equal((await disable(password, again.recoveryCodes[9] as string)).status, 204);
  t.strictSame(
    (await factorEventsOf(person)).map(([type]) => type),
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
  t.equal((await completeLogIn(box, challenge, codeOf(person.secret, 1))).status, 404);
  t.equal((await logIn(box, person.email)).status, 200);
  t.match(await reset(owner, person), { status: 409, body: { code: 'second_factor_not_enabled' } });
  t.strictSame(
    (await factorEventsOf(person)).filter(([type]) => type === 'staff.second_factor_reset'),
    [['staff.second_factor_reset', { actorType: 'staff', actorId: owner.id }]],
  );
});
