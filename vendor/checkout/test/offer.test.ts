/**
 * An order is placed only at the total that the shopper has seen, with or without an online payment.
 */
import { type Article, shopperWith } from '@carton/cart/testing';
import { type Caller, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { bindProvider, buyer, createArticle, snapshot } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } });
const tagOf = async (shopper: Caller) => (await shopper.get('/checkout')).headers.get('etag') as string;
const reprice = ({ variantId }: Article, amount: number) =>
  box.staff.put(`/admin/variants/${variantId}/prices`, { prices: [eur(amount)] });

let created = 0;
async function cartAt(amount: number) {
  const article = await createArticle(box, `article-${++created}`, amount, 1000);
  return { article, shopper: await shopperWith(box, [article, 1]) };
}

t.test('a stale If-Match is rejected with both totals', async (t) => {
  const { article, shopper } = await cartAt(1250);
  const seen = await tagOf(shopper);
  await reprice(article, 1500);
  const before = await snapshot(box);
  const stale = await shopper.post('/checkout', buyer, ifMatch(seen));
  t.match(stale, { status: 412, body: { code: 'offer_changed', detail: /Read the checkout again/ } });
  t.strictSame(stale.body.totals, { expected: eur(1250), actual: eur(1500) });
  t.strictSame((await shopper.post('/checkout', buyer, ifMatch('"stale"'))).body.totals, {
    expected: null,
    actual: eur(1500),
  });
  t.match(await shopper.post('/checkout', buyer, ifMatch('no tag')), {
    status: 412,
    body: { code: 'precondition_failed' },
  });
  t.strictSame(await snapshot(box), before);
  const now = await tagOf(shopper);
  t.match(await shopper.post('/checkout', buyer, ifMatch(`"other", ${now}`)), {
    status: 201,
    body: { totals: { total: eur(1500) } },
  });
  t.match(await shopper.post('/checkout', buyer, ifMatch(now)), { status: 412 }, 'the cart is empty now');
  t.match(await shopper.post('/checkout', buyer, ifMatch('*')), { status: 409, body: { code: 'cart_empty' } });
});

t.test('a repeated idempotency key replays the response, even with a stale If-Match', async (t) => {
  const { shopper } = await cartAt(1250);
  const headers = { 'if-match': await tagOf(shopper), 'idempotency-key': 'once' };
  const placed = await shopper.post('/checkout', buyer, { headers });
  t.equal(placed.status, 201);
  t.strictSame((await shopper.post('/checkout', buyer, { headers })).body, placed.body);
});

t.test('an unexpected total is rejected with both totals', async (t) => {
  const { shopper } = await cartAt(1250);
  const before = await snapshot(box);
  for (const expectedTotal of [eur(1249), eur(0), { amount: 1250, currency: 'USD' }]) {
    const refused = await shopper.post('/checkout', { ...buyer, expectedTotal });
    t.match(refused, { status: 409, body: { code: 'total_changed' } });
    t.strictSame(refused.body.totals, { expected: expectedTotal, actual: eur(1250) });
  }
  t.strictSame(await snapshot(box), before);
  t.equal((await shopper.post('/checkout', { ...buyer, expectedTotal: eur(1250) })).status, 201);
});

t.test('the ETag depends on the offer only, not on the time of a change', async (t) => {
  const { article, shopper } = await cartAt(1250);
  const tag = await tagOf(shopper);
  t.match(tag, /^"1250EUR\.[\w-]+"$/);
  const [{ id }] = (await shopper.get('/cart')).body.items;
  await shopper.patch(`/cart/items/${id}`, { quantity: 2 });
  t.not(await tagOf(shopper), tag);
  await shopper.patch(`/cart/items/${id}`, { quantity: 1 });
  t.equal(await tagOf(shopper), tag);
  t.equal((await shopper.get('/checkout', { headers: { 'if-none-match': tag } })).status, 304);
  await shopper.patch('/cart', { note: 'Ring twice' });
  t.not(await tagOf(shopper), tag, 'data copied to the order is part of the offer');
  await box.staff.patch(`/admin/products/${article.productId}`, { status: 'archived' });
  t.match((await shopper.post('/checkout', buyer, ifMatch(tag))).body, { code: 'offer_changed' });
});

t.test('with a payment, the offer is compared before the payment starts', async (t) => {
  const provider = bindProvider(box, t);
  const { article, shopper } = await cartAt(1250);
  const seen = await tagOf(shopper);
  await reprice(article, 1500);
  const paid = { ...buyer, paymentMethod: 'card' };
  const totals = { expected: eur(1250), actual: eur(1500) };
  const before = await snapshot(box);
  t.match(await shopper.post('/checkout', paid, ifMatch(seen)), { status: 412, body: { totals } });
  t.match(await shopper.post('/checkout', { ...paid, expectedTotal: eur(1250) }), { status: 409, body: { totals } });
  t.strictSame(await snapshot(box), before);
  const tag = await tagOf(shopper);
  await shopper.patch('/cart', { note: 'Ring twice' });
  const changed = await snapshot(box);
  const other = await shopper.post('/checkout', paid, ifMatch(tag));
  t.match(other, { status: 412, body: { code: 'offer_changed' } }, 'even if the total is the same');
  t.strictSame(provider.calls, [], 'the provider was not called');
  t.strictSame(await snapshot(box), changed);
});

t.test('with a payment, the total is compared again in the transaction of the order', async (t) => {
  const provider = bindProvider(box, t);
  for (const [name, status, code] of [
    ['If-Match', 412, 'offer_changed'],
    ['expectedTotal', 409, 'total_changed'],
  ] as const) {
    const { article, shopper } = await cartAt(1250);
    const options = name === 'If-Match' ? ifMatch(await tagOf(shopper)) : {};
    const body = { ...buyer, paymentMethod: 'card', ...(name === 'expectedTotal' && { expectedTotal: eur(1250) }) };
    provider.before = async (call) => {
      if (call === 'confirm') await reprice(article, 1500);
    };
    const refused = await shopper.post('/checkout', body, options);
    t.match(refused, { status, body: { code, totals: { expected: eur(1250), actual: eur(1500) } } }, name);
    provider.before = () => {};
    t.notOk(
      provider.calls.some((call) => call.startsWith('capture')),
      'nothing is captured',
    );
    t.equal((await shopper.get('/cart')).body.items.length, 1);
  }
});

t.test('a concurrent price change never changes the total of an order', async (t) => {
  for (let round = 0; round < 12; round++) {
    const { article, shopper } = await cartAt(1000);
    const tag = await tagOf(shopper);
    const options = round % 2 ? ifMatch(tag) : {};
    const body = round % 2 ? buyer : { ...buyer, expectedTotal: eur(1000) };
    const [placed] = await Promise.all([shopper.post('/checkout', body, options), reprice(article, 2000)]);
    if (placed.status === 201) t.strictSame(placed.body.totals.total, eur(1000));
    else t.strictSame(placed.body.totals, { expected: eur(1000), actual: eur(2000) });
  }
});
