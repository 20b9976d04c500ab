/**
 * Guesses from ever new addresses do not lock the owner out of an account: trusted devices have counts of their own,
 * and a reset link makes a new device trusted.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createTestBox, payloadsOf } from '@carton/runtime/testing';
import t from 'tap';
import { issuePasswordReset } from '../passwords/service.ts';
import { hire, packages, password, postFrom, pretendMinutesAgo } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const path = '/admin/auth/login';
const tooMany = { status: 429, body: { code: 'too_many_requests' } };

let calls = 0;
/** An address that has not been used. */
const newAddress = () => {
  calls += 1;
  return `127.9.${Math.floor(calls / 250)}.${(calls % 250) + 1}`;
};

const logIn = (body: object, headers: Record<string, string> = {}) => postFrom(newAddress(), box, path, body, headers);
const cookieOf = (cookies: readonly string[], name: string) =>
  cookies.map((line) => line.split(';')[0] as string).find((pair) => pair.startsWith(name)) as string;

/** Guesses passwords or requests links for an account, from ever new addresses, until the test ends. */
async function attack(t: { teardown(stop: () => Promise<void>): void }, at: string, body: object) {
  const statuses: number[] = [];
  let isRunning = true;
  const attacker = (async () => {
    while (isRunning) {
      statuses.push((await postFrom(newAddress(), box, at, body)).status);
      await sleep(20);
    }
  })();
  t.teardown(async () => {
    isRunning = false;
    await attacker;
  });
  while (!statuses.includes(429)) await sleep(20);
  return statuses;
}

/** Sets the count of the account so high that the next attempt has to wait. */
async function lockAccount(): Promise<void> {
  const text = `update auth_attempts set attempts = 20, last_at = clock_timestamp()
                 where tenant_id = $1 and kind = 'staff password account' returning 1`;
  while ((await box.db.query(text)).length === 0) await sleep(20);
}

t.test('the owner logs in from a trusted and from a new device during an attack', async (t) => {
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
  t.match(await logIn(credentials), tooMany, 'an unknown device waits');
  t.match(await logIn(credentials, { cookie: device }), { status: 200 }, 'a trusted device does not, at any address');
  await lockAccount();
  t.match(await logIn({ ...credentials, device: script }), { status: 200, body: { device: script } });
  await lockAccount();
  t.match(await logIn({ ...credentials, device: `dvc_${'x'.repeat(43)}` }), tooMany, 'an invented token does not help');

  // Requests of the attacker also send a link to the owner.
  const requests = await payloadsOf<{ requestId: string }>(box, { type: 'staff.password_reset_requested' });
  const link = await issuePasswordReset(box.db, requests.at(-1)?.requestId as string);
  const next = { email: person.email, password: 'another horse battery' };
  const reset = await postFrom(newAddress(), box, '/admin/auth/password/reset', {
    ...next,
    email: undefined,
    token: link?.token,
  });
  t.equal(reset.status, 204);
  await lockAccount();
  t.match(await logIn(next), tooMany);
  const trusted = cookieOf(reset.cookies, 'carton_device_');
  t.match(await logIn(next, { cookie: trusted }), { status: 200 }, 'the link has made the new device trusted');
  t.ok(statuses.length > 3 && statuses.every((status) => status === 401 || status === 429), `${statuses}`);
});

t.test('a trusted device allows no faster guessing than an account', async (t) => {
  const person = await hire(box, 'viewer');
  const { body } = await logIn({ email: person.email, password, device: null });
  const guess = (guessed: string) => logIn({ email: person.email, password: guessed, device: body.device });
  const statuses = (await Promise.all(Array.from({ length: 14 }, () => guess('wrong password')))).map(
    ({ status }) => status,
  );
  t.equal(statuses.filter((status) => status === 401).length, 10, `${statuses}`);
  await pretendMinutesAgo(box, 0);
  t.match(await guess(password), tooMany, 'a stolen device token is throttled, too');
  t.match(await logIn({ email: person.email, password }), { status: 200 }, 'and does not lock others out');
});

t.test('a device is trusted only by accounts that have logged in on it', async (t) => {
  const [owner, thief] = [await hire(box, 'manager'), await hire(box, 'viewer')];
  const { body } = await logIn({ email: thief.email, password, device: null });
  t.match(await logIn({ email: owner.email, password: 'wrong password' }), { status: 401 });
  await lockAccount();
  t.match(await logIn({ email: owner.email, password, device: body.device }), tooMany);

  await box.db.query("delete from auth_attempts where tenant_id = $1 and kind = 'staff password account'");
  const planted = await logIn({ email: owner.email, password, device: body.device });
  t.match(planted, { status: 200, body: { device: /^dvc_/ } });
  t.not(planted.body.device, body.device, 'a token that may be planted is not accepted');

  const other = await box.openTenant();
  const there = await other
    .visitor()
    .post(path, { email: other.email, password: other.password, device: planted.body.device });
  t.not(there.body.device, planted.body.device, 'nor the token of another tenant');
  const stored = await box.db.query('select * from auth_attempts where tenant_id = $1');
  t.notMatch(JSON.stringify(stored), planted.body.device, 'only its hash is stored');
});

t.test('two people can share a device', async (t) => {
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
