/**
 * Concurrency: an order is taxed at the rates of one moment, and at the total that the shopper has seen.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, createArticle, createRate } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;
const articles = [await createArticle(box, 1999), await createArticle(box, 999)];
const customer = { email: 'ada@example.com', address: addressIn('SE') };
const rates = [25, 12];
/** 25 %: 500 and 250; 12 %: 240 and 120 */
const totals = new Map([
  [25, 1999 + 999 + 500 + 250],
  [12, 1999 + 999 + 240 + 120],
]);

interface Ordered {
  taxLines: { rate: number; amount: { amount: number } }[];
  totals: { total: { amount: number } };
}

/** The rates of an order's taxes, and its total. */
const outcomeOf = ({ taxLines, totals }: Ordered) => [taxLines.map(({ rate }) => rate), totals.total.amount];

t.test('an order during a change of its rate has one of both rates on all lines', async (t) => {
  const id = await createRate(box, { country: 'SE', rate: rates[0] });
  for (let round = 0; round < raceRounds; round++) {
    const [before, after] = [rates[round % 2] as number, rates[(round + 1) % 2] as number];
    const shoppers = await Promise.all(
      Array.from({ length: 4 }, () => shopperWith(box, ...articles.map((each): [string, number] => [each, 1]))),
    );
    const change = staff.patch(`/admin/tax-rates/${id}`, { rate: after });
    const expectedTotal = { amount: totals.get(before), currency: 'EUR' };
    const answers = await Promise.all(
      shoppers.map((shopper, at) =>
        shopper.post('/checkout', at % 2 === 0 ? { customer } : { customer, expectedTotal }),
      ),
    );
    t.equal((await change).status, 200);
    for (const [at, { status, body }] of answers.entries()) {
      if (status === 201) {
        const [rate] = outcomeOf(body)[0] as number[];
        t.ok(rate === before || (rate === after && at % 2 === 0), `the total that was expected, at ${rate} %`);
        t.strictSame(outcomeOf(body), [[rate, rate], totals.get(rate as number)]);
        t.strictSame(outcomeOf(await bodyOf(staff.get(`/admin/orders/${body.id}`))), outcomeOf(body));
      } else {
        t.equal(at % 2, 1, 'only a shopper who expects a total is refused');
        t.match(
          { status, body },
          { status: 409, body: { code: 'total_changed', totals: { actual: { amount: totals.get(after) } } } },
        );
      }
    }
  }
});
