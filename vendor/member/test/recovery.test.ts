/**
 * Password reset, changes of the password and of the e-mail address.
 */
import { createMember, logIn, mailsTo, openSession, password, register, tokenOf } from '@carton/member/testing';
import { eventTypesOf, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { forgetAttempts, newEmail, openBox } from './helpers.ts';

const box = await openBox(t);
const visitor = box.visitor();
const next = 'another horse battery';
const resetMail = 'member.password_reset_requested';
t.beforeEach(() => forgetAttempts(box));

const reset = (token: string, to = next, by = visitor) => by.post('/member/password/reset', { token, password: to });
const requestReset = async (email: string) => {
  t.equal((await visitor.post('/member/password/forgot', { email })).status, 202);
  return tokenOf(box, email, resetMail);
};

t.test('a link resets the password once and ends all sessions', async (t) => {
  const member = await createMember(box);
  const [token, second] = [await requestReset(member.email.toUpperCase()), await requestReset(member.email)];
  const stored = await box.db.query('select * from member_tokens where tenant_id = $1');
  t.notMatch(JSON.stringify(stored), token.slice(4), 'only its hash is stored');
  const answer = await reset(token);
  t.equal(answer.status, 204);
  t.match(answer.headers.getSetCookie().join(), /carton_member_device_/, 'the device is trusted');
  t.equal((await member.get('/member')).status, 401);
  for (const used of [token, second]) {
    t.match(await reset(used), { status: 404, body: { code: 'password_reset_unknown' } });
  }
  t.equal((await logIn(box.shopper(), member)).status, 401);
  t.equal((await logIn(box.shopper(), { email: member.email, password: next })).status, 200);
});

t.test('a reset link verifies the address of a registration, with the new password and its profile', async (t) => {
  const email = newEmail();
  const registrant = box.shopper();
  await registrant.post('/member/register', { email, password, name: 'Ada' });
  const verification = await tokenOf(box, email, 'member.registration_requested');
  t.equal((await reset(await requestReset(email), next, registrant)).status, 204);
  t.equal((await logIn(box.shopper(), { email, password })).status, 401);
  const shopper = box.shopper();
  t.equal((await logIn(shopper, { email, password: next })).status, 200);
  t.match((await shopper.get('/member')).body, { email, name: 'Ada', emailVerifiedAt: String });
  t.equal((await visitor.post('/member/email/verify', { token: verification })).status, 404, 'it has been superseded');
});

t.test('a reset link verifies the address of an account that staff created', async (t) => {
  const member = await createMember(box, { passwordHash: null, emailVerifiedAt: null });
  t.equal((await reset(await requestReset(member.email))).status, 204);
  const shopper = box.shopper();
  t.equal((await logIn(shopper, { email: member.email, password: next })).status, 200);
  t.match((await shopper.get('/member')).body, { id: member.id, emailVerifiedAt: String });
});

t.test('a link is of no use for anything else, after its time, or for a disabled account', async (t) => {
  const member = await createMember(box);
  const token = await requestReset(member.email);
  t.equal((await visitor.post('/member/email/verify', { token })).status, 404);
  await box.db.query("update members set status = 'disabled' where tenant_id = $1 and id = $2", [member.id]);
  t.equal((await reset(token)).status, 404);
  await box.db.query("update members set status = 'active' where tenant_id = $1 and id = $2", [member.id]);
  await box.db.query('update member_tokens set expires_at = now() where tenant_id = $1 and email = $2', [member.email]);
  t.equal((await reset(token)).status, 404);
  const email = newEmail();
  await visitor.post('/member/register', { email, password });
  t.equal((await reset(await tokenOf(box, email, 'member.registration_requested'))).status, 404);
});

t.test('a new password needs the current one, and ends all other sessions', async (t) => {
  const member = await createMember(box);
  const phone = await openSession(box, member.id);
  const link = await requestReset(member.email);
  const change = (currentPassword: string | undefined) => member.patch('/member', { password: next, currentPassword });
  t.match(await change(undefined), { status: 400 });
  t.match(await member.patch('/member', { currentPassword: password }), { status: 400 });
  t.match(await change('a wrong password'), { status: 403, body: { code: 'wrong_password' } });
  t.equal((await phone.get('/member')).status, 200);
  t.equal((await change(password)).status, 200);
  t.equal((await member.get('/member')).status, 200, 'the session of the change stays');
  t.equal((await phone.get('/member')).status, 401);
  t.equal((await reset(link)).status, 404, 'links of before are void');
  t.equal((await logIn(box.shopper(), { email: member.email, password: next })).status, 200);
});

t.test('a reset wins over a change and a log-in that verified the old password before it', async (t) => {
  const member = await createMember(box);
  const link = await requestReset(member.email);
  const sent = await box.db.transaction(async (holder) => {
    await holder.query('select id from members where tenant_id = $1 and id = $2 for update', [member.id]);
    const done = reset(link);
    await untilWaiting(box, 1);
    const changed = member.patch('/member', { password: 'thief horse battery', currentPassword: password });
    const opened = logIn(box.shopper(), member);
    await untilWaiting(box, 3);
    return { done, changed, opened };
  });
  t.match(await sent.done, { status: 204 });
  t.match(await sent.changed, { status: 403, body: { code: 'wrong_password' } });
  t.match(await sent.opened, { status: 401, body: { code: 'wrong_login' } });
  t.equal((await logIn(box.shopper(), { email: member.email, password: next })).status, 200);
});

t.test('members change their profile and their consent, with time and source', async (t) => {
  const member = await createMember(box);
  const profile = { name: 'Ada King', phone: '+44 20 7946 0000', locale: 'en-GB' };
  t.match(await member.patch('/member', profile), { status: 200, body: { ...profile, acceptsMarketing: false } });
  t.match((await member.get('/member')).body, { marketingChangedAt: null, marketingSource: null });
  const given = await member.patch('/member', { acceptsMarketing: true });
  t.match(given.body, { acceptsMarketing: true, marketingSource: 'account', marketingChangedAt: String });
  const again = await member.patch('/member', { acceptsMarketing: true, phone: null });
  t.equal(again.body.marketingChangedAt, given.body.marketingChangedAt, 'the time of the consent stays');
  t.equal(again.body.phone, null);
  const withdrawn = await member.patch('/member', { acceptsMarketing: false });
  t.ok(withdrawn.body.marketingChangedAt > given.body.marketingChangedAt);
  t.strictSame(
    await eventTypesOf(box, member.id),
    Array.from({ length: 4 }, () => 'member.updated'),
  );
  t.match(await member.patch('/member', { email: 'other@mail.example' }), { status: 400 });
});

t.test('an e-mail address changes once the new one is verified; the old one gets a notice', async (t) => {
  const member = await createMember(box, { email: newEmail() });
  const [from, to] = [member.email, newEmail('new')];
  const link = await requestReset(from);
  const request = (body: object) => member.post('/member/email', body);
  t.match(await request({ email: to, password: 'a wrong password' }), {
    status: 403,
    body: { code: 'wrong_password' },
  });
  t.equal((await request({ email: to.toUpperCase(), password })).status, 202);
  t.match((await member.get('/member')).body, { email: from });
  const token = await tokenOf(box, to, 'member.email_change_requested');
  t.equal((await member.post('/member/email/verify', { token })).status, 204);
  t.match((await member.get('/member')).body, { email: to });
  t.equal((await visitor.post('/member/email/verify', { token })).status, 404);
  t.equal((await reset(link)).status, 404, 'links to the old address are void');
  t.ok((await mailsTo(box, from)).some(({ key }) => key === 'member.email_changed'));
  t.equal((await logIn(box.shopper(), { email: from, password })).status, 401);
  t.equal((await logIn(box.shopper(), { email: to, password })).status, 200);
});

t.test('the address of another member cannot be taken, and the response does not tell that it exists', async (t) => {
  const [member, owner] = [await createMember(box), await createMember(box)];
  const free = newEmail();
  const answers = [free, owner.email].map((email) => member.post('/member/email', { email, password }));
  const [first, second] = await Promise.all(answers);
  t.strictSame([second?.status, second?.body], [first?.status, first?.body]);
  t.strictSame(
    (await mailsTo(box, owner.email)).map(({ key }) => key),
    ['member.email_in_use'],
  );
  const token = await tokenOf(box, free, 'member.email_change_requested');
  await register(box, { email: free, password });
  t.match(await visitor.post('/member/email/verify', { token }), { status: 404 }, 'its owner was faster');
  const late = newEmail();
  await member.post('/member/email', { email: late, password });
  const lateToken = await tokenOf(box, late, 'member.email_change_requested');
  await createMember(box, { email: late, emailVerifiedAt: null });
  t.match(await member.post('/member/email/verify', { token: lateToken }), {
    status: 409,
    body: { code: 'member_email_taken' },
  });
});
