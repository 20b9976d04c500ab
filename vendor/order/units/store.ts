/**
 * The units of the lines of orders: refunded, returned to stock, written off, and what stock the order holds.
 */
import type { TenantDatabase } from '@carton/runtime';
import { hasStatus, type OrderLineRow, type OrderState } from '../store.ts';

/** A line of an order, for what happens to its units. */
export interface OrderUnits extends Omit<OrderLineRow, 'productId' | 'unitAmount' | 'totalAmount'> {
  orderId: string;
  orderNumber: string;
  orderStatus: OrderState['status'];
  /** Units that were refunded, or are being refunded. */
  refundedQuantity: number;
  /** Those of them whose stock does not return, and that the order held when they were refunded. */
  writtenOffQuantity: number;
}

const selectUnits = `
  select lines.order_id, orders.number as order_number,
         case when ${hasStatus('pending').sql} then 'pending' else orders.status end as order_status,
         lines.id, lines.variant_id, lines.sku, lines.title, lines.variant_title, lines.properties, lines.quantity, lines.requires_shipping, lines.restocked_quantity,
         refunded.quantity as refunded_quantity, refunded.written_off as written_off_quantity
    from order_line_items lines
    join orders on orders.tenant_id = lines.tenant_id and orders.id = lines.order_id
   cross join lateral (
           select coalesce(sum(ledger.quantity), 0)::integer as quantity,
                  coalesce(sum(ledger.written_off_quantity), 0)::integer as written_off
             from order_refund_items ledger
            where ledger.tenant_id = $1 and ledger.order_id = lines.order_id
              and ledger.line_item_id = lines.id) as refunded
   where lines.tenant_id = $1`;

/** The lines of orders, in their order; none for an unknown id. */
export function findOrderUnits(db: TenantDatabase, orderIds: readonly string[]): Promise<OrderUnits[]> {
  return db.query<OrderUnits>(`${selectUnits} and lines.order_id = any($2::uuid[]) order by lines.position`, [
    orderIds,
  ]);
}

/**
 * Locks the lines of an order and returns them, in their order; none for an unknown id. Serializes changes of its parcels
 * and of the stock that it holds. Lock order: lines, stock, orders.
 */
export async function lockOrderLines(tx: TenantDatabase, orderId: string): Promise<OrderUnits[]> {
  await tx.query(
    'select id from order_line_items where tenant_id = $1 and order_id = $2 order by id for no key update',
    [orderId],
  );
  return findOrderUnits(tx, [orderId]);
}

/**
 * Records that the stock of units was returned or, with negative quantities, taken again. The lines must be locked; a
 * constraint keeps the recorded units between zero and those of the line.
 */
export async function addRestocked(
  tx: TenantDatabase,
  orderId: string,
  units: readonly { lineItemId: string; quantity: number }[],
): Promise<void> {
  await tx.query(
    `update order_line_items lines set restocked_quantity = lines.restocked_quantity + part.quantity
       from unnest($3::uuid[], $4::integer[]) as part (id, quantity)
      where lines.tenant_id = $1 and lines.order_id = $2 and lines.id = part.id`,
    [orderId, units.map(({ lineItemId }) => lineItemId), units.map(({ quantity }) => quantity)],
  );
}
