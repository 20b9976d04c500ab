/**
 * The check of what orders hold passes once the stock of refunded units has returned, and finds it missing or returned
 * twice.
 */
import { placeStocked } from '@carton/order/testing';
import { bodyOf, createTestBox, packagesOfTier, until } from '@carton/runtime/testing';
import t from 'tap';
import { withReader } from '../../support/postgres.ts';
import { checkRestocking } from '../restocking-records.ts';

const box = await createTestBox(t, { packages: packagesOfTier('basic') });
const check = () => withReader(box.databaseUrl, (read) => checkRestocking(read, box.id));

t.test('units that were refunded return once', async (t) => {
  const { order } = await placeStocked(box, 5, 3);
  const paid = { amount: order.totals.total, method: 'bank_transfer' };
  const { id } = await bodyOf(box.staff.post(`/admin/orders/${order.id}/payments`, paid));
  const items = [{ lineItemId: order.items[0]?.id, quantity: 1 }];
  await bodyOf(box.staff.post(`/admin/payments/${id}/refunds`, { items }));
  await until(check, ({ broken }) => broken.length === 0);
  t.strictSame(await check(), { broken: [], counts: { unitsRefunded: 1 } });
  for (const [restocked, held] of [
    [0, 3],
    [2, 1],
  ]) {
    const text = 'update order_line_items set restocked_quantity = $2 where tenant_id = $1 and order_id = $3';
    await box.db.query(text, [restocked, order.id]);
    t.strictSame((await check()).broken, [`a line of the order ${order.id} holds ${held} units, and needs 2`]);
  }
});
