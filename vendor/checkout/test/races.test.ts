/**
 * Concurrency: one cart becomes one order, stock is never oversold, a repeated request has no second effect.
 */
import { shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { createTestBox, exactly, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle, snapshot } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const article = await createArticle(box, 'article', 500, 1000);

t.test('twenty concurrent requests for one cart create one order', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const shopper = await shopperWith(box, [article, 2]);
    const before = await snapshot(box);
    const answers = await Promise.all(Array.from({ length: 20 }, () => shopper.post('/checkout', buyer)));
    const placed = answers.filter(({ status }) => status === 201);
    const late = answers.filter(({ status }) => status === 409);
    t.equal(placed.length + late.length, 20, JSON.stringify(answers.map(({ status }) => status)));
    t.equal(new Set(placed.map(({ body }) => body.id)).size, 1, 'requests that waited return the same order');
    t.ok(
      late.every(({ body }) => body.code === 'cart_empty' && body.orderId === placed[0]?.body.id),
      'later requests learn what the cart has become',
    );
    const after = await snapshot(box);
    t.equal(after.orders, before.orders + 1);
    t.equal(after.movements, before.movements + 1);
    t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'cart_empty' } });
  }
});

t.test('who orders a cart again learns the order; who had none, or emptied it, does not', async (t) => {
  const empty = { status: 409, body: { code: 'cart_empty', orderId: undefined } };
  for (const buys of [() => shopperWith(box), () => createMember(box)]) {
    const shopper = await buys();
    t.match(await shopper.post('/checkout', buyer), empty, 'never filled');
    const add = () => shopper.post('/cart/items', { variantId: article.variantId, quantity: 1 });
    await add();
    await shopper.delete('/cart');
    t.match(await shopper.post('/checkout', buyer), empty, 'emptied');
    await add();
    const { body: order } = await shopper.post('/checkout', buyer);
    const ordered = {
      code: 'cart_empty',
      orderId: order.id,
      detail: `The cart has become the order ${order.number}. Add an item to the cart to order again.`,
    };
    t.match(await shopper.post('/checkout', buyer), { status: 409, body: ordered });
    t.match(await (await buys()).post('/checkout', buyer), empty, 'another shopper learns nothing');
    await add();
    await shopper.delete('/cart');
    t.match(await shopper.post('/checkout', buyer), empty, 'emptied since');
  }
});

t.test('of requests at once with one key, each that is answered has the order', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const shopper = await shopperWith(box, [article, 1]);
    const headers = { 'idempotency-key': `at-once-${round}` };
    const answers = await Promise.all(Array.from({ length: 4 }, () => shopper.post('/checkout', buyer, { headers })));
    t.equal(new Set(answers.map(({ body }) => body.id)).size, 1, JSON.stringify(answers.map(({ body }) => body.code)));
    t.ok(answers.every(({ status }) => status === 201));
  }
});

t.test('a stock of 20 and 60 buyers lead to 20 orders and 40 problems', async (t) => {
  const [scarce, other] = [await createArticle(box, 'scarce', 100, 20), await createArticle(box, 'other', 100, 1000)];
  const shoppers = await Promise.all(
    // Lines in both orders, which would deadlock if stock were not taken in a fixed order.
    Array.from({ length: 60 }, (_, index) =>
      shopperWith(
        box,
        ...((index % 2
          ? [
              [scarce, 1],
              [other, 1],
            ]
          : [
              [other, 1],
              [scarce, 1],
            ]) as [typeof scarce, number][]),
      ),
    ),
  );
  const answers = await Promise.all(shoppers.map((shopper) => shopper.post('/checkout', buyer)));
  t.equal(answers.filter(({ status }) => status === 201).length, 20);
  const refused = answers.filter(({ status, body }) => status === 409 && body.code === 'insufficient_stock');
  t.equal(refused.length, 40);
  t.ok(
    refused.every(({ body }) => /SCARCE/.test(body.detail)),
    'each names the SKU',
  );
  t.match((await box.staff.get(`/admin/stock-items/${scarce.stockItemId}`)).body, { onHand: 0 });
  t.match((await box.staff.get(`/admin/stock-items/${other.stockItemId}`)).body, { onHand: 980 });
  const ledger = await box.staff.get(`/admin/stock-items/${scarce.stockItemId}/movements?limit=100`);
  const sum = ledger.body.items.reduce((total: number, { quantity }: { quantity: number }) => total + quantity, 0);
  t.equal(sum, 0, 'the ledger matches the level');
  t.equal(ledger.body.items.length, 21);
  const numbers = await box.db.query<{ number: string }>('select number from orders where tenant_id = $1');
  t.equal(new Set(numbers.map(({ number }) => number)).size, numbers.length, 'no duplicate numbers');
  const values = numbers.map(({ number }) => Number(number)).sort((a, b) => a - b);
  t.equal((values.at(-1) as number) - (values[0] as number) + 1, values.length, 'and no gaps from failed checkouts');
});

t.test('of eight concurrent buyers of the last unit one gets it', async (t) => {
  const last = await createArticle(box, 'last', 700, 0);
  const other = await createArticle(box, 'beside', 100, 100_000);
  for (let round = 0; round < raceRounds; round++) {
    const received = { quantity: 1, reason: 'received' };
    t.equal((await box.staff.post(`/admin/stock-items/${last.stockItemId}/adjustments`, received)).status, 201);
    const shoppers = await Promise.all(Array.from({ length: 8 }, () => shopperWith(box, [last, 1], [other, 2])));
    const before = await snapshot(box);
    const answers = await Promise.all(shoppers.map((shopper) => shopper.post('/checkout', buyer)));
    const results = answers.map(({ status, body }) => (status === 201 ? body.totals.total.amount : body.code));
    t.strictSame(results.toSorted(), [900, ...Array(7).fill('insufficient_stock')].toSorted());
    t.match((await box.staff.get(`/admin/stock-items/${last.stockItemId}`)).body, { onHand: 0, reserved: 0 });
    const after = await snapshot(box);
    t.strictSame([after.orders - before.orders, after.movements - before.movements], [1, 2]);
  }
});

t.test('a repeated idempotency key returns the same response without a second effect', async (t) => {
  const shopper = await shopperWith(box, [article, 1]);
  const headers = { 'idempotency-key': 'one' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => shopper.post('/checkout', buyer, { headers })));
  t.strictSame(
    answers.map(({ status }) => status),
    [201, 201, 201, 201, 201],
  );
  t.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  t.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true').length, 4);
  const later = await shopper.post('/checkout', buyer, { headers });
  t.equal(later.status, 201, 'later too, although the cart is empty');
  t.equal(later.headers.get('location'), answers[0]?.headers.get('location'));
  const different = await shopper.post('/checkout', { ...buyer, notes: 'x' }, { headers });
  t.match(different, { status: 409, body: { code: 'idempotency_key_reused' } });
  const other = await shopperWith(box, [article, 1]);
  const placed = await other.post('/checkout', buyer, { headers });
  t.equal(placed.status, 201);
  t.not(placed.body.id, later.body.id, 'keys are scoped to the shopper');
  const tooLong = await other.post('/checkout', buyer, { headers: { 'idempotency-key': 'x'.repeat(256) } });
  t.match(tooLong, { status: 400, body: { errors: exactly([{ in: 'header', pointer: '/Idempotency-Key' }]) } });
  await box.db.query("update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = $1");
  t.match(
    await shopper.post('/checkout', buyer, { headers }),
    { status: 409, body: { code: 'cart_empty', orderId: later.body.id } },
    'after 24 hours it is a new request',
  );
});

t.test('an item added during a checkout is in the order or in a cart, never lost', async (t) => {
  const extra = await createArticle(box, 'extra', 100, 1000);
  for (let round = 0; round < raceRounds; round++) {
    const shopper = await shopperWith(box, [article, 1]);
    const [added, placed] = await Promise.all([
      shopper.post('/cart/items', { variantId: extra.variantId, quantity: 1 }),
      shopper.post('/checkout', buyer),
    ]);
    t.equal(placed.status, 201);
    t.equal(added.status, 201);
    const inOrder = placed.body.items.some(({ variantId }: { variantId: string }) => variantId === extra.variantId);
    const inCart = (await shopper.get('/cart')).body.items.length === 1;
    t.ok(inOrder !== inCart, `only in the ${inOrder ? 'order' : 'cart'}`);
  }
});
