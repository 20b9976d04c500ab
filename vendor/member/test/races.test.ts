/**
 * Concurrency: log-ins that merge one cart, a log-in against additions to the cart, the use of one link, registrations
 * of one address, and defaults among addresses.
 */
import { createMember, logIn, openSession, password, register, tokenOf } from '@carton/member/testing';
import { type Answer, type Caller, callerOf, raceRounds, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import {
  cartPackages,
  createArticle,
  forgetAttempts,
  newEmail,
  openBox,
  quantitiesOf,
  shopperWith,
} from './helpers.ts';

const box = await openBox(t, cartPackages);
const [shirt, socks, hat] = [
  await createArticle(box, 1_000_000),
  await createArticle(box, 1_000_000),
  await createArticle(box, 1_000_000),
];
const visitor = box.visitor();

/** Another client with the session of a shopper, as a second tab of the same browser. */
const tabOf = ({ headers }: Caller) => callerOf(box.url, headers, true);

t.test('concurrent log-ins that merge one cart lose and double nothing', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const member = await createMember(box);
    if (round % 2) await member.post('/cart/items', { variantId: hat, quantity: 1 });
    const guest = await shopperWith(box, [shirt, 2], [socks, 1]);
    const tabs = [tabOf(guest), tabOf(guest), tabOf(guest)];
    const answers = await Promise.all(tabs.map((tab) => logIn(tab, member)));
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    const expected = new Map([...(round % 2 ? [[hat, 1] as const] : []), [shirt, 2] as const, [socks, 1] as const]);
    t.strictSame(new Map([...(await quantitiesOf(member))].sort()), new Map([...expected].sort()));
    t.equal(new Set([guest, ...tabs].map(({ headers }) => headers['x-session-id'])).size, 4, 'each session is rotated');
  }
});

t.test('what a guest adds during the log-in is in the cart of the member or still in that of the guest', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const member = await createMember(box);
    const guest = await shopperWith(box, [shirt, 1]);
    const tabs = [tabOf(guest), tabOf(guest)];
    const [loggedIn, ...added] = await Promise.all([
      logIn(tabOf(guest), member),
      ...tabs.map((tab) => tab.post('/cart/items', { variantId: socks, quantity: 1 })),
      member.post('/cart/items', { variantId: shirt, quantity: 1 }),
    ]);
    t.equal(loggedIn.status, 200);
    t.ok(
      added.every(({ status }) => status === 200 || status === 201),
      JSON.stringify(added.map(({ body }) => body)),
    );
    const carts = [await quantitiesOf(member), await quantitiesOf(guest)];
    const sum = (variant: string) => carts.reduce((all, cart) => all + (cart.get(variant) ?? 0), 0);
    t.strictSame([sum(shirt), sum(socks)], [2, 2]);
    t.equal(carts[0]?.get(shirt), 2);
  }
});

t.test('of concurrent uses of a link one succeeds', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    await forgetAttempts(box);
    const email = newEmail();
    // The cost of the hash is no part of the race: the row is that of a registration.
    await visitor.post('/member/email/verification', { email });
    await box.db.query(
      `update member_tokens set purpose = 'registration', password_hash = 'none' where tenant_id = $1 and email = $2`,
      [email],
    );
    await box.db.query(
      `update event_outbox set type = 'member.registration_requested'
        where tenant_id = $1 and type = 'member.verification_requested'`,
    );
    const token = await tokenOf(box, email, 'member.registration_requested');
    await box.db.query("delete from event_outbox where tenant_id = $1 and type like 'member.%'");
    const uses = await Promise.all([1, 2, 3].map(() => visitor.post('/member/email/verify', { token })));
    t.strictSame(uses.map(({ status }) => status).sort(), [204, 404, 404]);
    const accounts = await box.db.query('select id from members where tenant_id = $1 and email = $2', [email]);
    t.equal(accounts.length, 1);
  }
});

t.test('an address has one account, however many create it', async (t) => {
  const { staff } = box;
  for (let round = 0; round < raceRounds; round++) {
    await forgetAttempts(box);
    const email = newEmail();
    const mover = await createMember(box);
    await mover.post('/member/email', { email, password });
    const token = await tokenOf(box, email, 'member.email_change_requested');
    await box.db.query("delete from event_outbox where tenant_id = $1 and type like 'member.%'");
    const [moved, ...created] = await Promise.all([
      mover.post('/member/email/verify', { token }),
      staff.post('/admin/members', { email }),
      staff.post('/admin/members', { email }),
    ]);
    const succeeded = [moved.status === 204, ...created.map(({ status }) => status === 201)];
    t.equal(
      succeeded.filter(Boolean).length,
      1,
      JSON.stringify([moved.status, ...created.map(({ status }) => status)]),
    );
    for (const { status } of [moved, ...created]) t.ok([201, 204, 404, 409].includes(status));
    const accounts = await box.db.query('select id from members where tenant_id = $1 and email = $2', [email]);
    t.equal(accounts.length, 1);
  }
});

t.test('one address at most is the default, however many become it', async (t) => {
  const { staff } = box;
  const address = { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' };
  const isDefault = { defaultShipping: true, defaultBilling: true };
  for (let round = 0; round < raceRounds; round++) {
    const member = await createMember(box);
    const path = `/admin/members/${member.id}/addresses`;
    const [first, second] = await Promise.all([member.post('/member/addresses', address), staff.post(path, address)]);
    const answers = await Promise.all([
      member.patch(`/member/addresses/${first.body.id}`, isDefault),
      staff.patch(`${path}/${second.body.id}`, isDefault),
      member.post('/member/addresses', { ...address, ...isDefault }),
      staff.post(path, { ...address, defaultShipping: true }),
    ]);
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 201, 201],
    );
    const { items } = (await member.get('/member/addresses')).body;
    for (const name of ['defaultShipping', 'defaultBilling']) {
      t.equal(items.filter((each: Record<string, boolean>) => each[name]).length, 1, name);
    }
  }
});

t.test('a member who is disabled or deleted during a log-in has no session', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    await forgetAttempts(box);
    const member = await createMember(box);
    const phone = await openSession(box, member.id);
    const path = `/admin/members/${member.id}`;
    const end = round % 2 ? box.staff.delete(path) : box.staff.patch(path, { status: 'disabled' });
    await Promise.all([logIn(box.shopper(), member), end, logIn(phone, member)]);
    const sessions = await box.db.query('select id from member_sessions where tenant_id = $1 and member_id = $2', [
      member.id,
    ]);
    t.strictSame(sessions, []);
    t.equal((await member.get('/member')).status, 401);
  }
});

t.test('concurrent registrations of an address leave one account', async (t) => {
  await forgetAttempts(box);
  const email = newEmail();
  await Promise.all(
    ['first', 'second'].map((word) => visitor.post('/member/register', { email, password: `${word} ${password}` })),
  );
  await register(box, { email, password });
  t.equal((await logIn(box.shopper(), { email, password })).status, 200);
  const left = await box.db.query('select id from member_tokens where tenant_id = $1 and email = $2', [email]);
  t.strictSame(left, []);
});

t.test('a member who is deleted while requests of theirs wait is no longer logged in', async (t) => {
  const member = await createMember(box);
  const path = `/admin/members/${member.id}`;
  const address = { name: 'Ada Lovelace', line1: '12 Rue des Lilas', city: 'Lyon', country: 'FR' };
  const work: Promise<Answer>[] = [];
  await box.db.transaction(async (tx) => {
    await tx.query('select from members where tenant_id = $1 and id = $2 for update', [member.id]);
    work.push(box.staff.delete(path));
    await untilWaiting(box);
    work.push(
      member.post('/member/addresses', address),
      member.patch('/member', { name: 'Ada' }),
      box.staff.post(`${path}/addresses`, address),
    );
    await untilWaiting(box, 4);
  });
  t.strictSame(
    (await Promise.all(work)).map(({ status }) => status),
    [204, 401, 401, 404],
  );
});
