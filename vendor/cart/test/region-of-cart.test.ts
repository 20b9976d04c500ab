/**
 * A cart always has a region where the store has one: the one chosen, else that of its address, else the store's default.
 */

import { shopperWith } from '@carton/cart/testing';
import { memberAuthenticators, newId } from '@carton/runtime';
import { bodyOf, type Caller, createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { mergeCarts } from '../guests/merging.ts';
import { forSale, sessionOf } from './helpers.ts';

const authenticator = memberAuthenticators.with({ identify: async (_, memberId) => ({ memberId }) });
const box = await createTestBox(t, { extends: [authenticator] });
const address = (country: string) => ({ name: 'Ada', line1: '12 Rue', city: 'Lyon', country });
const buyer = { customer: { email: 'ada@example.com' } };

const region = async (store: TestTenant, currency: string, countries: string[], more = {}): Promise<string> =>
  (await bodyOf(store.staff.post('/admin/regions', { name: `${currency} ${countries}`, currency, countries, ...more })))
    .id;

/** A store with a region for each currency, EUR first, and an article with a price in each. */
async function storeWith(...places: [currency: string, ...countries: string[]][]) {
  const store = await box.openTenant();
  const regions: string[] = [];
  for (const [currency, ...countries] of places) regions.push(await region(store, currency, countries));
  const shirt = await forSale(store);
  const currencies = [...new Set(['EUR', ...places.map(([currency]) => currency)])];
  await shirt.price(currencies.map((currency, at) => ({ currency, amount: 1000 + at * 100 })));
  return { store, staff: store.staff, regions, shirt };
}

const termsOf = async (shopper: Caller) => {
  const { regionId, currency, country, issues, totals } = await bodyOf(shopper.get('/cart'));
  return [regionId, currency, country, issues, totals.total.amount];
};

t.test('the default region: the set one, the only one, that of the country, the oldest in the currency', async (t) => {
  const { store, staff, regions, shirt } = await storeWith();
  const regionNow = async () => (await bodyOf((await shopperWith(store, [shirt, 1])).get('/cart'))).regionId;
  t.equal(await regionNow(), null, 'a store without regions');
  regions.push(await region(store, 'EUR', []));
  t.equal(await regionNow(), null, 'one that sells nowhere is none');
  const alps = await region(store, 'EUR', ['CH', 'AT']);
  t.equal(await regionNow(), alps, 'the only one');
  const iberia = await region(store, 'EUR', ['ES', 'PT']);
  t.equal(await regionNow(), alps, 'the oldest');
  await bodyOf(staff.patch('/admin/store', { country: 'Portugal' }));
  t.match((await staff.get('/admin/store')).body, { country: 'PT', defaultRegionId: null });
  t.equal(await regionNow(), iberia, "that of the store's country");
  await bodyOf(staff.patch('/admin/store', { defaultRegionId: alps }));
  t.equal(await regionNow(), alps, 'the set one');
  await bodyOf(staff.patch('/admin/store', { defaultRegionId: regions[0] }));
  t.equal(await regionNow(), regions[0], 'also one without countries');
  t.equal((await staff.delete(`/admin/regions/${regions[0]}`)).status, 204);
  t.equal((await staff.get('/admin/store')).body.defaultRegionId, null, 'and a deleted one is none');
  t.equal(await regionNow(), iberia);
  const other = await box.openTenant();
  for (const id of [newId(), await region(other, 'EUR', ['DE'])]) {
    t.match(await staff.patch('/admin/store', { defaultRegionId: id }), {
      status: 400,
      body: { errors: exactly([{ pointer: '/defaultRegionId' }]) },
    });
  }
});

t.test("of several regions the oldest in the store's currency comes first, whatever is older", async (t) => {
  const { store, regions, shirt } = await storeWith(['USD', 'US'], ['EUR', 'DE'], ['EUR', 'FR']);
  const shopper = await shopperWith(store, [shirt, 1]);
  t.strictSame(await termsOf(shopper), [regions[1], 'EUR', null, [], 1000]);
  t.match(
    (await store.shopper().get('/cart')).body,
    { id: null, regionId: regions[1], currency: 'EUR' },
    'no cart yet',
  );
});

t.test('a region follows the address until one is chosen, and prices and taxes follow the region', async (t) => {
  const { store, staff, regions, shirt } = await storeWith(['EUR', 'FR'], ['EUR', 'DE']);
  const [france, germany] = regions;
  await bodyOf(staff.patch(`/admin/regions/${germany}`, { taxInclusive: true }));
  await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', country: 'DE', rate: 19 }));
  await shirt.price([{ currency: 'EUR', amount: 1741 }]);
  const shopper = await shopperWith(store, [shirt, 1]);
  t.strictSame(await termsOf(shopper), [france, 'EUR', null, [], 1741]);
  const set = await bodyOf(shopper.put('/cart/shipping-address', address('DE')));
  t.match(set, { regionId: germany, country: 'DE', issues: exactly([]) });
  const { subtotal, tax, total } = set.totals;
  t.strictSame([subtotal.amount, tax.amount, total.amount], [1741, 278, 1741], 'the price includes the tax');
  t.strictSame(await termsOf(shopper), [germany, 'EUR', 'DE', [], 1741]);
  await bodyOf(shopper.put('/cart/shipping-address', address('FR')));
  t.strictSame(await termsOf(shopper), [france, 'EUR', 'FR', [], 1741]);
  await bodyOf(shopper.put('/cart/shipping-address', address('BR')));
  t.strictSame(await termsOf(shopper), [france, 'EUR', 'BR', ['country_not_served'], 1741], 'no region sells there');
  await bodyOf(shopper.patch('/cart', { regionId: france }));
  await bodyOf(shopper.put('/cart/shipping-address', address('DE')));
  t.strictSame((await termsOf(shopper)).slice(0, 4), [france, 'EUR', 'DE', ['country_not_served']], 'a choice stays');
  await bodyOf(shopper.patch('/cart', { regionId: null }));
  t.strictSame(await termsOf(shopper), [germany, 'EUR', 'DE', [], 1741]);
  const { id, regionId } = await bodyOf(shopper.post('/checkout', buyer));
  t.equal(regionId, germany);
  t.match((await staff.get(`/admin/orders/${id}`)).body, { regionId: germany, totals: { total: { amount: 1741 } } });
});

t.test('an address sent with the order chooses the region as one of the cart does', async (t) => {
  const { store, regions, shirt } = await storeWith(['EUR', 'FR'], ['EUR', 'DE'], ['CHF', 'CH']);
  const orderTo = (country: string) => ({ customer: { ...buyer.customer, address: address(country) } });
  const shopper = await shopperWith(store, [shirt, 1]);
  t.match(await shopper.post('/checkout', orderTo('BR')), { status: 409, body: { code: 'country_not_served' } });
  t.match(await shopper.post('/checkout', orderTo('CH')), {
    status: 409,
    body: { code: 'currency_changed', errors: exactly([{ in: 'body', pointer: '/expectedTotal' }]) },
  });
  t.match(await shopper.post('/checkout', orderTo('Germany')), { status: 201, body: { regionId: regions[1] } });
  const swiss = await shopperWith(store, [shirt, 1]);
  const expectedTotal = { amount: 1100, currency: 'CHF' };
  t.match(await swiss.post('/checkout', { ...orderTo('CH'), expectedTotal }), {
    status: 201,
    body: { regionId: regions[2], totals: { total: expectedTotal } },
  });
  const chosen = await shopperWith(store, [shirt, 1]);
  await bodyOf(chosen.patch('/cart', { country: 'FR' }));
  t.match(await chosen.post('/checkout', orderTo('DE')), { status: 409, body: { code: 'country_not_served' } });
});

t.test('another currency prices the cart again, and is an issue until the shopper accepts it', async (t) => {
  const { store, regions, shirt } = await storeWith(['EUR', 'DE'], ['CHF', 'CH']);
  const [euro, franc] = regions;
  const shopper = await shopperWith(store, [shirt, 1]);
  const set = await bodyOf(shopper.put('/cart/shipping-address', address('CH')));
  t.match(set, { regionId: franc, currency: 'CHF', issues: exactly(['currency_changed']) });
  t.strictSame(await termsOf(shopper), [franc, 'CHF', 'CH', ['currency_changed'], 1100]);
  const detail = "The prices are now in CHF, the currency of the cart's region. Accept it, or choose another region.";
  const preview = await bodyOf(shopper.get('/checkout'));
  t.match(preview, { ready: false });
  t.strictSame(preview.requirements, [{ code: 'currency_changed', detail, pointer: '/expectedTotal' }]);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'currency_changed', detail } });
  t.match(await shopper.patch('/cart', { currency: 'EUR' }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/currency', detail: "must be CHF, the currency of the cart's region" }]) },
  });
  await bodyOf(shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 }));
  t.strictSame(await termsOf(shopper), [franc, 'CHF', 'CH', ['currency_changed'], 2200], 'no other change accepts it');
  t.match(await bodyOf(shopper.patch('/cart', { currency: 'CHF' })), { issues: exactly([]) });
  await bodyOf(shopper.put('/cart/shipping-address', address('DE')));
  t.strictSame(await termsOf(shopper), [euro, 'EUR', 'DE', ['currency_changed'], 2000]);
  t.match(await bodyOf(shopper.patch('/cart', { country: 'DE' })), { issues: exactly([]) }, 'a choice accepts it, too');
  t.match(await shopper.post('/checkout', buyer), { status: 201, body: { regionId: euro } });

  const seen = await shopperWith(store, [shirt, 1]);
  await bodyOf(seen.put('/cart/shipping-address', address('CH')));
  const etag = (await seen.get('/checkout')).headers.get('etag') as string;
  const ordered = await seen.post('/checkout', buyer, { headers: { 'if-match': etag } });
  t.match(
    ordered,
    { status: 201, body: { totals: { total: { amount: 1100, currency: 'CHF' } } } },
    'or the seen offer',
  );
});

t.test('an empty cart shows no prices that could change', async (t) => {
  const { store, regions, shirt } = await storeWith(['EUR', 'DE'], ['CHF', 'CH']);
  const shopper = store.shopper();
  await bodyOf(shopper.put('/cart/shipping-address', address('CH')));
  t.strictSame(await termsOf(shopper), [regions[1], 'CHF', 'CH', [], 0]);
  await bodyOf(shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 }));
  t.strictSame(await termsOf(shopper), [regions[1], 'CHF', 'CH', [], 1100]);
});

t.test('a country that was chosen decides taxes until an address does', async (t) => {
  const { store, staff, regions, shirt } = await storeWith(['EUR', 'FR', 'DE']);
  const rate = (country: string, rate: number) =>
    bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', country, rate }));
  await rate('FR', 20);
  await rate('DE', 10);
  const shopper = await shopperWith(store, [shirt, 1]);
  t.strictSame(await termsOf(shopper), [regions[0], 'EUR', null, [], 1000]);
  t.match(await bodyOf(shopper.patch('/cart', { country: 'France' })), { country: 'FR', regionId: regions[0] });
  t.strictSame(await termsOf(shopper), [regions[0], 'EUR', 'FR', [], 1200]);
  const placed = await shopper.post('/checkout', buyer);
  t.match(
    placed,
    { status: 201, body: { totals: { total: { amount: 1200 } } } },
    'also of an order without an address',
  );
  const other = await shopperWith(store, [shirt, 1]);
  await bodyOf(other.patch('/cart', { country: 'FR' }));
  await bodyOf(other.put('/cart/shipping-address', address('DE')));
  t.strictSame(await termsOf(other), [regions[0], 'EUR', 'DE', [], 1100], 'an address says otherwise');
  const forgetful = await shopperWith(store, [shirt, 1]);
  await bodyOf(forgetful.patch('/cart', { country: 'FR' }));
  const usa = await region(store, 'USD', ['US']);
  await shirt.price([
    { currency: 'EUR', amount: 1000 },
    { currency: 'USD', amount: 1300 },
  ]);
  await bodyOf(forgetful.patch('/cart', { regionId: usa }));
  t.strictSame(await termsOf(forgetful), [usa, 'USD', null, [], 1300], 'another region does not sell to that country');
});

t.test('a store without regions remembers a country, too', async (t) => {
  const { store, staff, shirt } = await storeWith();
  await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', country: 'ES', rate: 21 }));
  const shopper = await shopperWith(store, [shirt, 1]);
  t.strictSame(await termsOf(shopper), [null, 'EUR', null, [], 1000]);
  await bodyOf(shopper.patch('/cart', { country: 'ESP' }));
  t.strictSame(await termsOf(shopper), [null, 'EUR', 'ES', [], 1210]);
  t.match(await shopper.post('/checkout', buyer), { status: 201, body: { totals: { total: { amount: 1210 } } } });
});

t.test('what staff change of regions is in the next price of carts', async (t) => {
  const { store, staff, regions, shirt } = await storeWith(['EUR', 'DE'], ['CHF', 'CH']);
  const shopper = await shopperWith(store, [shirt, 1]);
  await bodyOf(shopper.patch('/cart', { country: 'CH' }));
  t.strictSame(await termsOf(shopper), [regions[1], 'CHF', 'CH', [], 1100]);
  t.equal((await staff.delete(`/admin/regions/${regions[1]}`)).status, 204);
  t.strictSame(await termsOf(shopper), [regions[0], 'EUR', 'CH', ['currency_changed'], 1000]);
});

t.test("at log-in the member's choice comes first, then the guest's; what the guest saw can change", async (t) => {
  const { store, regions, shirt } = await storeWith(['EUR', 'DE'], ['CHF', 'CH']);
  const [euro, franc] = regions;
  const guestIn = async (country?: string) => {
    const guest = await shopperWith(store, [shirt, 1]);
    if (country) await bodyOf(guest.patch('/cart', { country }));
    return guest;
  };
  const memberIn = async (country?: string) => {
    const id = newId();
    const caller = store.shopper();
    caller.headers.authorization = `Bearer ${id}`;
    await bodyOf(caller.post('/cart/items', { variantId: shirt.variantId, quantity: 1 }));
    if (country) await bodyOf(caller.patch('/cart', { country }));
    return { id, caller };
  };
  const merged = async (guest: Caller, { id, caller }: { id: string; caller: Caller }) => {
    await store.db.transaction((tx) => mergeCarts(tx, sessionOf(guest), id));
    return termsOf(caller);
  };
  t.strictSame(await merged(await guestIn(), await memberIn()), [euro, 'EUR', null, [], 2000]);
  t.strictSame(await merged(await guestIn('CH'), await memberIn()), [franc, 'CHF', 'CH', [], 2200]);
  t.strictSame(await merged(await guestIn(), await memberIn('CH')), [franc, 'CHF', 'CH', ['currency_changed'], 2200]);
  t.strictSame(await merged(await guestIn('CH'), await memberIn('DE')), [
    euro,
    'EUR',
    'DE',
    ['currency_changed'],
    2000,
  ]);
  const withAddress = await guestIn();
  await bodyOf(withAddress.put('/cart/shipping-address', address('CH')));
  await bodyOf(withAddress.patch('/cart', { currency: 'CHF' }));
  t.strictSame(await merged(withAddress, await memberIn()), [franc, 'CHF', 'CH', [], 2200], 'an address moves, too');
});

t.test('lists of staff show the region and currency that the cart itself shows', async (t) => {
  const { store, staff, shirt } = await storeWith(['EUR', 'DE'], ['CHF', 'CH']);
  const shoppers = [await shopperWith(store, [shirt, 1]), await shopperWith(store, [shirt, 1])] as const;
  await bodyOf(shoppers[1].put('/cart/shipping-address', address('CH')));
  const { items } = await bodyOf(staff.get('/admin/carts'));
  const listed = items.map(({ id, regionId, currency }: Record<string, string>) => [id, regionId, currency]);
  const read: unknown[] = [];
  for (const [id] of listed) {
    const { regionId, currency } = await bodyOf(staff.get(`/admin/carts/${id}`));
    read.push([id, regionId, currency]);
  }
  t.strictSame(listed, read);
  t.strictSame(listed.map(([, , currency]: string[]) => currency).sort(), ['CHF', 'EUR']);
});
