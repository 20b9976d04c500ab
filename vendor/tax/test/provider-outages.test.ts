/**
 * Taxes while a tax provider gives no answer, a wrong one or a late one: what applies, what waits for it, and what a store
 * may reject.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly, until } from '@carton/runtime/testing';
import { unknownPostalCode, wrongAnswers } from '@carton/stripe/testing';
import t from 'tap';
import { createArticle, createRate, shipTo, taxesOfCart } from './helpers.ts';
import {
  buyer,
  byProvider,
  byRates,
  callsOf,
  cartTo,
  chooseProvider,
  createProviderBox,
  newAddress,
} from './provider-box.ts';

const opened = await createProviderBox(t);
const { box, service, shirt } = opened;

t.test('a call that fails is retried', async (t) => {
  await service.setMode('fail-once');
  t.strictSame(taxesOfCart((await cartTo(opened, newAddress())).cart)[0], byProvider(380));
  t.equal(await callsOf(opened), 2);
});

for (const mode of ['drop', 'cut', 'fail', 'slow', 'unreadable', 'reject', ...Object.keys(wrongAnswers)]) {
  t.test(`without an answer the rates of the store apply: ${mode}`, async (t) => {
    await service.setMode(mode);
    const { shopper, cart } = await cartTo(opened, newAddress());
    t.strictSame(taxesOfCart(cart), [byRates(200), 2199]);
    t.ok((await callsOf(opened)) > 0);
    await service.setMode('ok');
    t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [byProvider(380), 2379], 'asked again');
  });
}

t.test('no row is locked and no transaction is open while the provider is asked', async (t) => {
  const { shopper } = await cartTo(opened, newAddress());
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
    const { shopper } = await cartTo(opened, newAddress());
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
    t.equal(await callsOf(opened), 1, 'asked again, for the cart as it is');
  }
});

t.test('an order is placed with estimated taxes while the provider is away', async (t) => {
  const { shopper } = await cartTo(opened, newAddress());
  await service.setMode('drop');
  const address = newAddress();
  const order = await bodyOf(shopper.post('/checkout', { customer: { ...buyer.customer, address } }));
  t.match(order, { totals: { tax: { amount: 200 } }, taxLines: exactly([{ source: { type: 'tax_rate' } }]) });
  await service.setMode('ok');
  await cartTo(opened, newAddress());
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
  const { shopper, cart } = await cartTo(opened, newAddress({ postalCode: unknownPostalCode }));
  t.strictSame(taxesOfCart(cart)[0], byRates(200));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0], byRates(200));
  t.equal(await callsOf(opened), 1);
});

t.test('an open circuit: nobody waits for a service that is away', async (t) => {
  await service.setMode('fail');
  const { shopper } = await cartTo(opened, newAddress());
  for (let call = 0; call < 2; call++) await bodyOf(shopper.get('/cart'));
  const untilOpen = await callsOf(opened);
  t.equal(untilOpen, 9, 'three calls with three attempts each');
  for (let call = 0; call < 5; call++) {
    t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0], byRates(200));
  }
  t.equal(await callsOf(opened), untilOpen);
  await service.setMode('ok');
  await until(
    async () => taxesOfCart(await bodyOf(shopper.get('/cart')))[0][0],
    (tax) => tax === byProvider(380)[0],
  );
  t.equal(await callsOf(opened), 1, 'after a pause one call closes it');
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
