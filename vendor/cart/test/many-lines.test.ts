/**
 * A sale with many lines lets other requests run between the parts of its pricing; one with few lines does not. Time says
 * nothing on a busy machine, so the tests count turns of the event loop.
 */
import { cartTotals, priceSale, runTotals, type Sale, type TotalsDraft, totalsOrder, totalsStep } from '@carton/cart';
import { percentOf, Type } from '@carton/runtime';
import { extendBox } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { type PricedCart, priceCart } from '../pricing/cart.ts';
import { presentQuoted } from '../service.ts';
import { findCart, type StoredCart } from '../store.ts';
import { forSale, openBox } from './helpers.ts';

const box = await openBox(t);
const { variantId } = await forSale(box, { price: 999, stock: 1000 });

/** The most lines that are few. */
const few = 100;

function saleOf(count: number): Sale {
  const lines = Array.from({ length: count }, (_, at) => ({
    id: `line ${at}`,
    variantId,
    quantity: 1,
    properties: {},
  }));
  return {
    ...{ cartId: null, choices: {}, currency: 'EUR', regionId: null, memberId: null, channelId: null, locale: null },
    ...{ email: null, shippingAddress: null, billingAddress: null, time: new Date(), lines },
  };
}

/** Counts the turns of the event loop until the end of the test. */
function countTurns(t: Test): () => number {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  t.teardown(() => {
    isOver = true;
  });
  return () => turns;
}

const ofLine = { discount: { code: 'TEN', label: '10 %' }, tax: { code: 'vat', label: 'VAT' } } as const;

/** A discount and then a tax on each line, and what carts show of them. */
function stepsSeenBy(see: (moment: string, draft: TotalsDraft) => void) {
  const discount = totalsStep({
    name: 'discount',
    order: totalsOrder.discount,
    adjust(draft) {
      see('discount', draft);
      const off = (total: number) => -percentOf(total, 10);
      return draft.lines.map(({ id, total }) => ({
        ...{ ...ofLine.discount, kind: 'discount' as const, lineId: id, amount: off(total) },
      }));
    },
  });
  const tax = totalsStep({
    name: 'tax',
    order: totalsOrder.tax,
    adjust(draft) {
      see('tax', draft);
      return draft.lines.map(({ id, discountedTotal }) => ({
        ...{ ...ofLine.tax, kind: 'tax' as const, lineId: id, rate: 20, amount: percentOf(discountedTotal, 20) },
      }));
    },
    shows: {
      schema: Type.Null(),
      of(draft) {
        see('shown', draft);
        return null;
      },
      empty: null,
    },
  });
  return [tax, discount];
}

/** Prices a sale; returns the turns that have passed at each moment since the first. */
async function turnsOf(t: Test, count: number) {
  const turns = countTurns(t);
  const at = new Map<string, number>();
  const drafts = new Map<string, TotalsDraft>();
  const steps = stepsSeenBy((moment, draft) => {
    at.set(moment, turns());
    drafts.set(moment, draft);
  });
  extendBox(
    t,
    box,
    steps.map((step) => cartTotals.with(step)),
  );
  const sale = saleOf(count);
  const priced = await priceSale(box.box.database.forTenant(box.id), sale);
  const since = (moment: string) => (at.get(moment) as number) - (at.get('discount') as number);
  return {
    ...{ sale, priced, drafts, turns },
    since: { tax: since('tax'), shown: since('shown'), end: turns() - (at.get('discount') as number) },
  };
}

t.test('many lines let others run between steps, and before the sale is presented', async (t) => {
  const { since } = await turnsOf(t, few + 1);
  t.ok(since.tax >= 2, 'once the discounts are computed, and once they are added');
  t.ok(since.shown > since.tax);
  t.ok(since.end > since.shown);
});

t.test('few lines do not wait for others', async (t) => {
  const { since } = await turnsOf(t, few);
  t.strictSame([since.tax, since.shown], [0, 0]);
});

t.test('the totals of many lines are those of the steps in their order', async (t) => {
  const { sale, priced, drafts } = await turnsOf(t, few + 1);
  const lines = drafts.get('discount')?.lines ?? [];
  const steps = stepsSeenBy(() => {}).toReversed();
  const ready = steps.map((step) => ({
    name: step.name,
    adjust: (draft: TotalsDraft) => step.adjust(draft, undefined, { holds: () => false }),
  }));
  const { totals, adjustments } = runTotals({ sale, region: null }, lines, ready);
  t.strictSame({ totals: priced.totals, adjustments: [...priced.adjustments] }, { totals, adjustments });
  // Of 9.99, a tenth is 1.00, and 20 % of the rest 1.80.
  t.match(totals, { subtotal: 999 * 101, discount: -100 * 101, tax: 180 * 101, total: 1079 * 101 });
});

t.test('others run before the cart in a response is serialized, if it has many lines', async (t) => {
  const turns = countTurns(t);
  const turnsWhilePresented = async (count: number) => {
    const shopper = box.shopper();
    const items = Array.from({ length: count }, (_, at) => ({ variantId, quantity: 1, properties: { number: at } }));
    const { body } = await shopper.put('/cart/items', { items });
    const cart = (await findCart(box.db, body.id)) as StoredCart;
    const priced: PricedCart<StoredCart> = await priceCart(box.db, cart);
    const before = turns();
    const { items: presented } = await presentQuoted(box.db, priced, null);
    t.equal(presented.length, count);
    return turns() - before;
  };
  t.ok((await turnsWhilePresented(few + 1)) > 0);
  t.equal(await turnsWhilePresented(few), 0);
});
