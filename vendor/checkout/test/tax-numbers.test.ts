/**
 * The buyer's tax number on its way from the member to the cart and the order, and who sees it.
 */
import { shopperWith } from '@carton/cart/testing';
import { createMember, logIn, password, register } from '@carton/member/testing';
import { bodyOf, createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const cup = await createArticle(box, 'cup', 500, 100);
const email = 'ada@example.com';
const [french, german, greek] = ['FR40303265045', 'DE136695976', 'EL094259216'];
const unchecked = (number: string) => ({ number, status: 'unchecked' });

t.test('a cart has a number in the stored form, also before its first line, until it is removed', async (t) => {
  const shopper = box.shopper();
  const cart = await bodyOf(shopper.patch('/cart', { taxNumber: 'fr 40 303.265.045' }));
  t.strictSame(cart.taxNumber, unchecked(french));
  t.notMatch(JSON.stringify(await eventsOf(box, cart.id)), /303265/, 'events have no personal data');
  t.strictSame((await bodyOf(shopper.patch('/cart', { note: 'Ring' }))).taxNumber, unchecked(french));
  t.strictSame((await bodyOf(shopper.get('/cart'))).taxNumber, unchecked(french));
  t.strictSame((await bodyOf(box.staff.get(`/admin/carts/${cart.id}`))).taxNumber, unchecked(french));
  t.equal((await bodyOf(shopper.patch('/cart', { taxNumber: null }))).taxNumber, null);
});

t.test('a number without the form of its country is refused where it is written', async (t) => {
  const shopper = await shopperWith(box, [cup, 1]);
  const refused = (pointer: string) => ({
    status: 400,
    body: { errors: exactly([{ in: 'body', pointer, detail: /FRXX999999999/ }]) },
  });
  const wrong = 'FR40303265046';
  t.match(await shopper.patch('/cart', { taxNumber: wrong }), refused('/taxNumber'));
  const customer = { email, taxNumber: wrong };
  t.match(await shopper.post('/checkout', { customer }), refused('/customer/taxNumber'));
  t.match(await shopper.patch('/cart', { taxNumber: 'x'.repeat(51) }), { status: 400 });
  const member = await createMember(box, { email: 'wrong@example.com' });
  t.match(await member.patch('/member', { taxNumber: wrong }), refused('/taxNumber'));
  const { id } = await bodyOf(member.get('/member'));
  t.match(await box.staff.patch(`/admin/members/${id}`, { taxNumber: wrong }), refused('/taxNumber'));
  const account = { email: 'new@example.com', taxNumber: wrong };
  t.match(await box.staff.post('/admin/members', account), refused('/taxNumber'));
});

t.test('an order has the number of the checkout, else that of its cart', async (t) => {
  const shopper = await shopperWith(box, [cup, 1]);
  await bodyOf(shopper.patch('/cart', { taxNumber: french }));
  const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
  t.equal(order.customer.taxNumber, french);
  const other = await shopperWith(box, [cup, 1]);
  await bodyOf(other.patch('/cart', { taxNumber: french }));
  const sent = await bodyOf(other.post('/checkout', { customer: { email, taxNumber: 'de 136 695 976' } }));
  t.equal(sent.customer.taxNumber, german);
  t.equal((await bodyOf(box.staff.get(`/admin/orders/${sent.id}`))).customer.taxNumber, german);
  t.equal((await bodyOf(other.get('/cart'))).taxNumber, null, 'the next cart has none');
});

t.test('only who placed the order sees the number', async (t) => {
  const shopper = await shopperWith(box, [cup, 1]);
  const { id } = await bodyOf(shopper.post('/checkout', { customer: { email, taxNumber: french } }));
  t.equal((await bodyOf(shopper.get(`/checkout/${id}`))).customer.taxNumber, french);
  t.equal((await bodyOf(box.shopper().get(`/checkout/${id}`))).customer.taxNumber, '***');
  t.equal((await bodyOf(box.visitor().get(`/checkout/${id}`))).customer.taxNumber, '***');
});

t.test("a member's number is the default of the cart", async (t) => {
  const member = await createMember(box, { email: 'member@example.com' });
  t.equal((await bodyOf(member.patch('/member', { taxNumber: 'GR 094259216' }))).taxNumber, greek);
  const { id } = await bodyOf(member.get('/member'));
  t.equal((await bodyOf(box.staff.get(`/admin/members/${id}`))).taxNumber, greek);
  await bodyOf(member.post('/cart/items', { variantId: cup.variantId, quantity: 1 }));
  t.strictSame((await bodyOf(member.get('/cart'))).taxNumber, unchecked(greek));
  t.strictSame((await bodyOf(member.patch('/cart', { taxNumber: french }))).taxNumber, unchecked(french));
  t.equal(
    (await bodyOf(member.patch('/cart', { taxNumber: null }))).taxNumber,
    null,
    'the member may buy for themself',
  );
  await bodyOf(member.post('/checkout', { customer: { email } }));
  await bodyOf(member.post('/cart/items', { variantId: cup.variantId, quantity: 1 }));
  const order = await bodyOf(member.post('/checkout', { customer: { email } }));
  t.equal(order.customer.taxNumber, greek);
  await bodyOf(box.staff.patch(`/admin/members/${id}`, { taxNumber: null }));
  await bodyOf(member.post('/cart/items', { variantId: cup.variantId, quantity: 1 }));
  t.equal((await bodyOf(member.get('/cart'))).taxNumber, null);
});

t.test("a guest's number is kept at log-in, unless the member's cart has one", async (t) => {
  const credentials = { email: 'late@example.com', password };
  await register(box, credentials);
  const shopper = await shopperWith(box, [cup, 1]);
  await bodyOf(shopper.patch('/cart', { taxNumber: french }));
  await bodyOf(logIn(shopper, credentials));
  t.strictSame((await bodyOf(shopper.get('/cart'))).taxNumber, unchecked(french));
  const again = await shopperWith(box, [cup, 1]);
  await bodyOf(again.patch('/cart', { taxNumber: german }));
  await bodyOf(logIn(again, credentials));
  t.strictSame((await bodyOf(again.get('/cart'))).taxNumber, unchecked(french));
});
