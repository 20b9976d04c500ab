/**
 * Steps that packages contribute travel with what is read and written anyway.
 */
import { orderPlacing, type PlacingStep, placingOrder } from '@carton/checkout';
import type { ExtensionPoint } from '@carton/runtime';
import { countRoundTrips, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, makeArticle, shopperWith } from './tenant.ts';

const box = await createTestBox(t, { tier: 'basic' });
const mug = await makeArticle(box, 'mug', 1250, 1000);
const { database } = box.box;
const mounted = database.extensions;

/** The round trips of an order with these steps. */
async function ordering(steps: readonly PlacingStep[]): Promise<number> {
  database.extensions = new Map([...mounted, [orderPlacing as ExtensionPoint<unknown>, steps]]);
  // Once before, for the statements to be prepared and the session to be known.
  await (await shopperWith(box, [mug, 1])).post('/checkout', buyer);
  const shopper = await shopperWith(box, [mug, 1]);
  return countRoundTrips(database, async () => t.equal((await shopper.post('/checkout', buyer)).status, 201));
}

const one = 'select 1 as one where $1::uuid is not null';
const names = ['a', 'b', 'c'];

t.test('three packages that claim and write cost no round trip, and those that read cost one together', async (t) => {
  const alone = await ordering([]);
  t.comment(`${alone} round trips`);
  const writing = names.map((name) => ({
    name,
    order: placingOrder.claim,
    claim: (tx: typeof box.db) => tx.query(one),
    write: (tx: typeof box.db) => tx.query(one),
  }));
  t.equal(await ordering(writing), alone);
  const reading = names.map((name) => ({
    name,
    order: placingOrder.claim,
    require: async (tx: typeof box.db) => (await tx.query(one)).slice(1) as never[],
  }));
  t.equal(await ordering(reading), alone + 1);
});
