/**
 * The uses of a guest count for the member who verifies the address.
 */
import { shopperWith } from '@carton/cart/testing';
import { createMember, logIn, password, register } from '@carton/member/testing';
import { proveEmail } from '@carton/runtime';
import { bodyOf, type Caller, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle, endAll, percent, promoteByCode, shownOf, usesOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const article = await createArticle(box, 1000);
t.afterEach(() => endAll(box));

let addresses = 0;
const newEmail = () => `claim-${++addresses}@example.com`;

const claim = (memberId: string, email: string) => box.db.transaction((tx) => proveEmail(tx, { memberId, email }));

async function withCode(shopper: Caller): Promise<Caller> {
  await bodyOf(shopper.post('/cart/items', { variantId: article.variantId, quantity: 1 }));
  await bodyOf(shopper.post('/cart/promotions', { code: 'ONCE' }));
  return shopper;
}

const placeAsGuest = async (email: string) =>
  bodyOf((await withCode(await shopperWith(box))).post('/checkout', buyer(email)));

t.test('a use as a guest counts for the member, and is returned to the member', async (t) => {
  const id = await promoteByCode(box, 'ONCE', { discount: percent(10), maxUsesPerCustomer: 1 });
  const [email, other] = [newEmail(), newEmail()];
  const order = await placeAsGuest(email.toUpperCase());
  await placeAsGuest(other);
  const member = await createMember(box, { email });
  await withCode(member);
  t.strictSame(await shownOf(member), [[['ONCE', -100]], 900], 'not before the address is verified');
  await claim(member.id, email);
  const uses = { [member.id]: 1, [other]: 1 };
  t.strictSame(await usesOf(box, id), [uses, uses], 'and nothing of another guest');
  t.match(await member.post('/checkout', buyer(email)), { status: 409, body: { code: 'promotion_used_up' } });
  t.strictSame(await shownOf(member), [[['ONCE', 'used_up']], 1000]);
  t.match((await member.get(`/member/orders/${order.id}`)).body, { id: order.id });
  await claim(member.id, email);
  t.strictSame(await usesOf(box, id), [uses, uses], 'verifying again changes nothing');
  await bodyOf(member.post(`/member/orders/${order.id}/cancel`));
  t.strictSame((await usesOf(box, id))[0], { [member.id]: 0, [other]: 1 });
  t.equal((await member.post('/checkout', buyer(email))).status, 201);
});

t.test('a guest who registers has the orders and their uses', async (t) => {
  const id = await promoteByCode(box, 'ONCE', { discount: percent(10), maxUsesPerCustomer: 1 });
  const email = newEmail();
  const order = await placeAsGuest(email);
  await register(box, { email, password });
  const shopper = box.shopper();
  t.equal((await logIn(shopper, { email, password })).status, 200);
  const own = (await bodyOf(shopper.get('/member/orders'))).items.map((each: { id: string }) => each.id);
  t.strictSame(own, [order.id]);
  const { id: memberId } = await bodyOf(shopper.get('/member'));
  t.strictSame((await usesOf(box, id))[0], { [memberId]: 1 });
});

t.test('uses of both add up beyond the limit, and a returned one does not count', async (t) => {
  const id = await promoteByCode(box, 'ONCE', { discount: percent(10), maxUsesPerCustomer: 2 });
  const email = newEmail();
  const member = await createMember(box, { email });
  for (let order = 0; order < 2; order++) await bodyOf((await withCode(member)).post('/checkout', buyer(email)));
  const [first] = [await placeAsGuest(email), await placeAsGuest(email)];
  await bodyOf(box.staff.post(`/admin/orders/${first.id}/cancel`, {}));
  await claim(member.id, email);
  t.strictSame(await usesOf(box, id), [{ [member.id]: 3 }, { [member.id]: 3 }]);
  t.match(await member.post('/cart/promotions', { code: 'ONCE' }), {
    status: 409,
    body: { code: 'promotion_used_up' },
  });
});

t.test('uses stay with the address if the verification is rolled back', async (t) => {
  const id = await promoteByCode(box, 'ONCE', { discount: percent(10), maxUsesPerCustomer: 1 });
  const email = newEmail();
  await placeAsGuest(email);
  const member = await createMember(box, { email });
  const failed = box.db.transaction(async (tx) => {
    await proveEmail(tx, { memberId: member.id, email });
    throw new Error('rolled back');
  });
  await t.rejects(failed, /rolled back/);
  t.strictSame(await usesOf(box, id), [{ [email]: 1 }, { [email]: 1 }]);
});

t.test('in another store the same address is another customer', async (t) => {
  const id = await promoteByCode(box, 'ONCE', { discount: percent(10), maxUsesPerCustomer: 1 });
  const email = newEmail();
  await placeAsGuest(email);
  const other = await box.openTenant();
  const namesake = await createMember(other, { email });
  await other.db.transaction((tx) => proveEmail(tx, { memberId: namesake.id, email }));
  t.strictSame(await usesOf(box, id), [{ [email]: 1 }, { [email]: 1 }]);
});
