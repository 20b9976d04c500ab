/**
 * Checks what a box has recorded of the stock of its orders: each line holds what it is to ship or has packed, and no more.
 * So the units of each succeeded refund have returned, once, also if the box was killed in between.
 */
import type { Reader } from '../support/postgres.ts';

const linesText = `
  select line.order_id as "orderId", line.quantity - line.restocked_quantity as held,
         greatest(packed.units, line.quantity - refunded.units) as needed, refunded.units as refunded
    from order_line_items line
    join orders on orders.tenant_id = $1 and orders.id = line.order_id and orders.status = 'placed'
   cross join lateral (
           select coalesce(sum(part.quantity), 0)::integer as units
             from order_refund_items part
             join refunds on refunds.tenant_id = $1 and refunds.id = part.refund_id and refunds.restock
             join payment_transactions step
               on step.tenant_id = $1 and step.payment_id = refunds.payment_id and step.id = refunds.id
              and step.status = 'succeeded'
            where part.tenant_id = $1 and part.order_id = line.order_id and part.line_item_id = line.id) refunded
   cross join lateral (
           select coalesce(sum(item.quantity), 0)::integer as units
             from fulfillment_items item
             join fulfillments parcel on parcel.tenant_id = $1 and parcel.id = item.fulfillment_id
              and parcel.status <> 'canceled'
            where item.tenant_id = $1 and item.order_id = line.order_id and item.line_item_id = line.id) packed
   where line.tenant_id = $1 and line.variant_id is not null`;

/** The faults, once no work is left, and how many units were refunded. */
export async function checkRestocking(
  read: Reader,
  tenantId: string,
): Promise<{ broken: string[]; counts: Record<string, number> }> {
  const lines = await read<{ orderId: string; held: number; needed: number; refunded: number }>(linesText, [tenantId]);
  return {
    broken: lines
      .filter(({ held, needed }) => held !== needed)
      .map(({ orderId, held, needed }) => `a line of the order ${orderId} holds ${held} units, and needs ${needed}`),
    counts: { unitsRefunded: lines.reduce((sum, { refunded }) => sum + refunded, 0) },
  };
}
