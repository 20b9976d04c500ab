/**
 * The round trips of totals: the reads of all steps share one with the prices.
 */
import { shopperWith } from '@carton/cart/testing';
import { type Caller, countRoundTrips, createTestBox, extendBox } from '@carton/runtime/testing';
import t from 'tap';
import { cartTotals, findPricedCart, totalsOrder, totalsStep } from '../index.ts';
import { forSale, sessionOf } from './helpers.ts';

const box = await createTestBox(t);
const { database } = box.box;
const steps = ['shipping', 'promotion', 'tax'].map((name) =>
  cartTotals.with(
    totalsStep({
      name,
      order: totalsOrder.shipping,
      reads: (db, { cartId }) => db.query<{ amount: number }>(`select 100 as amount, $1::uuid, $2::uuid`, [cartId]),
      adjust: (_, [row]) => [{ code: name, label: name, kind: 'shipping', amount: row?.amount ?? 0 }],
    }),
  ),
);
const [shirt, ...others] = await Promise.all(Array.from({ length: 12 }, () => forSale(box)));
if (!shirt) throw new Error('twelve products');

t.test('a cart is read and priced in two round trips, whatever its lines and steps', async (t) => {
  const count = async (shopper: Caller) => {
    const db = database.forTenant(box.id);
    return countRoundTrips(database, () => findPricedCart(db, sessionOf(shopper)));
  };
  const [one, many] = [
    await shopperWith(box, [shirt, 1]),
    await shopperWith(box, ...others.map((each): [typeof each, number] => [each, 1])),
  ];
  for (const registered of [[], steps]) {
    extendBox(t, box, registered);
    t.equal(await count(one), 2);
    t.equal(await count(many), 2);
  }
  t.equal((await findPricedCart(database.forTenant(box.id), sessionOf(one)))?.totals.shipping, 300);
});

t.test('steps with reads add no round trip to any request of a cart', async (t) => {
  const countRequests = async () => {
    const shopper = await shopperWith(box, [shirt, 1]);
    const [{ id }] = (await shopper.get('/cart')).body.items;
    const address = { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' };
    const requests: [string, () => Promise<unknown>][] = [
      ['read', () => shopper.get('/cart')],
      ['add', () => shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 })],
      ['change', () => shopper.patch(`/cart/items/${id}`, { quantity: 3 })],
      ['address', () => shopper.put('/cart/shipping-address', address)],
      ['preview', () => shopper.get('/checkout')],
      ['checkout', () => shopper.post('/checkout', { customer: { email: 'ada@example.com' } })],
    ];
    const counts: [string, number][] = [];
    for (const [name, request] of requests) counts.push([name, await countRoundTrips(database, request)]);
    return counts;
  };
  /** The minimum of several attempts: the count includes concurrent event deliveries of the box. */
  const fewest = async () => {
    const attempts = [await countRequests(), await countRequests(), await countRequests(), await countRequests()];
    return (attempts[0] ?? []).map(
      ([name], at) => [name, Math.min(...attempts.map((each) => each[at]?.[1] ?? 0))] as const,
    );
  };
  const without = await fewest();
  extendBox(t, box, steps);
  t.strictSame(await fewest(), without);
  t.comment(Object.fromEntries(without));
});
