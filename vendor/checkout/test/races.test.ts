/**
 * Many at once: one cart becomes one order, stock is never sold twice, a repeated request is the same request.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, makeArticle, shopperWith, standing } from './tenant.ts';

const box = await createTestBox(t, { tier: 'basic' });
const article = await makeArticle(box, 'article', 500, 1000);

t.test('twenty requests for one cart make one order', async (t) => {
  for (let round = 0; round < 5; round++) {
    const shopper = await shopperWith(box, [article, 2]);
    const before = await standing(box);
    const answers = await Promise.all(Array.from({ length: 20 }, () => shopper.post('/checkout', buyer)));
    const placed = answers.filter(({ status }) => status === 201);
    const late = answers.filter(({ status }) => status === 409);
    t.equal(placed.length + late.length, 20, JSON.stringify(answers.map(({ status }) => status)));
    t.equal(new Set(placed.map(({ body }) => body.id)).size, 1, 'those that waited answer the same order');
    t.ok(
      late.every(({ body }) => body.code === 'cart_empty'),
      'those that came later find an empty cart',
    );
    const after = await standing(box);
    t.equal(after.orders, before.orders + 1);
    t.equal(after.movements, before.movements + 1);
    t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'cart_empty' } });
  }
});

t.test('stock of 20 and 60 buyers make 20 orders and 40 clear refusals', async (t) => {
  const [scarce, other] = [await makeArticle(box, 'scarce', 100, 20), await makeArticle(box, 'other', 100, 1000)];
  const shoppers = await Promise.all(
    // In both orders, so that two could wait for each other if stock were not taken in one.
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
    'each names what is missing',
  );
  t.match((await box.staff.get(`/admin/stock-items/${scarce.stockItemId}`)).body, { onHand: 0 });
  t.match((await box.staff.get(`/admin/stock-items/${other.stockItemId}`)).body, { onHand: 980 });
  const ledger = await box.staff.get(`/admin/stock-items/${scarce.stockItemId}/movements?limit=100`);
  const sum = ledger.body.items.reduce((total: number, { quantity }: { quantity: number }) => total + quantity, 0);
  t.equal(sum, 0, 'the ledger agrees');
  t.equal(ledger.body.items.length, 21);
  const numbers = await box.db.query<{ number: string }>('select number from orders where tenant_id = $1');
  t.equal(new Set(numbers.map(({ number }) => number)).size, numbers.length, 'no number twice');
  const values = numbers.map(({ number }) => Number(number)).sort((a, b) => a - b);
  t.equal((values.at(-1) as number) - (values[0] as number) + 1, values.length, 'and none left out by a refusal');
});

t.test('a repeated Idempotency-Key answers the same and works once', async (t) => {
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
  t.equal(later.status, 201, 'later too, though the cart is empty by now');
  t.equal(later.headers.get('location'), answers[0]?.headers.get('location'));
  const different = await shopper.post('/checkout', { ...buyer, notes: 'x' }, { headers });
  t.match(different, { status: 409, body: { code: 'idempotency_key_reused' } });
  const somebody = await shopperWith(box, [article, 1]);
  const theirs = await somebody.post('/checkout', buyer, { headers });
  t.equal(theirs.status, 201);
  t.not(theirs.body.id, later.body.id, "another shopper's key says nothing about this one's");
  const tooLong = await somebody.post('/checkout', buyer, { headers: { 'idempotency-key': 'x'.repeat(256) } });
  t.match(tooLong, { status: 400, body: { errors: exactly([{ in: 'header', pointer: '/Idempotency-Key' }]) } });
  await box.db.query("update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = $1");
  t.match(
    await shopper.post('/checkout', buyer, { headers }),
    { status: 409, body: { code: 'cart_empty' } },
    'after a day it is a new request',
  );
});

t.test('adding while checking out: what was added is in the order or in a cart, never lost', async (t) => {
  const extra = await makeArticle(box, 'extra', 100, 1000);
  for (let round = 0; round < 10; round++) {
    const shopper = await shopperWith(box, [article, 1]);
    const [added, placed] = await Promise.all([
      shopper.post('/cart/items', { variantId: extra.variantId, quantity: 1 }),
      shopper.post('/checkout', buyer),
    ]);
    t.equal(placed.status, 201);
    t.equal(added.status, 201);
    const inOrder = placed.body.items.some(({ variantId }: { variantId: string }) => variantId === extra.variantId);
    const inCart = (await shopper.get('/cart')).body.items.length === 1;
    t.ok(inOrder !== inCart, `in the ${inOrder ? 'order' : 'cart'} alone`);
  }
});
