/**
 * Statements of contributed steps share the round trips of placing an order.
 */
import { shopperWith } from '@carton/cart/testing';
import { AllSent, orderPlacing, type PlacingStep, placingOrder } from '@carton/checkout';
import { countRoundTrips, createTestBox, extendBox } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { buyer, createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const mug = await createArticle(box, 'mug', 1250, 1000);
const { database } = box.box;

/** Counts the round trips of placing an order with these steps: the fewest of three, as the box's jobs may add some. */
async function countWith(t: Test, steps: readonly PlacingStep[]): Promise<number> {
  const contributions = steps.map((step) => orderPlacing.with(step));
  extendBox(t, box, contributions, { without: [orderPlacing] });
  // A first order prepares the statements.
  await (await shopperWith(box, [mug, 1])).post('/checkout', buyer);
  const counts: number[] = [];
  for (let times = 0; times < 3; times++) {
    const shopper = await shopperWith(box, [mug, 1]);
    const place = async () => t.equal((await shopper.post('/checkout', buyer)).status, 201);
    counts.push(await countRoundTrips(database, place));
  }
  return Math.min(...counts);
}

const one = 'select 1 as one where $1::uuid is not null';
const names = ['a', 'b', 'c'];

t.test('steps that claim and write add no round trip, steps that read or wait add one in total', async (t) => {
  const alone = await countWith(t, []);
  t.comment(`${alone} round trips`);
  const writing = names.map((name) => ({
    name,
    order: placingOrder.claim,
    claim: (tx: typeof box.db) => tx.query(one),
    write: (tx: typeof box.db) => new AllSent(tx.query(one)),
  }));
  t.equal(await countWith(t, writing), alone);
  const waiting = writing.map((step) => ({ ...step, write: (tx: typeof box.db) => tx.query(one) }));
  t.equal(await countWith(t, waiting), alone + 1, 'the commit waits for them');
  const reading = names.map((name) => ({
    name,
    order: placingOrder.claim,
    require: async (tx: typeof box.db) => (await tx.query(one)).slice(1) as never[],
  }));
  t.equal(await countWith(t, reading), alone + 1);
});
