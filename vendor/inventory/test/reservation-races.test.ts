/**
 * Concurrent use of reservations: stock is sold once, and levels match their movements and reservations.
 */

import { newId } from '@carton/runtime';
import t from 'tap';
import { defaultLocation, releaseStock, reserveStock, returnStock, type StockReference, takeStock } from '../index.ts';
import { releaseExpiredReservations } from '../reservations/service.ts';
import { codeOf, createStockedVariant, levelOf, openBox } from './helpers.ts';

const box = await openBox(t);
const reference = (type: string) => ({ type, id: newId() });
const past = new Date(Date.now() - 1000);

const take = (variantId: string, quantity: number, reserved?: StockReference) =>
  box.db.transaction((tx) => takeStock(tx, [{ variantId, quantity }], reference('order'), { reserved }));
const reserve = (variantId: string, quantity: number, owner: StockReference, until: Date | null = null) =>
  box.db.transaction((tx) => reserveStock(tx, [{ variantId, quantity }], owner, { until }));
const outcome = (work: Promise<unknown>) => work.then(() => 'done', codeOf);

/** Levels that do not match their movements and reservations. */
const findInconsistentLevels = () =>
  box.db.query(
    `select stock_item_id, on_hand, reserved, moved, reserved_sum from (
       select levels.stock_item_id, levels.on_hand, levels.reserved,
              (select coalesce(sum(quantity), 0)::integer from stock_movements movements
                where movements.tenant_id = $1 and movements.stock_item_id = levels.stock_item_id
                  and movements.location_id = levels.location_id) as moved,
              (select coalesce(sum(quantity), 0)::integer from stock_reservations reservations
                where reservations.tenant_id = $1 and reservations.stock_item_id = levels.stock_item_id
                  and reservations.location_id = levels.location_id) as reserved_sum
         from stock_levels levels where levels.tenant_id = $1) books
      where on_hand <> moved or reserved <> reserved_sum or reserved > on_hand`,
  );

t.test('of 60 concurrent buyers of 20 units, half of whom reserve first, 20 succeed', async (t) => {
  const { variantId, itemId } = await createStockedVariant(box, 20);
  const buy = async (index: number) => {
    if (index % 2) return take(variantId, 1);
    const cart = reference('cart');
    await reserve(variantId, 1, cart);
    return take(variantId, 1, cart);
  };
  const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => outcome(buy(index))));
  t.equal(outcomes.filter((one) => one === 'done').length, 20);
  t.strictSame(new Set(outcomes), new Set(['done', 'insufficient_stock']));
  t.match(await levelOf(box, itemId), { onHand: 0, reserved: 0, ledger: 0 });
  t.strictSame(await findInconsistentLevels(), []);
});

t.test(
  'with concurrent releases, sales, extensions and other buyers, each unit is sold or reserved once',
  async (t) => {
    const { variantId, itemId } = await createStockedVariant(box, 12);
    const carts = Array.from({ length: 12 }, () => reference('cart'));
    for (const cart of carts) await reserve(variantId, 1, cart, past);
    const work = carts.flatMap((cart, index) => [
      outcome(index % 3 ? take(variantId, 1, cart) : reserve(variantId, 1, cart, new Date(Date.now() + 60_000))),
      outcome(releaseExpiredReservations(box.db)),
      outcome(take(variantId, 1)),
    ]);
    const outcomes = await Promise.all(work);
    t.strictSame(new Set([...outcomes, 'insufficient_stock']), new Set(['done', 'insufficient_stock']));
    t.strictSame(await findInconsistentLevels(), []);
    const level = await levelOf(box, itemId);
    t.equal(level?.onHand, level?.ledger);
    for (const cart of carts) await box.db.transaction((tx) => releaseStock(tx, cart));
    t.match(await levelOf(box, itemId), { onHand: level?.onHand, reserved: 0 });
  },
);

t.test('a reservation used concurrently is consumed once', async (t) => {
  const { variantId, itemId } = await createStockedVariant(box, 4);
  const cart = reference('cart');
  await reserve(variantId, 3, cart);
  const uses = Array.from({ length: 6 }, () => outcome(take(variantId, 3, cart)));
  const outcomes = await Promise.all([...uses, box.db.transaction((tx) => releaseStock(tx, cart))]);
  t.equal(outcomes.filter((one) => one === 'done').length, 1);
  t.match(await levelOf(box, itemId), { onHand: 1, reserved: 0, ledger: 1 });
  t.strictSame(await findInconsistentLevels(), []);
});

t.test('concurrent reservations of one reference leave the quantity of the last', async (t) => {
  const { variantId, itemId } = await createStockedVariant(box, 5);
  const cart = reference('cart');
  const quantities = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5];
  const outcomes = await Promise.all(quantities.map((quantity) => outcome(reserve(variantId, quantity, cart))));
  t.strictSame(new Set(outcomes), new Set(['done']), 'each counts the previous reservation as its own');
  t.strictSame(await findInconsistentLevels(), []);
  const { body } = await box.staff.get(`/admin/stock-reservations?referenceId=${cart.id}`);
  t.equal(body.items.length, 1);
  t.equal((await levelOf(box, itemId))?.reserved, body.items[0].quantity);
});

t.test('a sale waits for a concurrent reservation of its reference', async (t) => {
  const { variantId, itemId } = await createStockedVariant(box, 1);
  const cart = reference('cart');
  let sale: Promise<string> | undefined;
  await box.db.transaction(async (tx) => {
    await reserveStock(tx, [{ variantId, quantity: 1 }], cart);
    sale = outcome(take(variantId, 1, cart));
    await tx.query('select pg_sleep(0.2) where $1::uuid is not null');
  });
  t.equal(await sale, 'done');
  t.match(await levelOf(box, itemId), { onHand: 0, reserved: 0 });
});

t.test('after random concurrent operations, levels match their movements and reservations', async (t) => {
  const variants = [
    await createStockedVariant(box, 20),
    await createStockedVariant(box, 20),
    await createStockedVariant(box, 20),
  ];
  const carts = Array.from({ length: 5 }, () => reference('cart'));
  let seed = Number(process.env.STOCK_SEED ?? Date.now() % 2 ** 31);
  t.comment(`STOCK_SEED=${seed}`);
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >>> 8) % below;
  };
  const lines = () =>
    Array.from({ length: 1 + random(3) }, () => ({
      variantId: variants[random(variants.length)]?.variantId as string,
      quantity: 1 + random(4),
    }));
  const step = () => {
    const cart = carts[random(carts.length)] as StockReference;
    const until = random(2) ? past : null;
    const chosen = lines();
    const kind = random(6);
    return box.db.transaction(async (tx) => {
      if (kind === 0) return takeStock(tx, chosen, reference('order'));
      if (kind === 1) return takeStock(tx, chosen, reference('order'), { reserved: cart });
      if (kind === 2) return releaseStock(tx, cart);
      if (kind === 3) {
        const arriving = chosen.map((line) => ({ ...line, locationId: defaultLocation }));
        return returnStock(tx, arriving, reference('return'));
      }
      return reserveStock(tx, chosen, cart, { until });
    });
  };
  for (let round = 0; round < 30; round += 1) {
    const work = Array.from({ length: 6 }, () => outcome(step()));
    if (round % 5 === 4) work.push(outcome(releaseExpiredReservations(box.db)));
    const outcomes = await Promise.all(work);
    t.strictSame(new Set([...outcomes, 'done', 'insufficient_stock']), new Set(['done', 'insufficient_stock']));
    t.strictSame(await findInconsistentLevels(), [], `round ${round}`);
  }
});
