/**
 * Changing the e-mail address of a member of staff, with proof of the new one.
 */

import { createTestBox, exactly, payloadsOf, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { issueEmailChange } from '../email/service.ts';
import { issuePasswordReset } from '../passwords/service.ts';
import {
  challengeOf,
  completeLogIn,
  enableFactor,
  forgetAttempts,
  hire,
  logIn,
  type Person,
  packages,
  password,
  signIn,
} from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const path = '/admin/me/email';
t.beforeEach(() => forgetAttempts(box));

let addresses = 0;
const newAddress = () => `new-${++addresses}@shop.example`;
const confirm = (token: string) => box.visitor().post('/admin/auth/email/confirm', { token });

/** The payload of the newest event of a type. */
async function newestPayload(type: string): Promise<Record<string, string>> {
  return (await payloadsOf<Record<string, string>>(box, { type })).at(-1) ?? {};
}

/** Requests a link to an address and creates its secret; undefined if it is not sent. */
async function requestLink(person: Person, email: string, more: { code?: string } = {}): Promise<string | undefined> {
  const { status, body } = await person.post(path, { email, password, ...more });
  if (status !== 202) throw new Error(`the link was not requested: ${JSON.stringify(body)}`);
  const { requestId } = await newestPayload('staff.email_change_requested');
  return (await issueEmailChange(box.db, requestId as string))?.token;
}

t.test('a link changes the address once, and ends sessions and links', async (t) => {
  const person = await hire(box, 'manager');
  const email = newAddress();
  const requested = await person.post(path, { email: email.toUpperCase(), password });
  t.strictSame([requested.status, requested.body], [202, '']);
  const payload = await newestPayload('staff.email_change_requested');
  t.strictSame(Object.keys(payload).sort(), ['expiresAt', 'requestId'], 'the outbox has neither address nor secret');
  const sent = await issueEmailChange(box.db, payload.requestId as string);
  t.match(sent, { email, name: 'manager', locale: null, token: /^eml_[\w-]{43}$/ });
  const token = sent?.token as string;
  const stored = await box.db.query('select * from staff_tokens where tenant_id = $1');
  t.notMatch(JSON.stringify(stored), token, 'only its hash is stored');
  t.match((await person.get('/admin/me')).body, { email: person.email }, 'nothing has changed yet');

  await box.visitor().post('/admin/auth/password/forgot', { email: person.email });
  const { requestId } = await newestPayload('staff.password_reset_requested');
  const { body: invited } = await box.staff.post('/admin/invites', { email, role: 'viewer' });
  t.equal((await confirm(token)).status, 204);
  t.equal((await person.get('/admin/me')).status, 401, 'the sessions have ended');
  t.equal(await issuePasswordReset(box.db, requestId as string), null, 'links to the former address are void');
  t.match(
    await box.visitor().post('/admin/invites/accept', { token: invited.token, name: 'Second', password }),
    { status: 404, body: { code: 'invite_unknown' } },
    'an invite to the new address is withdrawn',
  );
  t.match(await confirm(token), { status: 404, body: { code: 'email_change_unknown' } });
  t.equal((await logIn(box, person.email)).status, 401);
  t.equal((await (await signIn(box, box, { email, password })).get('/admin/me')).body.email, email);
  t.strictSame(await newestPayload('staff.email_changed'), { formerEmail: person.email });
});

t.test('a request needs the password, and a code where the second factor is enabled', async (t) => {
  const person = await hire(box, 'manager');
  const email = newAddress();
  t.match(await person.post(path, { email, password: 'a guess' }), { status: 403, body: { code: 'wrong_password' } });
  t.match(await person.post(path, { email, password, code: '123456' }), {
    status: 409,
    body: { code: 'second_factor_not_enabled' },
  });
  const owner = await enableFactor(box, person);
  t.match(await owner.post(path, { email, password }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/code' }]) },
  });
  t.match(await owner.post(path, { email, password, code: 'aaaa-aaaa-aaaa-aaaa' }), {
    status: 403,
    body: { code: 'wrong_code' },
  });
  const requests = await box.db.query('select 1 from staff_tokens where tenant_id = $1 and staff_user_id = $2', [
    person.id,
  ]);
  t.equal(requests.length, 0, 'none of them has requested a link');

  const token = await requestLink(owner, email, { code: await owner.newCode() });
  const challenge = await challengeOf(box, person);
  t.equal((await confirm(token as string)).status, 204);
  t.match(
    await completeLogIn(box, challenge, await owner.newCode()),
    { status: 404, body: { code: 'challenge_unknown' } },
    'a log-in that waited for a code has ended',
  );
  t.match(
    await logIn(box, email),
    { status: 401, body: { code: 'second_factor_required' } },
    'the factor is still enabled',
  );
});

t.test('the response does not tell whether an address is in use', async (t) => {
  const [person, other] = [await hire(box, 'manager'), await hire(box, 'viewer')];
  const [known, unknown] = [
    await person.post(path, { email: other.email, password }),
    await person.post(path, { email: newAddress(), password }),
  ];
  t.strictSame([known.status, known.body], [unknown.status, unknown.body]);
  t.equal(await requestLink(person, other.email), undefined, 'no link is sent to an address in use');

  // The other person gets the address after the link was sent.
  const email = newAddress();
  const token = await requestLink(person, email);
  t.equal((await confirm((await requestLink(other, email)) as string)).status, 204);
  t.match(await confirm(token as string), { status: 409, body: { code: 'staff_email_taken' } });
  t.equal((await person.get('/admin/me')).body.email, person.email);
});

t.test('a link is void once it has expired, was replaced, or its owner is disabled', async (t) => {
  const person = await hire(box, 'manager');
  const expired = await requestLink(person, newAddress());
  await box.db.query("update staff_tokens set expires_at = now() - interval '1 second' where tenant_id = $1");
  t.equal((await confirm(expired as string)).status, 404);
  t.equal((await box.visitor().post('/admin/auth/password/reset', { token: expired, password })).status, 404);

  const replaced = await requestLink(person, newAddress());
  const { requestId } = await newestPayload('staff.email_change_requested');
  const resent = await issueEmailChange(box.db, requestId as string);
  t.equal((await confirm(replaced as string)).status, 404);
  t.match(
    await box.visitor().post('/admin/auth/password/reset', { token: resent?.token, password }),
    { status: 404, body: { code: 'password_reset_unknown' } },
    'it does not set a password',
  );
  await box.staff.patch(`/admin/users/${person.id}`, { status: 'disabled' });
  t.equal((await confirm(resent?.token as string)).status, 404);
});

t.test('of two people who confirm one address concurrently, one gets it', async (t) => {
  const rounds = [];
  for (let round = 0; round < Math.min(raceRounds, 20); round++) {
    await forgetAttempts(box);
    const people = [await hire(box, 'viewer'), await hire(box, 'viewer')];
    const email = newAddress();
    const tokens = [];
    for (const person of people) tokens.push((await requestLink(person, email)) as string);
    const statuses = (await Promise.all(tokens.map(confirm))).map(({ status }) => status);
    rounds.push(statuses.sort());
  }
  t.strictSame(
    rounds,
    rounds.map(() => [204, 409]),
  );
});
