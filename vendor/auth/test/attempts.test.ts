/**
 * Throttling of attempts by account and by address, with counts in the database.
 */

import { createTestBox, exactly, payloadsOf } from '@carton/runtime/testing';
import t from 'tap';
import { issuePasswordReset } from '../passwords/service.ts';
import {
  forgetAttempts,
  hire,
  packages,
  password,
  postFrom,
  pretendAttempts,
  pretendMinutesAgo,
} from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const path = '/admin/auth/login';
const tooMany = { status: 429, body: { code: 'too_many_requests' }, retryAfter: /^[1-9]\d*$/ };

const guess = (address: string, email: string, guessed = 'wrong password') =>
  postFrom(address, box, path, { email, password: guessed });

/** Sends a request as if right after the last attempt, however slow the machine is. */
async function immediately<T>(send: () => Promise<T>): Promise<T> {
  await pretendMinutesAgo(box, 0);
  return send();
}

/** Retry-After in seconds after each of some further attempts, each of which has waited long enough. */
async function waitsOf(address: string, email: string, rounds: number) {
  const waits: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await pretendMinutesAgo(box, 2);
    await guess(address, email);
    waits.push(Number((await immediately(() => guess(address, email))).retryAfter));
  }
  return waits;
}

async function times<T>(count: number, act: () => Promise<T>): Promise<T[]> {
  const responses: T[] = [];
  for (let at = 0; at < count; at++) responses.push(await act());
  return responses;
}

const statusesOf = (responses: { status: number }[]) => responses.map(({ status }) => status);

t.test('an account, existing or not, allows ten guesses and then delays each', async (t) => {
  const person = await hire(box, 'viewer');
  for (const [address, email] of [
    ['127.0.1.1', person.email],
    ['127.0.1.2', 'nobody@shop.example'],
  ] as const) {
    t.match(await guess(address, email), { status: 401, body: { code: 'wrong_login' } }, email);
    await pretendAttempts(box, 'staff password account', 9);
    t.match(
      await guess(address, email),
      { status: 401, body: { code: 'wrong_login' } },
      `${email}: the last free attempt`,
    );
    t.match(await immediately(() => guess(address, email)), tooMany, email);
    t.match(await immediately(() => guess('127.0.1.3', email.toUpperCase())), tooMany, 'also from another address');
    t.match(
      await immediately(() => guess('127.0.1.3', email, password)),
      tooMany,
      'the correct password is not checked',
    );
    const waits = await waitsOf(address, email, 4);
    for (const [at, longest] of [16, 32, 60, 60].entries()) {
      const seconds = waits[at] as number;
      t.ok(seconds <= longest && seconds > longest / 2, `the wait doubles up to the maximum: ${seconds}`);
    }
  }
});

t.test('concurrent guesses cannot exceed the limit', async (t) => {
  const person = await hire(box, 'viewer');
  const statuses = statusesOf(await Promise.all(Array.from({ length: 25 }, () => guess('127.0.2.1', person.email))));
  t.equal(statuses.filter((status) => status === 401).length, 10, `${statuses}`);
  t.equal(statuses.filter((status) => status === 429).length, 15);
});

t.test('guesses from elsewhere do not lock out a trusted address', async (t) => {
  const person = await hire(box, 'viewer');
  await guess('127.0.3.1', person.email);
  await pretendAttempts(box, 'staff password account', 15);
  t.match(await immediately(() => guess('127.0.3.2', person.email, password)), tooMany, 'a new address waits');
  const right = await box.visitor().post(path, { email: person.email, password });
  t.match(right, { status: 200 }, 'a trusted one does not');
  t.match(await guess('127.0.3.1', person.email), { status: 401 }, 'a success resets the count');
});

t.test('a correct password is not counted', async (t) => {
  const person = await hire(box, 'viewer');
  const attempts = () =>
    box.db.query<{ kind: string; attempts: number }>(
      `select kind, attempts from auth_attempts
        where tenant_id = $1 and last_at > now() - interval '1 hour' and kind like 'staff password %' and attempts > 0
        order by kind`,
    );
  await forgetAttempts(box);
  await times(2, () => guess('127.0.4.1', person.email));
  t.strictSame((await attempts()).map(({ kind, attempts }) => [kind, attempts]).sort(), [
    ['staff password account', 2],
    ['staff password address', 2],
  ]);
  t.match(await guess('127.0.4.1', person.email, password), { status: 200 });
  t.strictSame(
    await attempts(),
    [{ kind: 'staff password address', attempts: 2 }],
    'only its own attempt is uncounted for the address',
  );
  await guess('127.0.4.1', person.email);
  t.match(
    await attempts(),
    exactly([{ kind: 'staff password address' }, { kind: 'staff password known', attempts: 1 }]),
  );
});

t.test('an address tries twenty accounts, then waits', async (t) => {
  let at = 0;
  const next = () => guess('127.0.5.1', `person-${at++}@shop.example`);
  t.equal((await next()).status, 401);
  await pretendAttempts(box, 'staff password address', 19);
  t.equal((await next()).status, 401, 'the last free attempt');
  const refused = await immediately(next);
  t.match(refused, tooMany);
  const before = await box.db.query<{ attempts: number }>(
    "select attempts from auth_attempts where tenant_id = $1 and kind = 'staff password account'",
  );
  await immediately(next);
  const after = await box.db.query(
    "select attempts from auth_attempts where tenant_id = $1 and kind = 'staff password account'",
  );
  t.equal(after.length, before.length, 'a refused attempt is not counted');
  const other = await box.openTenant();
  t.match(await other.visitor().post(path, { email: other.email, password: other.password }), { status: 200 });
});

t.test('a stolen session allows no faster guessing than the log-in', async (t) => {
  const person = await hire(box, 'viewer');
  const change = () => person.patch('/admin/me', { password: 'thief horse battery', currentPassword: 'a guess' });
  const statuses = statusesOf(await Promise.all(Array.from({ length: 14 }, change)));
  t.equal(statuses.filter((status) => status === 403).length, 10, `${statuses}`);
  const response = await immediately(change);
  t.match(response, { status: 429, body: { code: 'too_many_requests' } });
  t.ok(Number(response.headers.get('retry-after')) >= 1);
});

t.test('three reset links per account and ten per address are allowed', async (t) => {
  const forgot = (address: string, email: string) => postFrom(address, box, '/admin/auth/password/forgot', { email });
  const person = await hire(box, 'viewer');
  for (const email of [person.email, 'nobody-else@shop.example']) {
    const responses = await Promise.all(Array.from({ length: 8 }, () => forgot('127.0.6.1', email)));
    t.equal(responses.filter(({ status }) => status === 202).length, 3, `${email} ${statusesOf(responses)}`);
    t.match(await immediately(() => forgot('127.0.6.2', email)), tooMany, email);
  }
  let at = 0;
  const responses = await times(12, () => forgot('127.0.6.3', `some-${at++}@shop.example`));
  t.equal(responses.filter(({ status }) => status === 202).length, 10);
  const rows = await box.db.query('select id from staff_tokens where tenant_id = $1 and email = $2', [person.email]);
  t.equal(rows.length, 3);
});

t.test('an address tries ten tokens of a kind, then waits; those who have a right one do not', async (t) => {
  const address = '127.0.7.1';
  const person = await hire(box, 'viewer');
  const wrong = 'x'.repeat(43);
  const cases: [path: string, body: object][] = [
    ['/admin/auth/password/reset', { token: `rst_${wrong}`, password }],
    ['/admin/invites/accept', { token: `inv_${wrong}`, name: 'X', password }],
    ['/admin/auth/email/confirm', { token: `eml_${wrong}` }],
    ['/admin/auth/login/second-factor', { challenge: `chl_${wrong}`, code: '000000' }],
  ];
  for (const [path, body] of cases) {
    const statuses = statusesOf(
      await Promise.all(Array.from({ length: 14 }, () => postFrom(address, box, path, body))),
    );
    t.equal(statuses.filter((status) => status === 404).length, 10, `${path} ${statuses}`);
    t.match(await immediately(() => postFrom(address, box, path, body)), tooMany, path);
    t.equal((await immediately(() => postFrom('127.0.7.2', box, path, body))).status, 404, `${path} elsewhere`);
  }

  const email = 'invited-meanwhile@shop.example';
  const { token } = (await box.staff.post('/admin/invites', { email, role: 'viewer' })).body;
  await pretendMinutesAgo(box, 0);
  t.equal((await postFrom(address, box, '/admin/invites/accept', { token, name: 'X', password })).status, 201);
  await postFrom('127.0.7.3', box, '/admin/auth/password/forgot', { email: person.email });
  const [request] = await payloadsOf<{ requestId: string }>(box, { type: 'staff.password_reset_requested' }).then(
    (payloads) => payloads.slice(-1),
  );
  const link = await issuePasswordReset(box.db, request?.requestId as string);
  await pretendMinutesAgo(box, 0);
  const reset = await postFrom(address, box, '/admin/auth/password/reset', { token: link?.token, password });
  t.equal(reset.status, 204);
});

t.test('guesses elsewhere do not lock out an open session', async (t) => {
  const person = await hire(box, 'viewer');
  await guess('127.0.9.1', person.email);
  await pretendAttempts(box, 'staff password account', 30);
  await box.db.query("delete from auth_attempts where tenant_id = $1 and kind = 'staff password known'");
  const next = 'another horse battery';
  const change = await immediately(() => person.patch('/admin/me', { password: next, currentPassword: password }));
  t.equal(change.status, 200);
});

t.test('counts expire after an hour', async (t) => {
  await box.db.query(
    `update auth_attempts set last_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
      where tenant_id = $1`,
  );
  t.match(await guess('127.0.1.1', 'nobody@shop.example'), { status: 401 });
});
