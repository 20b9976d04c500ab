/**
 * Guessing: how often secrets may be tried, by account and by address, shared through the database.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { hire, packages, password, postFrom, pretendAttempts, pretendMinutesAgo } from '../testing/index.ts';

// Each password costs its hash, on purpose.
t.setTimeout(600_000);

const box = await createTestBox(t, { packages, tier: 'basic' });
const path = '/admin/auth/login';
const tooMany = { status: 429, body: { code: 'too_many_requests' }, retryAfter: /^[1-9]\d*$/ };

const guess = (address: string, email: string, given = 'wrong password') =>
  postFrom(address, box, path, { email, password: given });

/** What is asked right after the last attempt, however slow this machine is. */
async function atOnce<T>(ask: () => Promise<T>): Promise<T> {
  await pretendMinutesAgo(box, 0);
  return ask();
}

/** Seconds that are asked for after each of so many more attempts, the first of which has waited. */
async function waitsOf(address: string, email: string, rounds: number) {
  const waits: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await pretendMinutesAgo(box, 2);
    await guess(address, email);
    waits.push(Number((await atOnce(() => guess(address, email))).retryAfter));
  }
  return waits;
}

async function times<T>(count: number, act: () => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let at = 0; at < count; at++) answers.push(await act());
  return answers;
}

const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status);

t.test('an account, known or not, is guessed ten times, then ever more slowly', async (t) => {
  const person = await hire(box, 'viewer');
  for (const [address, email] of [
    ['127.0.1.1', person.email],
    ['127.0.1.2', 'nobody@shop.example'],
  ] as const) {
    t.match(await guess(address, email), { status: 401, body: { code: 'wrong_login' } }, email);
    await pretendAttempts(box, 'staff password account', 9);
    t.match(await guess(address, email), { status: 401, body: { code: 'wrong_login' } }, `${email}: the last free one`);
    t.match(await atOnce(() => guess(address, email)), tooMany, email);
    t.match(await atOnce(() => guess('127.0.1.3', email.toUpperCase())), tooMany, 'from elsewhere too');
    t.match(await atOnce(() => guess('127.0.1.3', email, password)), tooMany, 'the right password is not looked at');
    const waits = await waitsOf(address, email, 4);
    for (const [at, longest] of [16, 32, 60, 60].entries()) {
      const seconds = waits[at] as number;
      t.ok(seconds <= longest && seconds > longest / 2, `twice as long each time, but never long: ${seconds}`);
    }
  }
});

t.test('guesses at once do not slip past', async (t) => {
  const person = await hire(box, 'viewer');
  const statuses = statusesOf(await Promise.all(Array.from({ length: 25 }, () => guess('127.0.2.1', person.email))));
  t.equal(statuses.filter((status) => status === 401).length, 10, `${statuses}`);
  t.equal(statuses.filter((status) => status === 429).length, 15);
});

t.test('guesses elsewhere do not lock out who comes from where they have been before', async (t) => {
  const person = await hire(box, 'viewer');
  await guess('127.0.3.1', person.email);
  await pretendAttempts(box, 'staff password account', 15);
  t.match(
    await atOnce(() => guess('127.0.3.2', person.email, password)),
    tooMany,
    'a new place waits, for a minute at most',
  );
  const right = await box.visitor().post(path, { email: person.email, password });
  t.match(right, { status: 200 }, 'a known one does not');
  t.match(await guess('127.0.3.1', person.email), { status: 401 }, 'and the right password starts the count again');
});

t.test('a right password takes the count back', async (t) => {
  const person = await hire(box, 'viewer');
  const attempts = () =>
    box.db.query<{ kind: string; attempts: number }>(
      `select kind, attempts from auth_attempts
        where tenant_id = $1 and last_at > now() - interval '1 hour' and kind like 'staff password %' and attempts > 0`,
    );
  await box.db.query('delete from auth_attempts where tenant_id = $1');
  await times(2, () => guess('127.0.4.1', person.email));
  t.strictSame((await attempts()).map(({ kind, attempts }) => [kind, attempts]).sort(), [
    ['staff password account', 2],
    ['staff password address', 2],
  ]);
  t.match(await guess('127.0.4.1', person.email, password), { status: 200 });
  t.strictSame(await attempts(), [{ kind: 'staff password address', attempts: 2 }], 'of the address its own alone');
  await guess('127.0.4.1', person.email);
  t.match(
    await attempts(),
    exactly([{ kind: 'staff password address' }, { kind: 'staff password known', attempts: 1 }]),
  );
});

t.test('one address tries twenty accounts, then waits', async (t) => {
  let at = 0;
  const next = () => guess('127.0.5.1', `somebody-${at++}@shop.example`);
  t.equal((await next()).status, 401);
  await pretendAttempts(box, 'staff password address', 19);
  t.equal((await next()).status, 401, 'the last free one');
  const refused = await atOnce(next);
  t.match(refused, tooMany);
  const before = await box.db.query<{ attempts: number }>(
    "select attempts from auth_attempts where tenant_id = $1 and kind = 'staff password account'",
  );
  await atOnce(next);
  const after = await box.db.query(
    "select attempts from auth_attempts where tenant_id = $1 and kind = 'staff password account'",
  );
  t.equal(after.length, before.length, 'what is refused is counted nowhere');
  const other = await box.openTenant();
  t.match(await other.visitor().post(path, { email: other.email, password: other.password }), { status: 200 });
});

t.test('a stolen session guesses the password no faster than a log-in', async (t) => {
  const person = await hire(box, 'viewer');
  const change = () => person.patch('/admin/me', { password: 'thief horse battery', currentPassword: 'a guess' });
  const statuses = statusesOf(await Promise.all(Array.from({ length: 14 }, change)));
  t.equal(statuses.filter((status) => status === 403).length, 10, `${statuses}`);
  const answer = await atOnce(change);
  t.match(answer, { status: 429, body: { code: 'too_many_requests' } });
  t.ok(Number(answer.headers.get('retry-after')) >= 1);
});

t.test('links are asked for three times an account and ten times an address', async (t) => {
  const forgot = (address: string, email: string) => postFrom(address, box, '/admin/auth/password/forgot', { email });
  const person = await hire(box, 'viewer');
  for (const email of [person.email, 'nobody-else@shop.example']) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => forgot('127.0.6.1', email)));
    t.equal(answers.filter(({ status }) => status === 202).length, 3, `${email} ${statusesOf(answers)}`);
    t.match(await atOnce(() => forgot('127.0.6.2', email)), tooMany, email);
  }
  let at = 0;
  const answers = await times(12, () => forgot('127.0.6.3', `some-${at++}@shop.example`));
  t.equal(answers.filter(({ status }) => status === 202).length, 10);
  const rows = await box.db.query('select id from staff_tokens where tenant_id = $1 and staff_user_id = $2', [
    person.id,
  ]);
  t.equal(rows.length, 3);
});

t.test('tokens are tried ten times an address', async (t) => {
  const cases: [path: string, body: object, address: string][] = [
    ['/admin/auth/password/reset', { token: `rst_${'x'.repeat(43)}`, password }, '127.0.7.1'],
    ['/admin/invites/accept', { token: `inv_${'x'.repeat(43)}`, name: 'X', password }, '127.0.7.2'],
  ];
  for (const [path, body, address] of cases) {
    const statuses = statusesOf(
      await Promise.all(Array.from({ length: 14 }, () => postFrom(address, box, path, body))),
    );
    t.equal(statuses.filter((status) => status === 404).length, 10, `${path} ${statuses}`);
    t.match(await atOnce(() => postFrom(address, box, path, body)), tooMany, path);
  }
});

t.test('counts are forgotten after an hour, and their rows go', async (t) => {
  await box.db.query(
    `update auth_attempts set last_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
      where tenant_id = $1`,
  );
  const count = async () =>
    (await box.db.query<{ rows: number }>('select count(*) as rows from auth_attempts where tenant_id = $1'))[0]
      ?.rows as number;
  await box.db.query(
    `insert into auth_attempts (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
     select $1, 'staff link account', 'old ' || old, 9, now() - interval '2 hours', now() - interval '1 hour'
       from generate_series(1, 50) as old`,
  );
  const before = await count();
  t.match(await guess('127.0.1.1', 'nobody@shop.example'), { status: 401 }, 'what was counted before is forgotten');
  t.ok((await count()) <= before - 18, 'each attempt removes more than it adds');
  const forgot = { email: 'nobody-at-all@shop.example' };
  await times(4, () => postFrom('127.0.8.1', box, '/admin/auth/password/forgot', forgot));
  t.ok((await count()) <= 4, `${await count()} are left`);
});
