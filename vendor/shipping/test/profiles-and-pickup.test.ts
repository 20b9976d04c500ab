/**
 * Goods that do not travel together: those of several shipping profiles, each with an option and a charge of its own, and
 * those that the shopper picks up.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import {
  addressIn,
  amountsOf,
  buyer,
  choose,
  createArticle,
  createOption,
  createProfile,
  createZone,
  offeredTo,
  readCart,
  shippingOf,
  shipTo,
} from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;
t.afterEach(() => staff.patch('/admin/store', { settings: { shipping: { pickupAddress: null } } }));

const mug = await createArticle(box, 1000, { weight: 400 });
const germany = await createZone(box, 'Germany', { country: 'DE' });
const flat = await createOption(box, { code: 'standard', name: 'Standard', zoneId: germany });

t.test('an option that now ships goods of another profile is not charged for these', async (t) => {
  await createProfile(box, 'letters');
  const option = await createOption(box);
  const card = await createArticle(box, 300, { shippingProfile: 'letters' });
  const shopper = await shopperWith(box, [mug, 1], [card, 1]);
  await choose(shopper, option);
  await bodyOf(staff.patch(`/admin/shipping-options/${option}`, { profile: 'letters' }));
  const cart = await readCart(shopper);
  t.strictSame(shippingOf(cart), [
    [null, 'unavailable', 'option'],
    ['letters', 'none', null],
  ]);
  t.strictSame(amountsOf(cart), [0, 0, 1300]);
  await staff.delete(`/admin/shipping-options/${option}`);
});

t.test('goods of two profiles are chosen and charged each', async (t) => {
  await createProfile(box, 'bulky');
  const sofa = await createArticle(box, 9000, { shippingProfile: 'bulky' });
  const lamp = await createArticle(box, 500, { shippingProfile: 'no-such-profile' });
  const truck = await createOption(box, {
    ...{ code: 'truck', profile: 'bulky', freeFrom: [{ currency: 'EUR', amount: 20000 }] },
    rates: [{ currency: 'EUR', amount: 5900 }],
  });
  const shopper = await shopperWith(box, [mug, 1], [sofa, 1], [lamp, 1]);
  await shipTo(shopper, 'DE');
  t.strictSame(await offeredTo(shopper), { default: [[flat, 490]], bulky: [[truck, 5900]] });
  await choose(shopper, flat);
  const both = await choose(shopper, truck);
  t.strictSame(amountsOf(both), [6390, 0, 16890]);
  t.strictSame(shippingOf(both), [
    [null, 'chosen', null],
    ['bulky', 'chosen', null],
  ]);
  const [, ofSofa] = both.items;
  const three = await bodyOf(shopper.patch(`/cart/items/${ofSofa.id}`, { quantity: 3 }));
  t.strictSame(amountsOf(three), [490, 0, 28990], 'the threshold counts the goods of the profile alone');
  await shopper.delete(`/cart/items/${ofSofa.id}`);
  const small = await readCart(shopper);
  t.strictSame([shippingOf(small), amountsOf(small)], [[[null, 'chosen', null]], [490, 0, 1990]]);
  await shopper.post('/cart/items', { variantId: sofa, quantity: 1 });
  t.strictSame(amountsOf(await readCart(shopper)), [6390, 0, 16890]);
  const order = await bodyOf(shopper.post('/checkout', buyer));
  const { items } = await bodyOf(staff.get(`/admin/orders/${order.id}/shipping-methods`));
  t.match(
    items,
    exactly([
      { profile: null, optionId: flat },
      { profile: 'bulky', optionId: truck },
    ]),
  );
  await staff.delete(`/admin/shipping-options/${truck}`);
});

t.test("what is picked up is taxed at the place of pickup, in the region's countries", async (t) => {
  const rates = [
    { code: 'vat', name: 'VAT', country: 'AT', rate: 20 },
    { code: 'vat', name: 'VAT', country: 'FR', rate: 10 },
  ];
  const rateIds = await Promise.all(rates.map(async (rate) => (await bodyOf(staff.post('/admin/tax-rates', rate))).id));
  const region = await bodyOf(staff.post('/admin/regions', { name: 'Alps', currency: 'EUR', countries: ['AT'] }));
  const pickup = await createOption(box, { type: 'pickup', rates: [{ currency: 'EUR', amount: 0 }] });
  const shopper = await shopperWith(box, [mug, 1]);
  const { id } = await shipTo(shopper, 'FR');
  const put = (pickupLocationId?: string) =>
    shopper.put('/cart/shipping-method', { optionId: pickup, pickupLocationId });
  t.match(await put('store'), { status: 409 }, 'the store has no location');
  const pickupAddress = { name: 'Our store', line1: '1 Ring', city: 'Wien', country: 'AT' };
  const setPlace = (place: object | null) =>
    bodyOf(staff.patch('/admin/store', { settings: { shipping: { pickupAddress: place } } }));
  await setPlace(pickupAddress);
  for (const wrong of [undefined, 'elsewhere']) {
    t.match(await put(wrong), { status: 400, body: { errors: exactly([{ pointer: '/pickupLocationId' }]) } });
  }
  t.match(await shopper.put('/cart/shipping-method', { optionId: flat, pickupLocationId: 'store' }), { status: 409 });
  t.strictSame(amountsOf(await readCart(shopper)), [0, 100, 1100]);
  const [group] = (await bodyOf(shopper.get('/cart/shipping-options'))).groups;
  t.match(group.options, exactly([{ id: pickup, price: { amount: 0 }, pickupLocations: exactly([{ id: 'store' }]) }]));
  const cart = await choose(shopper, pickup, 'store');
  t.strictSame([shippingOf(cart), amountsOf(cart)], [[[null, 'chosen', null]], [0, 200, 1200]]);
  await shopper.patch('/cart', { regionId: region.id });
  t.strictSame((await readCart(shopper)).issues, [], 'the region does not sell to France');
  await shopper.patch('/cart', { regionId: null });

  await shipTo(shopper, 'DE');
  t.strictSame(
    await offeredTo(shopper),
    {
      default: [
        [pickup, 0],
        [flat, 490],
      ],
    },
    'delivery goes to the address',
  );
  t.strictSame(amountsOf(await choose(shopper, flat)), [490, 0, 1490]);
  await choose(shopper, pickup, 'store');

  const ofVienna = { code: 'city', name: 'City', country: 'AT', province: '9', rate: 1 };
  rateIds.push((await bodyOf(staff.post('/admin/tax-rates', ofVienna))).id);
  await setPlace({ ...pickupAddress, province: 'Atlantis' });
  const { issues } = await choose(shopper, pickup, 'store');
  t.strictSame(issues, [], "the province of the store is not the shopper's to correct");
  await setPlace({ ...pickupAddress, province: 'Wien' });
  t.strictSame(amountsOf(await choose(shopper, pickup, 'store')), [0, 210, 1210]);
  await staff.delete(`/admin/tax-rates/${rateIds.pop()}`);
  await setPlace(pickupAddress);
  await choose(shopper, pickup, 'store');

  await setPlace({ ...pickupAddress, country: 'LI' });
  t.strictSame(shippingOf(await readCart(shopper)), [[null, 'unavailable', 'pickup_location']]);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'shipping_option_unavailable' } });
  await setPlace(null);
  t.strictSame(shippingOf(await readCart(shopper)), [[null, 'unavailable', 'pickup_location']]);
  await setPlace(pickupAddress);
  const address = addressIn('FR');
  const order = await bodyOf(shopper.post('/checkout', { customer: { ...buyer.customer, address } }));
  t.strictSame(amountsOf(order), [0, 200, 1200]);
  const { items } = await bodyOf(staff.get(`/admin/orders/${order.id}/shipping-methods`));
  const location = { id: 'store', name: 'Our store', address: { line1: '1 Ring', country: 'AT', postalCode: null } };
  t.match(items, exactly([{ type: 'pickup', pickupLocation: location }]));
  t.ok(id);
  for (const rateId of rateIds) await staff.delete(`/admin/tax-rates/${rateId}`);
  await staff.delete(`/admin/shipping-options/${pickup}`);
});

t.test('if some goods are picked up and others delivered, the address of the shopper counts', async (t) => {
  await bodyOf(
    staff.patch('/admin/store', {
      settings: { shipping: { pickupAddress: { name: 'Our store', line1: '1 Ring', city: 'Wien', country: 'AT' } } },
    }),
  );
  const pickup = await createOption(box, { type: 'pickup', rates: [{ currency: 'EUR', amount: 100 }] });
  await createProfile(box, 'frozen');
  const ice = await createArticle(box, 2000, { shippingProfile: 'frozen' });
  const cooled = await createOption(box, { profile: 'frozen', rates: [{ currency: 'EUR', amount: 800 }] });
  const shopper = await shopperWith(box, [mug, 1], [ice, 1]);
  await shipTo(shopper, 'DE');
  const destination = async () => {
    const [cart] = await box.db.query<{ pickupAddress: { country: string } | null }>(
      'select pickup_address from carts where tenant_id = $1 and id = $2',
      [(await readCart(shopper)).id],
    );
    return cart?.pickupAddress?.country ?? null;
  };
  await choose(shopper, pickup, 'store');
  t.equal(await destination(), 'AT');
  const mixed = await choose(shopper, cooled);
  t.equal(await destination(), null);
  t.strictSame(shippingOf(mixed), [
    [null, 'chosen', null],
    ['frozen', 'chosen', null],
  ]);
  t.strictSame(shippingOf(await choose(shopper, pickup, 'store')), shippingOf(mixed));
  t.equal(await destination(), null, 'whichever is chosen last');
  await shopper.delete(`/cart/items/${mixed.items[1].id}`);
  const left = await readCart(shopper);
  t.strictSame(shippingOf(left), [[null, 'unavailable', 'pickup_location']], 'now everything is picked up');
  t.strictSame(shippingOf(await choose(shopper, pickup, 'store')), [[null, 'chosen', null]]);
  t.equal(await destination(), 'AT');
  for (const id of [pickup, cooled]) await staff.delete(`/admin/shipping-options/${id}`);
});
