/**
 * An account is not taken before its owner comes: an attacker who enters the address of another person and waits for a
 * click on the link in the mail gets neither into the account nor at the guest orders of the owner.
 */
import { forgetAttempts } from '@carton/auth/testing';
import { createMember, logIn, mailsTo, tokenOf } from '@carton/member/testing';
import type { Caller } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, place } from '../testing/index.ts';

const box = await openBox(t, ['@carton/member']);
const chosen = 'the password of an attacker';
const own = 'the password of the owner';
const registration = 'member.registration_requested';
const missing = 'member.password_missing';
t.beforeEach(() => forgetAttempts(box));

let owners = 0;

/** The owner of an address, who has ordered as a guest; an attacker has registered the address. */
async function registeredByAttacker() {
  owners += 1;
  const email = `owner-${owners}@mail.example`;
  const { id: orderId } = await place(box, { customer: { email } });
  const attacker = box.shopper();
  const profile = { name: 'See evil.example', phone: '+33 6 12 34 56 78', acceptsMarketing: true, locale: 'fr-FR' };
  const answer = await attacker.post('/member/register', { email, password: chosen, ...profile });
  t.equal(answer.status, 202);
  return { email, orderId, attacker, token: await tokenOf(box, email, registration) };
}

/** The orders that a caller sees after a log-in; null if the log-in was refused. */
async function ordersOf(caller: Caller, email: string, password: string): Promise<string[] | null> {
  const answer = await logIn(caller, { email, password });
  if (answer.status !== 200) {
    t.match(answer, { status: 401, body: { code: 'wrong_login' } });
    return null;
  }
  const { items } = (await caller.get('/member/orders')).body;
  return items.map(({ id }: { id: string }) => id);
}

async function setPassword(email: string, password: string): Promise<void> {
  const token = await tokenOf(box, email, missing);
  t.equal((await box.shopper().post('/member/password/reset', { token, password })).status, 204);
}

for (const [who, clickOf] of [
  ['without a session', () => box.visitor()],
  ['with a session of another browser', () => box.shopper()],
] as const) {
  t.test(`an attacker's password does not open an account whose owner clicks ${who}`, async (t) => {
    const { email, orderId, attacker, token } = await registeredByAttacker();
    const owner = clickOf();
    await owner.post('/member/register', { email: `other-${email}`, password: own });
    t.equal((await owner.post('/member/email/verify', { token })).status, 204);
    t.equal(await ordersOf(attacker, email, chosen), null);
    t.equal(await ordersOf(box.shopper(), email, chosen), null);
    t.strictSame(
      (await mailsTo(box, email)).map(({ key, locale }) => [key, locale]),
      [[missing, 'fr-FR']],
      'the owner gets a link to set a password',
    );
    await setPassword(email, own);
    t.equal(await ordersOf(box.shopper(), email, chosen), null);
    t.strictSame(await ordersOf(box.shopper(), email, own), [orderId]);
  });
}

t.test('the owner can set a password with the click', async (t) => {
  const { email, orderId, attacker, token } = await registeredByAttacker();
  t.equal((await box.visitor().post('/member/email/verify', { token, password: own })).status, 204);
  t.equal(await ordersOf(attacker, email, chosen), null);
  const owner = box.shopper();
  t.strictSame(await ordersOf(owner, email, own), [orderId]);
  t.match(
    (await owner.get('/member')).body,
    { name: null, phone: null, acceptsMarketing: false, marketingSource: null, locale: 'fr-FR' },
    'nothing else that the attacker has entered counts',
  );
  t.notMatch(JSON.stringify(await mailsTo(box, email)), /evil/);
});

t.test('an owner who resets the password keeps nothing of what the attacker has entered', async (t) => {
  const { email, attacker } = await registeredByAttacker();
  t.equal((await box.visitor().post('/member/password/forgot', { email })).status, 202);
  const token = await tokenOf(box, email, 'member.password_reset_requested');
  t.equal((await box.visitor().post('/member/password/reset', { token, password: own })).status, 204);
  t.equal(await ordersOf(attacker, email, chosen), null);
  const owner = box.shopper();
  await logIn(owner, { email, password: own });
  t.match((await owner.get('/member')).body, { name: null, phone: null, acceptsMarketing: false });
});

t.test('the password counts where the shopper registered, and with the password itself anywhere', async (t) => {
  for (const isElsewhere of [false, true]) {
    const email = `here-${isElsewhere}@mail.example`;
    const shopper = box.shopper();
    await shopper.post('/member/register', { email, password: own, name: 'Ada', acceptsMarketing: true });
    const token = await tokenOf(box, email, registration);
    const browser = isElsewhere ? box.visitor() : shopper;
    const body = isElsewhere ? { token, password: own } : { token };
    t.equal((await browser.post('/member/email/verify', body)).status, 204);
    const owner = box.shopper();
    t.equal((await logIn(owner, { email, password: own })).status, 200);
    t.match((await owner.get('/member')).body, { name: 'Ada', acceptsMarketing: true });
    t.strictSame(
      (await mailsTo(box, email)).map(({ key }) => key),
      ['member.created'],
    );
  }
});

t.test('a member cannot get the orders of an address by a change to it', async (t) => {
  const email = 'bystander@mail.example';
  const { id: orderId } = await place(box, { customer: { email } });
  const attacker = await createMember(box);
  t.equal((await attacker.post('/member/email', { email, password: attacker.password })).status, 202);
  const token = await tokenOf(box, email, 'member.email_change_requested');
  const passerBy = await createMember(box);
  for (const clicks of [box.visitor(), box.shopper(), passerBy]) {
    t.match(await clicks.post('/member/email/verify', { token }), {
      status: 403,
      body: { code: 'password_required' },
    });
    t.match(await clicks.post('/member/email/verify', { token, password: own }), {
      status: 403,
      body: { code: 'wrong_password' },
    });
  }
  t.strictSame((await attacker.get('/member/orders')).body.items, []);
  t.match((await attacker.get('/member')).body, { email: attacker.email });
  t.match((await box.staff.get(`/admin/orders/${orderId}`)).body, { memberId: null });
  const visitor = box.visitor();
  t.equal((await visitor.post('/member/email/verify', { token, password: attacker.password })).status, 204);
  t.match((await attacker.get('/member')).body, { email });
});

t.test('the reader of the mail cannot guess the password of the account', async (t) => {
  const member = await createMember(box);
  const email = 'mistyped@mail.example';
  await member.post('/member/email', { email, password: member.password });
  const token = await tokenOf(box, email, 'member.email_change_requested');
  const statuses: number[] = [];
  for (let guess = 0; guess < 11; guess++) {
    const answer = await box.visitor().post('/member/email/verify', { token, password: `guess ${guess} of many` });
    statuses.push(answer.status);
  }
  t.strictSame(statuses.slice(0, 2), [403, 403]);
  t.equal(statuses.at(-1), 429);
});

t.test('an account that got its address from staff keeps no password when its owner comes', async (t) => {
  const email = 'moved@mail.example';
  const { id: orderId } = await place(box, { customer: { email } });
  const attacker = await createMember(box);
  t.equal((await box.staff.patch(`/admin/members/${attacker.id}`, { email })).status, 200);
  const session = box.shopper();
  t.strictSame(await ordersOf(session, email, attacker.password), [], 'the address is not verified');
  t.equal((await session.post('/member/email/verification', { email })).status, 202);
  const token = await tokenOf(box, email, 'member.verification_requested');
  t.equal((await box.visitor().post('/member/email/verify', { token })).status, 204);
  t.equal((await session.get('/member/orders')).status, 401, 'sessions of before end');
  t.equal(await ordersOf(box.shopper(), email, attacker.password), null);
  await setPassword(email, own);
  t.strictSame(await ordersOf(box.shopper(), email, own), [orderId]);
});

t.test('a member who is logged in verifies an address from staff, and keeps session and password', async (t) => {
  const email = 'married@mail.example';
  const { id, password } = await createMember(box);
  await box.staff.patch(`/admin/members/${id}`, { email });
  const member = box.shopper();
  await logIn(member, { email, password });
  await member.post('/member/email/verification', { email });
  const token = await tokenOf(box, email, 'member.verification_requested');
  t.equal((await member.post('/member/email/verify', { token })).status, 204);
  t.match((await member.get('/member')).body, { email, emailVerifiedAt: String });
  t.equal((await logIn(box.shopper(), { email, password })).status, 200);
});
