/**
 * Taxes of a tax provider, which is a process of its own: when it is asked, what its answers must be, and what applies
 * while it gives none.
 */
import { type Adjustment, cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { createTestBox, exactly, type RunningSimulator, type TestTenant, until } from '@carton/runtime/testing';
import { booksCode, startTaxService, taxServiceSettings, unknownPostalCode, wrongAnswers } from '@carton/tax/testing';
import t from 'tap';
import { taxExemptions } from '../index.ts';
import {
  addressIn,
  bodyOf,
  createArticle,
  createCategory,
  createRate,
  createRegion,
  shipTo,
  shopperWith,
  taxesOfCart,
} from './helpers.ts';

const service: RunningSimulator = await startTaxService();
t.teardown(() => service.stop());
// A circuit that opens stays open for a second.
const environment = { ...taxServiceSettings(service), TAX_PROVIDER_PAUSE: '1', PAYMENT_ADAPTERS: 'manual' };
const box = await createTestBox(t, { tier: 'basic', environment });

const chooseProvider = ({ staff }: TestTenant, settings: Record<string, unknown> = {}) =>
  bodyOf(staff.patch('/admin/store', { settings: { tax: { provider: 'stripe', ...settings } } }));
await chooseProvider(box);
const shirt = await createArticle(box, 1999);
const buyer = { customer: { email: 'ada@example.com' } };
/** Rates of the store, which differ from the provider's. */
await createRate(box, { code: 'estimate', name: 'Estimate', country: 'DE', rate: 10 });

const byProvider = (amount: number) => [`vat 19 % ${amount}`];
const byRates = (amount: number) => [`estimate 10 % ${amount}`];
let street = 0;
/** An address that nobody has asked about. */
const newAddress = (more: object = {}) => ({ ...addressIn('DE'), line1: `${++street} New Street`, ...more });

async function cartTo(address: object, ...items: [string, number][]) {
  const shopper = await shopperWith(box, ...(items.length > 0 ? items : [[shirt, 1] as [string, number]]));
  const cart = await bodyOf(shopper.put('/cart/shipping-address', address));
  return { shopper, cart };
}

const calls = async () => (await service.state()).calls;

t.beforeEach(() => service.setMode('ok'));

t.test('a cart with a destination has the taxes of the provider, and so has its order', async (t) => {
  const { shopper, cart } = await cartTo(newAddress());
  t.strictSame(taxesOfCart(cart), [byProvider(380), 2379]);
  t.equal(await calls(), 1);
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [byProvider(380), 2379]);
  const preview = await bodyOf(shopper.get('/checkout'));
  const order = await bodyOf(shopper.post('/checkout', { ...buyer, expectedTotal: preview.cart.totals.total }));
  t.equal(await calls(), 1, 'the same question is asked once');
  t.match(order, {
    totals: { tax: { amount: 380 }, total: { amount: 2379 } },
    taxLines: exactly([
      { code: 'vat', label: 'Umsatzsteuer', rate: 19, amount: { amount: 380 }, source: { type: 'tax_provider' } },
    ]),
  });
  t.match(order.taxLines[0].source.id, /^taxcalc_\d+$/);
});

t.test('the same goods to the same address are one question of all shoppers', async (t) => {
  const [address, atlas] = [newAddress(), await createArticle(box, 2500)];
  await cartTo(address, [shirt, 2], [atlas, 1]);
  const { cart } = await cartTo(address, [atlas, 1], [shirt, 2]);
  t.strictSame(taxesOfCart(cart)[1], 6498 + 760 + 475);
  t.equal(await calls(), 1);
  const other = await box.openTenant();
  await chooseProvider(other);
  const shopper = await shopperWith(
    other,
    [await createArticle(other, 1999), 2],
    [await createArticle(other, 2500), 1],
  );
  await bodyOf(shopper.put('/cart/shipping-address', address));
  t.equal(await calls(), 2, 'stores do not share answers');
  const visible = await other.db.query('select digest from tax_quotes where $1::uuid is not null');
  const [all] = await box.owner.query<{ count: string }>('select count(*) from tax_quotes');
  t.equal(visible.length, 1, 'row-level security hides the answers of other stores');
  t.ok(Number(all?.count) > 1);
});

t.test('an expired answer is asked for again', async (t) => {
  const { shopper } = await cartTo(newAddress());
  await box.db.query("update tax_quotes set expires_at = now() - interval '1 second' where tenant_id = $1");
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0], byProvider(380));
  t.equal(await calls(), 2);
});

t.test('a changed address, quantity or price is another question', async (t) => {
  const { shopper, cart } = await cartTo(newAddress({ country: 'US', province: 'CA', postalCode: '94110' }));
  // 7.25 % and 1 % of 1999 are 164.9 in all.
  t.strictSame(taxesOfCart(cart), [['sales_tax 7.25 % 145', 'sales_tax 1 % 20'], 2164]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [byProvider(380), 2379]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'FR')), [['not_collecting null % 0'], 1999]);
  const quantity = await bodyOf(shopper.patch(`/cart/items/${cart.items[0].id}`, { quantity: 2 }));
  t.equal(quantity.totals.total.amount, 3998);
  t.equal(await calls(), 4);
  const order = await bodyOf(shopper.post('/checkout', { customer: { ...buyer.customer, address: newAddress() } }));
  t.match(order, { totals: { tax: { amount: 760 }, total: { amount: 4758 } } });
  t.equal(await calls(), 5, 'the address sent with the checkout is asked about');
});

t.test('a changed price is another question', async (t) => {
  const article = await createArticle(box, 1000);
  const { shopper, cart } = await cartTo(newAddress(), [article, 1]);
  t.strictSame(taxesOfCart(cart), [byProvider(190), 1190]);
  const prices = { prices: [{ currency: 'EUR', amount: 2000 }] };
  await bodyOf(box.staff.put(`/admin/variants/${article}/prices`, prices));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [byProvider(380), 2380]);
  t.equal(await calls(), 2);
});

t.test('discounted amounts and shipping charges are asked about, and nothing for exempt shoppers', async (t) => {
  const { database } = box.box;
  const mounted = database.extensions;
  t.teardown(() => {
    database.extensions = mounted;
  });
  const withSteps = (discount: number, charges: number[], isExempt = false) => {
    const off: Adjustment = { code: 'OFF', label: 'Off', kind: 'discount', amount: -discount };
    const post = charges.map((amount, at): Adjustment => ({ ...off, code: `post ${at}`, kind: 'shipping', amount }));
    const steps = [
      ...cartTotals.of({ extensions: mounted }),
      totalsStep({ name: 'off', order: totalsOrder.discount, adjust: () => [off] }),
      totalsStep({ name: 'post', order: totalsOrder.shipping, adjust: () => post }),
    ];
    const replaced = [
      [cartTotals, steps],
      [taxExemptions, [async () => isExempt]],
    ] as never;
    database.extensions = new Map([...mounted, ...(replaced as [])]);
  };
  withSteps(999, [300, 200]);
  const { shopper, cart } = await cartTo(newAddress());
  // 19 % of 1000 and of 500, divided among the charges
  t.strictSame(taxesOfCart(cart), [['vat 19 % 190', 'vat 19 % 57', 'vat 19 % 38'], 1000 + 500 + 285]);
  const taxes = cart.adjustments.filter(({ kind }: Adjustment) => kind === 'tax');
  t.match(taxes, exactly([{ shippingCode: null }, { shippingCode: 'post 0' }, { shippingCode: 'post 1' }]));
  withSteps(1_000_000, [500]);
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [['vat 19 % 95'], 595], 'only shipping is paid');
  t.equal(await calls(), 2);
  withSteps(0, [500], true);
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [[], 2499]);
  t.equal(await calls(), 2);
});

t.test('categories have codes of the provider, and prices may include taxes', async (t) => {
  const id = await createCategory(box, 'books');
  t.match(await box.staff.patch(`/admin/tax-categories/${id}`, { providerCode: booksCode }), {
    body: { providerCode: booksCode },
  });
  const novel = await createArticle(box, 1000, { taxCategory: 'books' });
  const { shopper, cart } = await cartTo(newAddress(), [novel, 1], [shirt, 1]);
  t.strictSame([taxesOfCart(cart)[0].toSorted(), taxesOfCart(cart)[1]], [['vat 19 % 380', 'vat 7 % 70'], 3449]);
  const region = await createRegion(box, ['DE'], true);
  const inclusive = await bodyOf(shopper.patch('/cart', { regionId: region }));
  // 1000 × 7 / 107 and 1999 × 19 / 119
  t.strictSame(
    [taxesOfCart(inclusive)[0].toSorted(), inclusive.totals.total.amount],
    [['vat 19 % 319', 'vat 7 % 65'], 2999],
  );
  await box.staff.patch(`/admin/regions/${region}`, { countries: [] });
});

t.test('more lines than a calculation lists', async (t) => {
  const articles = await Promise.all(Array.from({ length: 23 }, (_, at) => createArticle(box, 1000 + at)));
  const { cart } = await cartTo(newAddress(), ...articles.map((id): [string, number] => [id, 1]));
  t.equal(taxesOfCart(cart)[0].length, 23);
  t.equal(
    cart.totals.tax.amount,
    articles.reduce((tax, _, at) => tax + Math.round((1000 + at) * 0.19), 0),
  );
  t.equal(cart.adjustments.filter(({ code }: { code: string }) => code === 'estimate').length, 0);
});

t.test('a call that fails is retried', async (t) => {
  await service.setMode('fail-once');
  t.strictSame(taxesOfCart((await cartTo(newAddress())).cart)[0], byProvider(380));
  t.equal(await calls(), 2);
});

for (const mode of ['drop', 'cut', 'fail', 'slow', 'unreadable', 'reject', ...Object.keys(wrongAnswers)]) {
  t.test(`without an answer the rates of the store apply: ${mode}`, async (t) => {
    await service.setMode(mode);
    const { shopper, cart } = await cartTo(newAddress());
    t.strictSame(taxesOfCart(cart), [byRates(200), 2199]);
    t.ok((await calls()) > 0);
    await service.setMode('ok');
    t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [byProvider(380), 2379], 'asked again');
  });
}

t.test('no row is locked and no transaction is open while the provider is asked', async (t) => {
  const { shopper } = await cartTo(newAddress());
  const orderTo = (more: object = {}) => ({ customer: { ...buyer.customer, address: newAddress() }, ...more });
  const expire = () => box.db.query('delete from tax_quotes where tenant_id = $1');
  const requests: [name: string, send: () => Promise<{ status: number }>][] = [
    ['a changed address', () => shopper.put('/cart/shipping-address', newAddress())],
    ['a read of the cart', () => expire().then(() => shopper.get('/cart'))],
    ['a preview', () => expire().then(() => shopper.get('/checkout'))],
    ['an order', () => shopper.post('/checkout', orderTo())],
    ['with a key', () => shopper.post('/checkout', orderTo(), { headers: { 'idempotency-key': 'held' } })],
    ['with a payment', () => shopper.post('/checkout', orderTo({ paymentMethod: 'bank_transfer' }))],
  ];
  for (const [name, send] of requests) {
    await bodyOf(shopper.post('/cart/items', { variantId: shirt, quantity: 1 }));
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
    for (const table of ['carts', 'stock_levels', 'orders', 'stores', 'idempotency_keys']) {
      const lock = `select 1 from ${table} where tenant_id = '${box.id}' for update nowait`;
      await t.resolves(box.owner.query(lock), `${name}: ${table}`);
    }
    await service.setMode('ok');
    const { status } = await response;
    t.ok(status < 300, `${name}: ${status}`);
  }
});

t.test('a cart that changes while the provider is asked is not ordered with the taxes of before', async (t) => {
  for (const paymentMethod of [undefined, 'bank_transfer']) {
    const { shopper } = await cartTo(newAddress());
    await service.setMode('hold');
    const address = newAddress();
    const order = shopper.post('/checkout', { customer: { ...buyer.customer, address }, paymentMethod });
    await until(
      () => service.state(),
      ({ held }) => held === 1,
    );
    const { id } = await bodyOf(shopper.get('/cart'));
    await box.db.query('update cart_line_items set quantity = 2 where tenant_id = $1 and cart_id = $2', [id]);
    await service.setMode('ok');
    if (paymentMethod) {
      t.match(await order, { status: 409, body: { code: 'cart_changed' } }, 'the payment is of another amount');
      continue;
    }
    t.match(await order, { status: 201, body: { totals: { tax: { amount: 760 }, total: { amount: 4758 } } } });
    t.equal(await calls(), 1, 'asked again, for the cart as it is');
  }
});

t.test('an order is placed with estimated taxes while the provider is away', async (t) => {
  const { shopper } = await cartTo(newAddress());
  await service.setMode('drop');
  const address = newAddress();
  const order = await bodyOf(shopper.post('/checkout', { customer: { ...buyer.customer, address } }));
  t.match(order, { totals: { tax: { amount: 200 } }, taxLines: exactly([{ source: { type: 'tax_rate' } }]) });
  await service.setMode('ok');
  await cartTo(newAddress());
});

t.test('a store may reject orders without taxes of the provider', async (t) => {
  const store = await box.openTenant();
  await chooseProvider(store, { fallback: 'reject' });
  const shopper = await shopperWith(store, [await createArticle(store, 1000), 1]);
  t.match(await shopper.get('/checkout'), {
    body: { ready: false, requirements: exactly([{ code: 'quote_missing', detail: /need a shipping address/ }]) },
  });
  const text = { customer: { ...buyer.customer, address: '1 Way, Town' } };
  t.match(await shopper.post('/checkout', text), { status: 503, body: { code: 'quote_missing' } });
  await service.setMode('drop');
  await shipTo(shopper, 'DE');
  t.match(await shopper.get('/checkout'), {
    body: { ready: false, requirements: exactly([{ code: 'quote_missing' }]) },
  });
  const key = { headers: { 'idempotency-key': 'one order' } };
  const refused = { status: 503, body: { code: 'quote_missing', detail: /does not respond/ } };
  const rejected = await shopper.post('/checkout', buyer, key);
  t.match(rejected, refused);
  t.equal(rejected.headers.get('retry-after'), '5');
  const [orders] = await box.owner.query('select count(*)::int from orders where tenant_id = $1', [store.id]);
  t.strictSame(orders, { count: 0 });
  // The circuit is open by now: it lets a call pass after a second.
  await service.setMode('ok');
  await until(
    () => bodyOf(shopper.get('/checkout')),
    ({ ready }) => ready,
  );
  const order = await bodyOf(shopper.post('/checkout', buyer, key));
  t.match(order, { totals: { tax: { amount: 190 } }, taxLines: exactly([{ source: { type: 'tax_provider' } }]) });
  const again = await shopper.post('/checkout', buyer, key);
  t.strictSame(again.body, order, 'a retry returns the same order');
  await store.db.query(
    `update idempotency_keys set status = null, body = null, busy_until = now() - interval '1 second'
      where tenant_id = $1 and operation_id = 'createOrder'`,
  );
  const resumed = await shopper.post('/checkout', buyer, key);
  t.strictSame([resumed.status, resumed.body], [201, order], 'also if the first request died before its response');
});

t.test('a question that the provider refuses is not repeated', async (t) => {
  const { shopper, cart } = await cartTo(newAddress({ postalCode: unknownPostalCode }));
  t.strictSame(taxesOfCart(cart)[0], byRates(200));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0], byRates(200));
  t.equal(await calls(), 1);
});

t.test('nothing is asked for a store without a provider, and without a destination', async (t) => {
  const store = await box.openTenant();
  const shopper = await shopperWith(store, [await createArticle(store, 1000), 1]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [[], 1000]);
  const free = await createArticle(box, 0);
  const none = await cartTo(newAddress(), [free, 1]);
  t.equal(none.cart.totals.total.amount, 0);
  await shopperWith(box, [shirt, 1]);
  t.equal(await calls(), 0);
});

t.test('an open circuit: nobody waits for a service that is away', async (t) => {
  await service.setMode('fail');
  const { shopper } = await cartTo(newAddress());
  for (let call = 0; call < 2; call++) await bodyOf(shopper.get('/cart'));
  const untilOpen = await calls();
  t.equal(untilOpen, 9, 'three calls with three attempts each');
  for (let call = 0; call < 5; call++) {
    t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0], byRates(200));
  }
  t.equal(await calls(), untilOpen);
  await service.setMode('ok');
  await until(
    async () => taxesOfCart(await bodyOf(shopper.get('/cart')))[0][0],
    (tax) => tax === byProvider(380)[0],
  );
  t.equal(await calls(), 1, 'after a pause one call closes it');
  const metrics = await fetch(`${box.url}/metrics`, { headers: { authorization: `Bearer ${box.secrets.metrics}` } });
  const text = await metrics.text();
  t.match(text, /carton_service_calls_total\{[^}]*service="stripe-tax",outcome="circuit_open"[^}]*\} \d/);
  t.match(text, /carton_service_calls_total\{[^}]*service="stripe-tax",outcome="invalid"[^}]*\} 9/);
});

t.test('a box that is not connected to the provider of a store', async (t) => {
  const apart = await createTestBox(t, { tier: 'basic' });
  await chooseProvider(apart);
  await createRate(apart, { code: 'estimate', country: 'DE', rate: 10 });
  const shopper = await shopperWith(apart, [await createArticle(apart, 1000), 1]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [byRates(100), 1100]);
  await chooseProvider(apart, { fallback: 'reject' });
  t.match(await shopper.post('/checkout', buyer), {
    status: 503,
    body: { code: 'quote_missing', detail: /is not connected/ },
  });
});
