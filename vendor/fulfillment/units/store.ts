/**
 * Queries of the units in parcels.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { LineUnits } from './service.ts';

/** What has become of the units of the lines of an order. */
export async function countUnits(
  db: TenantDatabase,
  orderId: string,
  lines: readonly Omit<LineUnits, 'packed' | 'shipped'>[],
): Promise<LineUnits[]> {
  const counts = await db.query<{ lineItemId: string; packed: number; shipped: number }>(
    `select items.line_item_id, sum(items.quantity)::integer as packed,
            coalesce(sum(items.quantity) filter (where parcels.status <> 'pending'), 0)::integer as shipped
       from fulfillment_items items
       join fulfillments parcels on parcels.tenant_id = items.tenant_id and parcels.id = items.fulfillment_id
      where items.tenant_id = $1 and items.order_id = $2 and parcels.status <> 'canceled'
      group by items.line_item_id`,
    [orderId],
  );
  return lines.map((line) => {
    const { packed = 0, shipped = 0 } = counts.find(({ lineItemId }) => lineItemId === line.id) ?? {};
    return { ...line, packed, shipped };
  });
}
