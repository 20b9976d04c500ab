/**
 * What shoppers do: they see the options of a cart, choose one, and pay its price and tax with the order. Goods of several
 * profiles and goods that are picked up are in `profiles-and-pickup.test.ts`.
 */
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { mergeCarts, shopperWith } from '@carton/cart/testing';
import { memberAuthenticators, newId } from '@carton/runtime';
import { bodyOf, createTestBox, exactly, extendBox, sessionHashOf } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import {
  addressIn,
  amountsOf,
  buyer,
  choose,
  createArticle,
  createOption,
  createZone,
  offeredTo,
  readCart,
  shippingOf,
  shipTo,
} from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;

/** Takes this amount off every sale until the test ends. */
function withDiscount(t: Test, amount: number): void {
  const discounts = totalsStep({
    name: 'discounts',
    order: totalsOrder.discount,
    adjust: () => [{ code: 'OFF', label: 'Off', kind: 'discount', amount: -amount }],
  });
  extendBox(t, box, [cartTotals.with(discounts)]);
}
t.afterEach(async () => {
  await staff.patch('/admin/store', { settings: { shipping: { required: false } } });
});

const mug = await createArticle(box, 1000, { weight: 400 });
const unweighed = await createArticle(box, 1000);

const germany = await createZone(box, 'Germany', { country: 'DE' });
const berlin = await createZone(box, 'Berlin', { country: 'DE', postalCodes: ['10000-14999'] });
const flat = await createOption(box, { code: 'standard', name: 'Standard', zoneId: germany });
const courier = await createOption(box, {
  ...{ code: 'courier', name: 'Courier', zoneId: berlin, type: 'weight' },
  rates: [
    { currency: 'EUR', to: 800, amount: 900 },
    { currency: 'EUR', from: 800, to: 2000, amount: 1500 },
  ],
});

t.test('a store without options charges and requires nothing', async (t) => {
  const empty = await box.openTenant();
  const shopper = await shopperWith(empty, [await createArticle(empty, 1000), 1]);
  t.strictSame((await shopper.get('/cart/shipping-options')).body, {
    groups: [{ profile: null, chosenOptionId: null, options: [] }],
  });
  t.strictSame((await empty.visitor().get('/cart/shipping-options')).body, { groups: [] });
  t.strictSame((await empty.visitor().get('/cart')).body.shipping, []);
  await empty.staff.patch('/admin/store', { settings: { shipping: { required: true } } });
  t.match(await shopper.post('/checkout', buyer), { status: 201, body: { totals: { total: { amount: 1000 } } } });
});

t.test('only options that can be bought are offered, those of the most specific zone', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  t.strictSame(await offeredTo(shopper), { default: [] }, 'without an address');
  await shipTo(shopper, 'DE');
  t.strictSame(await offeredTo(shopper), { default: [[flat, 490]] });
  await shipTo(shopper, 'DE', { postalCode: '10 115' });
  t.strictSame(await offeredTo(shopper), { default: [[courier, 900]] });
  const [item] = (await readCart(shopper)).items;
  const withQuantity = (quantity: number) => shopper.patch(`/cart/items/${item.id}`, { quantity });
  await withQuantity(2);
  t.strictSame(await offeredTo(shopper), { default: [[courier, 1500]] }, 'the upper bound is excluded');
  await withQuantity(5);
  t.strictSame(await offeredTo(shopper), { default: [] }, '2000 g is beyond the last tier');
  await withQuantity(4);
  await shopper.post('/cart/items', { variantId: unweighed, quantity: 1 });
  t.strictSame(await offeredTo(shopper), { default: [] }, 'a line has no weight');
  const { id } = await readCart(shopper);
  const explained = await bodyOf(staff.get(`/admin/carts/${id}/shipping-options`));
  const reasons = new Map(explained.items.map((each: Record<string, string>) => [each.id, [each.reason, each.detail]]));
  const [reason, detail] = reasons.get(courier) as [string, string];
  t.equal(reason, 'weight');
  t.match(detail, /^No weight: Article \d+ One\.$/);
  t.strictSame(reasons.get(flat), ['zone', 'The address is not in the zone Germany, or in a more specific one.']);
  await shopper.patch('/cart', { currency: 'USD' });
  await shipTo(shopper, 'DE');
  t.strictSame(await offeredTo(shopper), { default: [] });
  const inDollars = await bodyOf(staff.get(`/admin/carts/${id}/shipping-options`));
  t.match(
    inDollars.items,
    exactly([
      { id: flat, reason: 'currency', price: null },
      { id: courier, reason: 'zone' },
    ]),
  );
  t.match(await staff.get(`/admin/carts/${newId()}/shipping-options`), { status: 404 });
});

t.test('the choice is charged and taxed, follows the address, and is recorded with the order', async (t) => {
  const rate = { code: 'vat', name: 'VAT', country: 'DE', rate: 19 };
  const { id: rateId } = await bodyOf(staff.post('/admin/tax-rates', rate));
  const shopper = await shopperWith(box, [mug, 1]);
  await shipTo(shopper, 'DE');
  t.strictSame(shippingOf(await readCart(shopper)), [[null, 'none', null]]);
  const cart = await choose(shopper, flat);
  // 10.00 × 19 % = 1.90; 4.90 × 19 % = 0.93
  t.strictSame(amountsOf(cart), [490, 283, 1773]);
  t.match(cart.shipping, exactly([{ profile: null, state: 'chosen', optionId: flat, price: { amount: 490 } }]));
  t.equal((await bodyOf(shopper.get('/cart/shipping-options'))).groups[0].chosenOptionId, flat);
  const moved = await shipTo(shopper, 'DE', { postalCode: '10115' });
  t.strictSame(shippingOf(moved), [[null, 'unavailable', 'zone']]);
  t.strictSame(amountsOf(moved), [0, 190, 1190], 'no charge');
  const { requirements, ready } = await bodyOf(shopper.get('/checkout'));
  t.match({ requirements, ready }, { ready: false, requirements: exactly([{ code: 'shipping_option_unavailable' }]) });
  t.match(await shopper.post('/checkout', buyer), {
    status: 409,
    body: { code: 'shipping_option_unavailable' },
  });
  t.strictSame(amountsOf(await choose(shopper, courier)), [900, 361, 2261]);
  await staff.patch(`/admin/shipping-options/${courier}`, { rates: [{ currency: 'EUR', amount: 1000 }] });
  t.strictSame(amountsOf(await readCart(shopper)), [1000, 380, 2380], 'the price is never stored');
  const order = await bodyOf(shopper.post('/checkout', buyer));
  t.strictSame(amountsOf(order), [1000, 380, 2380]);
  const { adjustments } = await bodyOf(staff.get(`/admin/orders/${order.id}`));
  t.match(
    adjustments,
    exactly([{ kind: 'shipping', code: 'courier', source: { type: 'shipping_option', id: courier } }]),
  );
  const { items } = await bodyOf(staff.get(`/admin/orders/${order.id}/shipping-methods`));
  const method = { profile: null, optionId: courier, code: 'courier', name: 'Courier', type: 'weight' };
  t.strictSame(items, [{ ...method, price: { amount: 1000, currency: 'EUR' }, pickupLocation: null }]);
  t.match(await staff.get(`/admin/orders/${newId()}/shipping-methods`), { status: 404 });
  await staff.delete(`/admin/tax-rates/${rateId}`);
});

t.test('an address sent with the order prices it', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  await shipTo(shopper, 'DE');
  await choose(shopper, flat);
  const orderTo = (address: unknown) => shopper.post('/checkout', { customer: { ...buyer.customer, address } });
  const refused = { status: 409, body: { code: 'shipping_option_unavailable' } };
  t.match(await orderTo(addressIn('FR')), refused);
  t.match(await orderTo(addressIn('DE', { postalCode: '80331' })), { status: 201 });

  const other = await shopperWith(box, [mug, 1]);
  await shipTo(other, 'DE');
  await choose(other, flat);
  const placed = await other.post('/checkout', { customer: { ...buyer.customer, address: 'Somewhere in France' } });
  t.match(placed, { status: 201 }, "free text prices nothing: the cart's address remains in force");
});

t.test('what cannot be bought cannot be chosen', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  await shipTo(shopper, 'FR');
  const theirs = await createOption(await box.openTenant());
  const refused = (detail: string) => ({
    status: 409,
    body: { code: 'shipping_option_unavailable', detail, errors: exactly([{ pointer: '/optionId' }]) },
  });
  const put = (optionId: string) => shopper.put('/cart/shipping-method', { optionId });
  t.match(await put(flat), refused('The address is not in the zone Germany, or in a more specific one.'));
  t.match(await put(theirs), refused('The store has no such option.'));
  t.strictSame(shippingOf(await readCart(shopper)), [[null, 'none', null]]);
  t.match(await box.shopper().put('/cart/shipping-method', { optionId: flat }), { status: 409 });
});

t.test('a deleted option remains chosen, and the cart cannot be ordered until another is', async (t) => {
  const option = await createOption(box, { name: 'Bicycle' });
  const shopper = await shopperWith(box, [mug, 1]);
  t.strictSame(amountsOf(await choose(shopper, option)), [490, 0, 1490], 'without a zone, also without an address');
  await staff.delete(`/admin/shipping-options/${option}`);
  const cart = await readCart(shopper);
  t.strictSame([shippingOf(cart), amountsOf(cart)], [[[null, 'unavailable', 'option']], [0, 0, 1000]]);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'shipping_option_unavailable' } });
  await shipTo(shopper, 'DE');
  await choose(shopper, flat);
  t.match(await shopper.post('/checkout', buyer), { status: 201 });
});

t.test('shipping is free from a price of the goods on, after discounts', async (t) => {
  const option = await createOption(box, { freeFrom: [{ currency: 'EUR', amount: 2000 }] });
  const tiers = await createOption(box, {
    type: 'price',
    rates: [
      { currency: 'EUR', to: 1999, amount: 300 },
      { currency: 'EUR', from: 1999, to: 2000, amount: 200 },
      { currency: 'EUR', from: 2000, amount: 100 },
    ],
  });
  const shopper = await shopperWith(box, [mug, 2]);
  t.strictSame(await offeredTo(shopper), {
    default: [
      [option, 0],
      [tiers, 100],
    ],
  });
  t.strictSame(amountsOf(await choose(shopper, option)), [0, 0, 2000]);
  withDiscount(t, 1);
  t.strictSame(await offeredTo(shopper), {
    default: [
      [tiers, 200],
      [option, 490],
    ],
  });
  t.strictSame(amountsOf(await readCart(shopper)), [490, 0, 2489]);
  withDiscount(t, 2);
  t.strictSame(amountsOf(await choose(shopper, tiers)), [300, 0, 2298]);
  for (const id of [option, tiers]) await staff.delete(`/admin/shipping-options/${id}`);
});

t.test('a store may require a choice, also where it offers none', async (t) => {
  await staff.patch('/admin/store', { settings: { shipping: { required: true } } });
  const shopper = await shopperWith(box, [mug, 1]);
  const code = 'shipping_method_required';
  const requirements = async () => (await shopper.get('/checkout')).body.requirements;
  const withoutCountry = 'The shipping address needs a country to which the store ships.';
  const pointer = '/customer/address';
  t.strictSame(await requirements(), [{ code, detail: withoutCountry, pointer }], 'without an address');
  const customers = [{}, { address: 'Far away' }, { address: { line1: '1 Way' } }, { address: addressIn('BR') }];
  for (const customer of customers) {
    const refused = await shopper.post('/checkout', { customer: { ...buyer.customer, ...customer } });
    t.match(
      refused,
      { status: 409, body: { code, errors: exactly([{ in: 'body', pointer }]) } },
      JSON.stringify(customer),
    );
  }
  await shipTo(shopper, 'BR');
  const elsewhere =
    'The store has no shipping option for all goods in the cart and this address. Choose another address.';
  t.strictSame(await requirements(), [{ code, detail: elsewhere, pointer }]);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code } });
  await shipTo(shopper, 'DE');
  t.strictSame(await requirements(), [{ code, detail: 'Choose a shipping option.', pointer: null }]);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code } });
  await choose(shopper, flat);
  t.match(await shopper.post('/checkout', buyer), { status: 201 });
});

t.test("without any other country, the options are those for the store's", async (t) => {
  const store = await box.openTenant();
  const zoneId = await createZone(store, 'Spain', { country: 'Spain' });
  const option = await createOption(store, { zoneId, rates: [{ currency: 'EUR', amount: 500 }] });
  const article = await createArticle(store, 1000);
  const shopper = await shopperWith(store, [article, 1]);
  t.strictSame(await offeredTo(shopper), { default: [] });
  await bodyOf(store.staff.patch('/admin/store', { country: 'ES' }));
  t.strictSame(await offeredTo(shopper), { default: [[option, 500]] });
  await bodyOf(shopper.patch('/cart', { country: 'FR' }));
  t.strictSame(await offeredTo(shopper), { default: [] }, 'a country that the shopper has chosen comes first');
});

t.test("a guest's choice goes to the member's cart", async (t) => {
  const authenticator = memberAuthenticators.with({ identify: async (_, memberId) => ({ memberId }) });
  const db = extendBox(t, box, [authenticator], { without: [memberAuthenticators] });
  const option = await createOption(box);
  const guest = await shopperWith(box, [mug, 1]);
  await choose(guest, option);
  const memberId = newId();
  const merge = (hash: string) => db.transaction((tx) => mergeCarts(tx, { hash }, memberId));
  await merge(sessionHashOf(guest));
  const member = box.shopper();
  member.headers.authorization = `Bearer ${memberId}`;
  const { shipping, totals } = await readCart(member);
  t.equal(totals.shipping.amount, 490);
  t.match(shipping, exactly([{ state: 'chosen', optionId: option }]));
  await shipTo(member, 'DE');
  await choose(member, flat);
  const again = await shopperWith(box, [mug, 1]);
  await choose(again, option);
  await merge(sessionHashOf(again));
  t.match((await readCart(member)).shipping, exactly([{ optionId: flat }]), "the member's own choice takes precedence");
  await staff.delete(`/admin/shipping-options/${option}`);
});
