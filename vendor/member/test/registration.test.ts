/**
 * Registration: an account exists, with the credentials of the latest registration, once its address is verified.
 */
import { logIn, mailsTo, password, register, tokenOf } from '@carton/member/testing';
import { eventTypesOf, exactly, pointersOf } from '@carton/runtime/testing';
import t from 'tap';
import { forgetAttempts, newEmail, openBox } from './helpers.ts';

const box = await openBox(t);
const visitor = box.visitor();
/** Registers and verifies in one session. */
const registrant = box.shopper();
const verification = 'member.registration_requested';
const membersAt = (email: string) =>
  box.db.query<Record<string, unknown>>('select * from members where tenant_id = $1 and email = $2 order by id', [
    email,
  ]);
t.beforeEach(() => forgetAttempts(box));

t.test('a registration becomes an account when its address is verified', async (t) => {
  const email = newEmail('Ada');
  const stated = { name: 'Ada Lovelace', phone: '+33 1 23 45 67 89', locale: 'fr-FR', acceptsMarketing: true };
  const answer = await registrant.post('/member/register', { email, password, ...stated });
  t.strictSame([answer.status, answer.body], [202, '']);
  t.strictSame(await membersAt(email.toLowerCase()), []);
  t.match(await logIn(box.shopper(), { email, password }), { status: 401, body: { code: 'wrong_login' } });
  const token = await tokenOf(box, email, verification);
  t.equal((await registrant.post('/member/email/verify', { token })).status, 204);
  const shopper = box.shopper();
  t.match(await logIn(shopper, { email: email.toUpperCase(), password }), { status: 200 });
  const { body } = await shopper.get('/member');
  t.match(body, { email: email.toLowerCase(), ...stated, marketingSource: 'registration' });
  t.ok(body.emailVerifiedAt && body.marketingChangedAt);
  t.strictSame(await eventTypesOf(box, body.id), ['member.created', 'member.logged_in']);
  t.strictSame(
    (await mailsTo(box, email)).map(({ key, locale, data }) => [key, locale, data.name]),
    [['member.created', 'fr-FR', 'Ada Lovelace']],
    'the registration and its link are gone; the member is welcomed',
  );
});

t.test('a link works once, and not after it has expired', async (t) => {
  const email = newEmail();
  await visitor.post('/member/register', { email, password });
  const [first, second] = [await tokenOf(box, email, verification), await tokenOf(box, email, verification)];
  t.not(first, second, 'each mail has a token of its own');
  t.equal((await visitor.post('/member/email/verify', { token: first })).status, 204);
  for (const token of [first, second]) {
    t.match(await visitor.post('/member/email/verify', { token }), {
      status: 404,
      body: { code: 'verification_unknown' },
    });
  }
  const late = newEmail();
  await visitor.post('/member/register', { email: late, password });
  const token = await tokenOf(box, late, verification);
  await box.db.query('update member_tokens set expires_at = now() where tenant_id = $1 and email = $2', [late]);
  t.equal((await visitor.post('/member/email/verify', { token })).status, 404);
  t.strictSame(await membersAt(late), []);
});

t.test('of two registrations the credentials of the later one count, by its link only', async (t) => {
  const email = newEmail();
  const [old, latest] = ['the first password', 'the second password'];
  await visitor.post('/member/register', { email, password: old, name: 'First' });
  const stale = await tokenOf(box, email, verification);
  await registrant.post('/member/register', { email, password: latest, name: 'Second' });
  t.equal((await visitor.post('/member/email/verify', { token: stale })).status, 404);
  t.strictSame(await membersAt(email), []);
  await registrant.post('/member/email/verify', { token: await tokenOf(box, email, verification) });
  t.match(await membersAt(email), exactly([{ name: 'Second' }]));
  t.equal((await logIn(box.shopper(), { email, password: old })).status, 401);
  t.equal((await logIn(box.shopper(), { email, password: latest })).status, 200);
});

t.test('the owner of an account gets a notice instead of a link, and the account stays as it is', async (t) => {
  const email = newEmail();
  await register(box, { email, password, name: 'Ada' });
  const before = await membersAt(email);
  t.strictSame((await visitor.post('/member/register', { email, password: 'another password' })).body, '');
  t.strictSame(
    (await mailsTo(box, email)).map(({ key }) => key),
    ['member.created', 'member.registered_again'],
  );
  t.equal((await visitor.post('/member/email/verification', { email })).status, 202);
  t.strictSame(
    (await mailsTo(box, email)).map(({ key }) => key),
    ['member.created', 'member.registered_again'],
  );
  t.strictSame(await membersAt(email), before);
  t.equal((await logIn(box.shopper(), { email, password: 'another password' })).status, 401);
});

t.test('mails to addresses that are not verified contain nothing of what was entered', async (t) => {
  const email = newEmail();
  await visitor.post('/member/register', { email, password, name: 'Win at casino.example' });
  await visitor.post('/member/email/verification', { email });
  await visitor.post('/member/password/forgot', { email });
  const mails = await mailsTo(box, email);
  t.strictSame(
    mails.map(({ key }) => key),
    [verification, 'member.verification_requested', 'member.password_reset_requested'],
  );
  t.notMatch(JSON.stringify(mails), /casino/);
});

t.test('the link of a registration is sent again; unknown and disabled addresses get none', async (t) => {
  const email = newEmail();
  await registrant.post('/member/register', { email, password });
  await visitor.post('/member/email/verification', { email });
  const token = await tokenOf(box, email, 'member.verification_requested');
  t.equal((await registrant.post('/member/email/verify', { token })).status, 204);
  t.equal((await logIn(box.shopper(), { email, password })).status, 200);
  const unknown = newEmail();
  t.equal((await visitor.post('/member/email/verification', { email: unknown })).status, 202);
  t.strictSame(await mailsTo(box, unknown), []);
  await box.db.query("update members set status = 'disabled' where tenant_id = $1 and email = $2", [email]);
  await forgetAttempts(box);
  for (const path of ['/member/register', '/member/email/verification', '/member/password/forgot']) {
    t.equal((await visitor.post(path, { email, ...(path.endsWith('register') && { password }) })).status, 202);
  }
  t.strictSame(
    (await mailsTo(box, email)).map(({ key }) => key),
    ['member.created'],
  );
});

t.test('mails link to the pages of the storefront, if the store has set them', async (t) => {
  const email = newEmail();
  await visitor.post('/member/register', { email, password });
  t.match(await mailsTo(box, email), exactly([{ data: { link: null, token: /^mbv_/ } }]));
  const settings = {
    verificationUrl: 'https://www.example.com/verify?token={token}&from=mail',
    passwordResetUrl: 'https://www.example.com/reset#{token}',
  };
  t.equal((await box.staff.patch('/admin/store', { settings: { member: settings } })).status, 200);
  await visitor.post('/member/password/forgot', { email });
  const [first, second] = await mailsTo(box, email);
  t.equal(first?.data.link, `https://www.example.com/verify?token=${first?.data.token}&from=mail`);
  t.equal(second?.data.link, `https://www.example.com/reset#${second?.data.token}`);
  const refused = await box.staff.patch('/admin/store', {
    settings: { member: { verificationUrl: 'https://www.example.com/verify' } },
  });
  t.equal(refused.status, 400);
  await box.staff.patch('/admin/store', { settings: { member: { verificationUrl: null, passwordResetUrl: null } } });
});

t.test('an account in one store is unknown in another', async (t) => {
  const [email, other] = [newEmail(), await box.openTenant()];
  await register(box, { email, password });
  t.equal((await logIn(other.shopper(), { email, password })).status, 401);
  const there = other.shopper();
  await there.post('/member/register', { email, password: 'that other password' });
  const token = await tokenOf(other, email, verification);
  t.equal((await visitor.post('/member/email/verify', { token })).status, 404, 'a link is valid in its store only');
  t.equal((await there.post('/member/email/verify', { token })).status, 204);
  t.equal((await logIn(other.shopper(), { email, password: 'that other password' })).status, 200);
  const shopper = box.shopper();
  t.equal((await logIn(shopper, { email, password })).status, 200);
  const foreign = await other
    .visitor()
    .get('/member', { headers: { authorization: shopper.headers.authorization ?? '' } });
  t.equal(foreign.status, 401, 'a session is valid in its store only');
});

t.test('weak passwords and invalid addresses are rejected', async (t) => {
  const answer = await visitor.post('/member/register', {
    email: 'ada',
    password: 'short',
    name: 'a'.repeat(201),
    phone: '1',
  });
  t.equal(answer.status, 400);
  t.strictSame(pointersOf(answer).sort(), ['/email', '/name', '/password', '/phone']);
});

t.test('registrations are throttled by address and by client', async (t) => {
  const email = newEmail();
  for (let request = 0; request < 3; request++) {
    t.equal((await visitor.post('/member/register', { email, password })).status, 202);
  }
  for (const path of ['/member/register', '/member/email/verification', '/member/password/forgot']) {
    const answer = await visitor.post(path, { email, ...(path.endsWith('register') && { password }) });
    t.match(answer, { status: 429, body: { code: 'too_many_requests' } }, path);
    t.ok(Number(answer.headers.get('retry-after')) > 0);
  }
  await forgetAttempts(box);
  const statuses: number[] = [];
  for (let request = 0; request < 11; request++) {
    statuses.push((await visitor.post('/member/password/forgot', { email: newEmail() })).status);
  }
  t.strictSame(statuses, [...Array.from({ length: 10 }, () => 202), 429]);
  await forgetAttempts(box);
  const guesses: number[] = [];
  for (let guess = 0; guess < 11; guess++) {
    guesses.push((await visitor.post('/member/email/verify', { token: `mbv_${'x'.repeat(43)}` })).status);
  }
  t.strictSame(guesses, [...Array.from({ length: 10 }, () => 404), 429]);
  const others = newEmail();
  const registrant = box.shopper();
  await registrant.post('/member/register', { email: others, password });
  const token = await tokenOf(box, others, verification);
  t.equal((await registrant.post('/member/email/verify', { token })).status, 204, 'a right one at the same address');
  await registrant.post('/member/password/forgot', { email: others });
  const reset = { token: await tokenOf(box, others, 'member.password_reset_requested'), password };
  t.equal((await registrant.post('/member/password/reset', reset)).status, 204);
});
