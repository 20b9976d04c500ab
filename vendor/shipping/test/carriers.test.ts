/**
 * Options at the prices of carriers, from a service that is a process of its own: what it is asked, what its answers must
 * be, and what applies while it gives none.
 */
import { shopperWith } from '@carton/cart/testing';
import {
  carrierServiceSettings,
  failingPostalCode,
  startCarrierService,
  unknownPostalCode,
  wrongAnswers,
} from '@carton/easypost/testing';
import { bodyOf, createTestBox, exactly, type RunningSimulator, until } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, choose, createArticle, createOption, createProfile, offeredTo } from './helpers.ts';

const service: RunningSimulator = await startCarrierService();
t.teardown(() => service.stop());
const environment = { ...carrierServiceSettings(service), CARRIER_PAUSE: '1', PAYMENT_ADAPTERS: 'manual' };
const box = await createTestBox(t, { tier: 'basic', environment });
const origin = { line1: '2 Pier', city: 'Hamburg', country: 'DE', postalCode: '20095' };
await bodyOf(box.staff.patch('/admin/store', { settings: { shipping: { origin } } }));

/** 4.00 and 0.10 for each of 17.7 ounces. */
const pot = await createArticle(box, 2000, { weight: 500 });
const price = 577;
const fallback = 690;
const own = { type: 'carrier', rates: [{ currency: 'EUR', amount: fallback }] };
const parcel = await createOption(box, { ...own, carrierService: 'DHL Paket' });
const express = await createOption(box, { ...own, carrierService: 'dhl express', rates: [] });
const buyer = { customer: { email: 'ada@example.com' } };

let street = 0;
const newAddress = (more: object = {}) => ({ ...addressIn('DE'), line1: `${++street} New Street`, ...more });
const calls = async () => (await service.state()).calls;

async function shopperAt(address: object, ...items: [string, number][]) {
  const shopper = await shopperWith(box, ...(items.length > 0 ? items : [[pot, 1] as [string, number]]));
  await bodyOf(shopper.put('/cart/shipping-address', address));
  return shopper;
}

t.beforeEach(() => service.setMode('ok'));

t.test('options have the prices of the carrier, in lists, carts and orders, and are asked for once', async (t) => {
  const shopper = await shopperAt(newAddress());
  t.equal(await calls(), 0, 'nothing is asked before options are listed or chosen');
  t.strictSame(await offeredTo(shopper), {
    default: [
      [parcel, price],
      [express, 2000],
    ],
  });
  const cart = await choose(shopper, parcel);
  t.match(cart.totals, { shipping: { amount: price }, total: { amount: 2000 + price } });
  const order = await bodyOf(shopper.post('/checkout', { ...buyer, expectedTotal: cart.totals.total }));
  t.match(order.totals, { shipping: { amount: price } });
  t.equal(await calls(), 1);
});

t.test('another address or weight is another question, and other stores ask for themselves', async (t) => {
  const address = newAddress();
  const shopper = await shopperAt(address);
  await choose(shopper, parcel);
  const { items } = await bodyOf(shopper.get('/cart'));
  // 35.3 ounces
  const heavier = await bodyOf(shopper.patch(`/cart/items/${items[0].id}`, { quantity: 2 }));
  t.equal(heavier.totals.shipping.amount, 753);
  t.equal(await calls(), 2);
  const abroad = await bodyOf(shopper.put('/cart/shipping-address', newAddress({ country: 'FR' })));
  t.match(abroad.shipping, exactly([{ state: 'unavailable', reason: 'carrier' }]));
  t.strictSame(await offeredTo(shopper), { default: [[express, 2000]] });
  t.equal(await calls(), 3);
  await shopperAt(address).then(offeredTo);
  t.equal(await calls(), 3, 'shoppers share answers');
  const other = await box.openTenant();
  await bodyOf(other.staff.patch('/admin/store', { settings: { shipping: { origin } } }));
  const theirs = await createOption(other, { ...own, carrierService: 'DHL Paket' });
  const guest = await shopperWith(other, [await createArticle(other, 2000, { weight: 500 }), 1]);
  await bodyOf(guest.put('/cart/shipping-address', address));
  t.strictSame(await offeredTo(guest), { default: [[theirs, price]] });
  t.equal(await calls(), 4, 'stores do not');
  const visible = await other.db.query('select digest from shipping_quotes where $1::uuid is not null');
  t.equal(visible.length, 1);
});

t.test('goods of several profiles are parcels of their own', async (t) => {
  await createProfile(box, 'bulky');
  const bulky = await createOption(box, { ...own, profile: 'bulky', carrierService: 'DHL Paket' });
  const sofa = await createArticle(box, 90_000, { weight: 10_000, shippingProfile: 'bulky' });
  const address = newAddress();
  const shopper = await shopperAt(address, [pot, 1], [sofa, 1]);
  await choose(shopper, parcel);
  // 352.8 ounces
  t.equal((await choose(shopper, bulky)).totals.shipping.amount, price + 3928);
  await box.db.query('delete from shipping_quotes where tenant_id = $1');
  t.equal((await bodyOf(shopper.get('/cart'))).totals.shipping.amount, price + 3928);
  await box.db.query('delete from shipping_quotes where tenant_id = $1');
  const order = await bodyOf(shopper.post('/checkout', buyer));
  t.equal(order.totals.shipping.amount, price + 3928, 'both are asked for again before the order');
});

for (const mode of ['drop', 'cut', 'fail', 'slow', 'unreadable', 'reject', ...Object.keys(wrongAnswers)]) {
  t.test(`without an answer the own rates of options apply: ${mode}`, async (t) => {
    await service.setMode(mode);
    const shopper = await shopperAt(newAddress());
    t.strictSame(await offeredTo(shopper), { default: [[parcel, fallback]] }, 'an option without one is not offered');
    t.ok((await calls()) > 0);
    await service.setMode('ok');
    t.strictSame((await offeredTo(shopper)).default?.[0], [parcel, price], 'asked again');
  });
}

t.test('a carrier that gives the service no prices, and an address that the service refuses', async (t) => {
  for (const postalCode of [failingPostalCode, unknownPostalCode]) {
    const shopper = await shopperAt(newAddress({ postalCode }));
    await service.setMode('ok');
    t.strictSame(await offeredTo(shopper), { default: [[parcel, fallback]] });
    t.strictSame(await offeredTo(shopper), { default: [[parcel, fallback]] });
    t.equal(await calls(), 1, 'is not asked again for a while');
  }
});

t.test('an order is placed at the own rate while the service is away', async (t) => {
  const shopper = await shopperAt(newAddress());
  await service.setMode('drop');
  const cart = await choose(shopper, parcel);
  t.match(cart.shipping, exactly([{ state: 'chosen', price: { amount: fallback } }]));
  const order = await bodyOf(shopper.post('/checkout', { ...buyer, expectedTotal: cart.totals.total }));
  t.equal(order.totals.shipping.amount, fallback);
  await service.setMode('ok');
  // The circuit is open by now: it lets a call pass after a second.
  const next = await shopperAt(newAddress());
  await until(
    () => offeredTo(next),
    (offered) => offered.default?.[0]?.[1] === price,
  );
});

t.test('an option without an own rate cannot be ordered while its price is not known', async (t) => {
  const shopper = await shopperAt(newAddress());
  t.equal((await choose(shopper, express)).totals.shipping.amount, 2000);
  await service.setMode('fail');
  await bodyOf(shopper.put('/cart/shipping-address', newAddress()));
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'shipping_option_unavailable' } });
  t.match(await shopper.put('/cart/shipping-method', { optionId: express }), { status: 409 });
  await service.setMode('ok');
  await until(
    () => bodyOf(shopper.get('/checkout')),
    ({ ready }) => ready,
  );
  t.equal((await bodyOf(shopper.post('/checkout', buyer))).totals.shipping.amount, 2000);
});

t.test('no row is locked and no transaction is open while the service is asked', async (t) => {
  const shopper = await shopperAt(newAddress());
  await choose(shopper, parcel);
  const order = () => ({ customer: { ...buyer.customer, address: newAddress() } });
  const requests: [name: string, send: () => Promise<{ status: number }>][] = [
    ['a list of options', () => shopper.get('/cart/shipping-options')],
    ['a choice', () => shopper.put('/cart/shipping-method', { optionId: parcel })],
    ['a read of the cart', () => shopper.get('/cart')],
    ['an order', () => shopper.post('/checkout', order(), { headers: { 'idempotency-key': 'held' } })],
  ];
  for (const [name, send] of requests) {
    await box.db.query('delete from shipping_quotes where tenant_id = $1');
    await service.setMode('hold');
    const response = send();
    await until(
      () => service.state(),
      ({ held }) => held === 1,
    );
    // A request that kept its transaction would keep this waiting, too.
    await until(
      () =>
        box.owner.query(
          "select query from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
        ),
      (open) => open.length === 0,
    );
    for (const table of ['carts', 'cart_shipping_methods', 'stock_levels', 'stores', 'idempotency_keys']) {
      const lock = `select 1 from ${table} where tenant_id = '${box.id}' for update nowait`;
      await t.resolves(box.owner.query(lock), `${name}: ${table}`);
    }
    await service.setMode('ok');
    const { status } = await response;
    t.ok(status < 300, `${name}: ${status}`);
  }
});

t.test('what staff declare of an option, and why it is not offered', async (t) => {
  const option = { code: 'x', name: 'X', type: 'carrier', carrierService: 'DHL Paket', rates: [] };
  const invalid: [object, string][] = [
    [{ carrierService: null }, '/carrierService'],
    [{ carrierService: 'DHL' }, '/carrierService'],
    [{ rates: [{ currency: 'EUR', amount: 1, from: 10 }] }, '/rates/0'],
  ];
  for (const [fault, pointer] of invalid) {
    t.match(await box.staff.post('/admin/shipping-options', { ...option, ...fault }), {
      status: 400,
      body: { errors: exactly([{ pointer }]) },
    });
  }
  const light = await createArticle(box, 100);
  const shopper = await shopperWith(box, [pot, 1]);
  const { id } = await bodyOf(shopper.get('/cart'));
  const reasonOf = async () => {
    const { items } = await bodyOf(box.staff.get(`/admin/carts/${id}/shipping-options`));
    return items.find((each: { id: string }) => each.id === parcel).reason;
  };
  t.equal(await reasonOf(), 'address');
  await bodyOf(shopper.put('/cart/shipping-address', newAddress({ country: 'FR' })));
  t.equal(await reasonOf(), 'carrier');
  await bodyOf(shopper.post('/cart/items', { variantId: light, quantity: 1 }));
  t.equal(await reasonOf(), 'weight');
});

t.test('a box without a carrier service charges the own rates', async (t) => {
  const apart = await createTestBox(t, { tier: 'basic' });
  const option = await createOption(apart, { ...own, carrierService: 'DHL Paket' });
  const shopper = await shopperWith(apart, [await createArticle(apart, 1000, { weight: 1 }), 1]);
  t.strictSame(await offeredTo(shopper), { default: [[option, fallback]] });
});
