/**
 * Guesses from ever other addresses do not keep an account's owner out: a device that the account knows is counted by
 * itself, and a new one is made known by a reset link.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { issuePasswordReset } from '../index.ts';
import { hire, packages, password, postFrom, pretendMinutesAgo } from '../testing/index.ts';

// Each password costs its hash, on purpose.
t.setTimeout(600_000);

const box = await createTestBox(t, { packages, tier: 'basic' });
const path = '/admin/auth/login';
const tooMany = { status: 429, body: { code: 'too_many_requests' } };

let calls = 0;
/** An address that nobody has called from. */
const newAddress = () => {
  calls += 1;
  return `127.9.${Math.floor(calls / 250)}.${(calls % 250) + 1}`;
};

const logIn = (body: object, headers: Record<string, string> = {}) => postFrom(newAddress(), box, path, body, headers);
const cookieOf = (cookies: readonly string[], name: string) =>
  cookies.map((line) => line.split(';')[0] as string).find((pair) => pair.startsWith(name)) as string;

/** Guesses at an account, or asks for links for it, from ever other addresses until the test ends. */
async function attack(t: { teardown(end: () => Promise<void>): void }, at: string, body: object) {
  const statuses: number[] = [];
  let going = true;
  const attacker = (async () => {
    while (going) {
      statuses.push((await postFrom(newAddress(), box, at, body)).status);
      await sleep(20);
    }
  })();
  t.teardown(async () => {
    going = false;
    await attacker;
  });
  while (!statuses.includes(429)) await sleep(20);
  return statuses;
}

/** As if the account had been guessed at so often, up to now, that the next one waits for a minute. */
async function lockAccount(): Promise<void> {
  const text = `update auth_attempts set attempts = 20, last_at = clock_timestamp()
                 where tenant_id = $1 and kind = 'staff password account' returning 1`;
  while ((await box.db.query(text)).length === 0) await sleep(20);
}

t.test('the owner logs in from the device they have, and from a new one, while others guess', async (t) => {
  const person = await hire(box, 'manager');
  const credentials = { email: person.email, password };
  const browser = await logIn({ ...credentials, cookie: true });
  const device = cookieOf(browser.cookies, 'carton_device_');
  const script = (await logIn({ ...credentials, device: null })).body.device;
  t.match(script, /^dvc_[\w-]{43}$/);
  t.match(await logIn({ ...credentials, password: 'wrong password' }), { status: 401 });
  await lockAccount();
  const statuses = await attack(t, path, { ...credentials, password: 'wrong password' });
  await attack(t, '/admin/auth/password/forgot', { email: person.email });

  await lockAccount();
  t.match(await logIn(credentials), tooMany, 'a device like any other waits');
  t.match(await logIn(credentials, { cookie: device }), { status: 200 }, 'one that is known does not, wherever it is');
  await lockAccount();
  t.match(await logIn({ ...credentials, device: script }), { status: 200, body: { device: script } });
  await lockAccount();
  t.match(await logIn({ ...credentials, device: `dvc_${'x'.repeat(43)}` }), tooMany, 'an invented one does');

  // Each request that counts is a message, so that there is one whoever asked for it.
  const [asked] = await box.db.query<{ payload: { requestId: string } }>(
    `select payload from event_outbox where tenant_id = $1 and type = 'staff.password_reset_requested'
      order by event_outbox.id desc limit 1`,
  );
  const link = await issuePasswordReset(box.db, asked?.payload.requestId as string);
  const next = { email: person.email, password: 'another horse battery' };
  const reset = await postFrom(newAddress(), box, '/admin/auth/password/reset', {
    ...next,
    email: undefined,
    token: link?.token,
  });
  t.equal(reset.status, 204);
  await lockAccount();
  t.match(await logIn(next), tooMany);
  const known = cookieOf(reset.cookies, 'carton_device_');
  t.match(await logIn(next, { cookie: known }), { status: 200 }, 'the new device is known by the link that it used');
  t.ok(statuses.length > 3 && statuses.every((status) => status === 401 || status === 429), `${statuses}`);
});

t.test('a device is guessed at no faster than an account', async (t) => {
  const person = await hire(box, 'viewer');
  const { body } = await logIn({ email: person.email, password, device: null });
  const guess = (given: string) => logIn({ email: person.email, password: given, device: body.device });
  const statuses = (await Promise.all(Array.from({ length: 14 }, () => guess('wrong password')))).map(
    ({ status }) => status,
  );
  t.equal(statuses.filter((status) => status === 401).length, 10, `${statuses}`);
  await pretendMinutesAgo(box, 0);
  t.match(await guess(password), tooMany, 'whoever stole it has not much of it');
  t.match(await logIn({ email: person.email, password }), { status: 200 }, 'and locks nobody else out');
});

t.test('a device is known to the accounts whose password was right on it, and to no other', async (t) => {
  const [owner, thief] = [await hire(box, 'manager'), await hire(box, 'viewer')];
  const { body } = await logIn({ email: thief.email, password, device: null });
  t.match(await logIn({ email: owner.email, password: 'wrong password' }), { status: 401 });
  await lockAccount();
  t.match(await logIn({ email: owner.email, password, device: body.device }), tooMany);

  await box.db.query("delete from auth_attempts where tenant_id = $1 and kind = 'staff password account'");
  const planted = await logIn({ email: owner.email, password, device: body.device });
  t.match(planted, { status: 200, body: { device: /^dvc_/ } });
  t.not(planted.body.device, body.device, 'what somebody else may know is never taken for a device');

  const other = await box.openTenant();
  const there = await other
    .visitor()
    .post(path, { email: other.email, password: other.password, device: planted.body.device });
  t.not(there.body.device, planted.body.device, 'nor what another shop gave');
  const kept = await box.db.query('select * from auth_attempts where tenant_id = $1');
  t.notMatch(JSON.stringify(kept), planted.body.device, 'only its hash is kept');
});

t.test('two people at one device do not undo each other', async (t) => {
  const people = [await hire(box, 'manager'), await hire(box, 'viewer')];
  const jar = new Map<string, string>();
  const names: string[] = [];
  for (const { email } of [...people, ...people]) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const { cookies } = await logIn({ email, password, cookie: true }, { cookie });
    const [name = '', value = ''] = cookieOf(cookies, 'carton_device_').split('=');
    if (jar.has(name)) t.equal(value, jar.get(name), 'a device keeps its token');
    jar.set(name, value);
    names.push(name);
  }
  t.strictSame(names.slice(2), names.slice(0, 2));
  t.equal(jar.size, 2);
});
