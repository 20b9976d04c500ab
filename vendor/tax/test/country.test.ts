/**
 * No sale is untaxed because its country was written in another way, or was left out.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle, createRate, createRegion, shipTo } from './helpers.ts';

const box = await createTestBox(t);
const email = 'ada@example.com';
const required = 'is required by this store';

/** A store with a rate in Spain of 21 % on top of 10000, and a shopper with the article in the cart. */
async function storeInSpain(settings: object = {}) {
  const store = await box.openTenant();
  await createRate(store, { country: 'ES', rate: 21 });
  if (Object.keys(settings).length > 0) await bodyOf(store.staff.patch('/admin/store', settings));
  const article = await createArticle(store, 10_000);
  return { store, shopper: () => shopperWith(store, [article, 1]) };
}

/** What an order with this customer comes to: its total and the country that it stores, or the problem. */
async function orderOf({ shopper }: Pick<Awaited<ReturnType<typeof storeInSpain>>, 'shopper'>, customer: object) {
  const { status, body } = await (await shopper()).post('/checkout', { customer: { email, ...customer } });
  if (status === 201) return [status, body.totals.total.amount, body.customer.address?.country];
  const errors = (body.errors ?? []).map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`);
  return [status, body.code, ...errors];
}

const spanish = ['Spain', 'ESP', 'es', ' ES ', 'España', 'Spanien'];

t.test('a country is taxed in whatever form it is written, and the order stores its code', async (t) => {
  const requiring = await storeInSpain({ checkoutRequires: ['address.country'] });
  const plain = await storeInSpain();
  for (const country of spanish) {
    for (const store of [requiring, plain]) {
      t.strictSame(await orderOf(store, { address: { line1: '1 Way', country } }), [201, 12_100, 'ES'], country);
    }
  }
  const cart = await requiring.shopper();
  t.equal((await shipTo(cart, 'Spain')).totals.total.amount, 12_100);
});

t.test('a country that is not recognised is 400, one that is missing where it is required 409', async (t) => {
  const requiring = await storeInSpain({ checkoutRequires: ['address.country'] });
  const plain = await storeInSpain();
  const notRecognised = (field: string) => [
    ...[400, 'invalid_request'],
    `/customer/${field}/country must be a country: its code of ISO 3166-1, or its name`,
  ];
  for (const store of [requiring, plain]) {
    t.strictSame(await orderOf(store, { address: { country: 'Atlantis' } }), notRecognised('address'));
    t.strictSame(await orderOf(store, { billing: { country: 'Atlantis' } }), notRecognised('billing'));
  }
  const missing = [409, 'customer_details_missing', `/customer/address/country ${required}`];
  const without = [{ country: ' ' }, { country: '' }, { country: null }, { countryCode: 'ES' }, 'Calle Mayor 1, Spain'];
  for (const address of [...without, ' ', undefined]) {
    t.strictSame(await orderOf(requiring, { address }), missing, JSON.stringify(address));
  }
});

t.test('where nothing depends on countries, any text is stored as it is written', async (t) => {
  const store = await box.openTenant();
  const article = await createArticle(store, 10_000);
  const shopper = () => shopperWith(store, [article, 1]);
  t.strictSame(await orderOf({ shopper }, { address: { country: ' Atlantis ' } }), [201, 10_000, 'Atlantis']);
  const zone = { name: 'Spain', places: [{ country: 'ES' }] };
  await bodyOf(store.staff.post('/admin/shipping-zones', zone));
  t.strictSame((await orderOf({ shopper }, { address: { country: 'Atlantis' } })).slice(0, 2), [
    400,
    'invalid_request',
  ]);
  const regional = await box.openTenant();
  const other = await createArticle(regional, 10_000);
  await createRegion(regional, ['ES']);
  const refused = await orderOf(
    { shopper: () => shopperWith(regional, [other, 1]) },
    { address: { country: 'Atlantis' } },
  );
  t.strictSame(refused.slice(0, 2), [400, 'invalid_request']);
});

t.test("an order without a country has the cart's, else the only one of its region, else the store's", async (t) => {
  const customers: [what: string, customer: object][] = [
    ['an e-mail address alone', {}],
    ['free text', { address: 'Calle Mayor 1, Madrid' }],
    ['blank text', { address: ' ' }],
    ['an object without a country', { address: { line1: 'Calle Mayor 1' } }],
    ['a blank country', { address: { line1: 'Calle Mayor 1', country: ' ' } }],
  ];
  const none = await storeInSpain();
  const own = await storeInSpain({ country: 'ESP' });
  for (const [what, customer] of customers) {
    t.strictSame((await orderOf(none, customer)).slice(0, 2), [201, 10_000], `${what}, in a store without a country`);
    t.strictSame((await orderOf(own, customer)).slice(0, 2), [201, 12_100], `${what}, in a store with one`);
    const shipped = async () => {
      const shopper = await none.shopper();
      await shipTo(shopper, 'ES');
      return shopper;
    };
    t.strictSame(
      (await orderOf({ shopper: shipped }, customer)).slice(0, 2),
      [201, 12_100],
      `${what}, in a cart with one`,
    );
  }
  const abroad = async () => {
    const shopper = await own.shopper();
    await shipTo(shopper, 'BR');
    return shopper;
  };
  t.strictSame(await orderOf({ shopper: abroad }, {}), [201, 10_000, 'BR'], 'the country of the cart comes first');
});

t.test('a region with one country comes before the country of the store', async (t) => {
  const { store, shopper } = await storeInSpain({ country: 'ES' });
  await createRate(store, { country: 'PT', rate: 23 });
  const regionId = await createRegion(store, ['PT']);
  t.strictSame(await orderOf({ shopper }, {}), [201, 12_300, undefined]);
  await bodyOf(store.staff.patch(`/admin/regions/${regionId}`, { countries: ['PT', 'FR'] }));
  t.strictSame(await orderOf({ shopper }, {}), [201, 12_100, undefined], 'one with several says nothing');
  t.strictSame(await orderOf({ shopper }, { address: { line1: 'Rua 1' } }), [201, 12_100, undefined]);
  const chosen = async () => {
    const buyer = await shopper();
    await bodyOf(buyer.patch('/cart', { regionId }));
    return buyer;
  };
  t.strictSame(
    await orderOf({ shopper: chosen }, { address: { line1: 'Rua 1' } }),
    [409, 'country_not_served', '/customer/address must be in a country that the region serves'],
    'a region that was chosen needs one of its countries',
  );
});

/** The total that the cart shows, before and after the country is known. */
t.test('the cart and the preview show what the order costs', async (t) => {
  const { shopper } = await storeInSpain({ country: 'ES' });
  const buyer = await shopper();
  const cart = (await bodyOf(buyer.get('/cart'))).totals.total;
  t.strictSame((await bodyOf(buyer.get('/checkout'))).cart.totals.total, cart);
  t.match(await buyer.post('/checkout', { customer: { email }, expectedTotal: cart }), {
    status: 201,
    body: { totals: { total: { amount: 12_100 } } },
  });
});
