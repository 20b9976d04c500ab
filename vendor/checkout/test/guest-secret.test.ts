/**
 * The first guests of a store at once: one of them creates its secret, and both are recorded.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { countWithOrder, findGuestOrder, insertGuestOrder } from '../guests/store.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { variantId } = await createForSale(box, 1000);
const place = async () => {
  const shopper = await shopperWith(box, [variantId, 1]);
  return (await bodyOf(shopper.post('/checkout', { customer: { email: 'ada@example.com' } }))).id as string;
};

t.test('a guest who waits for the first one is recorded and counted, too', async (t) => {
  const [first, second] = [await place(), await place()];
  for (const table of ['guest_orders', 'guest_units', 'guest_secrets']) {
    await box.owner.query(`delete from ${table} where tenant_id = $1`, [box.id]);
  }
  const question = {
    keys: [['email', 'ada@example.com']] as const,
    lines: [{ variantId, quantity: 3 }],
    ...{ cartId: first, tenders: [], least: 0 },
  };
  let waiting: Promise<unknown> = Promise.resolve();
  await box.db.transaction(async (tx) => {
    await insertGuestOrder(tx, first, null);
    waiting = box.db.transaction(async (other) => {
      t.match(await countWithOrder(other, question, second), { wanted: 3 });
      await insertGuestOrder(other, second, null);
    });
    await untilWaiting(box, 1);
  });
  await waiting;
  for (const id of [first, second]) t.ok(await findGuestOrder(box.db, id));
  const [units] = await box.db.query('select units from guest_units where tenant_id = $1 and order_id = $2', [second]);
  t.match(units, { units: 3 });
});
