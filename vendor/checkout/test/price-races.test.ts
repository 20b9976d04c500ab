/**
 * Concurrency: a price that changes during a checkout is never charged unless the shopper has seen it.
 */
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });

t.test('a checkout during a change of the price has the expected total, or is refused', async (t) => {
  const article = await createArticle(box, 'article', 500, 100_000);
  const outcomes = { placed: 0, refused: 0 };
  for (let round = 0; round < raceRounds; round++) {
    const shopper = await shopperWith(box, [article, 2]);
    const { cart } = (await shopper.get('/checkout')).body;
    const expectedTotal = cart.totals.total;
    const amount = 501 + round;
    const change = { variantId: article.variantId, currency: 'EUR', amount, compareAt: 2 * amount };
    // In both orders, so that each may win.
    const requests = [
      () => box.staff.post('/admin/prices/bulk', { prices: [change] }),
      () => shopper.post('/checkout', { ...buyer, expectedTotal }),
    ];
    const answers = await Promise.all((round % 2 ? requests : requests.toReversed()).map((send) => send()));
    const [changed, ordered] = round % 2 ? answers : answers.toReversed();
    t.equal(changed?.status, 200);
    if (ordered?.status === 201) {
      outcomes.placed++;
      t.strictSame(ordered.body.totals.total, expectedTotal, 'the total that the shopper saw');
    } else {
      outcomes.refused++;
      t.match(ordered, { status: 409, body: { totals: { expected: expectedTotal, actual: { amount: 2 * amount } } } });
      const total = { amount: 2 * amount, currency: 'EUR' };
      t.equal((await shopper.post('/checkout', { ...buyer, expectedTotal: total })).status, 201, 'the new price');
    }
  }
  t.comment(JSON.stringify(outcomes));
});
