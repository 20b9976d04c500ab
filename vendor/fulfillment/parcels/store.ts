/**
 * Queries of the tables of parcels.
 */
import { findOrderUnits } from '@carton/order';
import { rows, type TenantDatabase } from '@carton/runtime';
import type { Tracking } from '../tracking/schemas.ts';
import type { Fulfillment } from './schemas.ts';
import type { FulfillmentStatus } from './states.ts';

export interface FulfillmentRow {
  id: string;
  orderId: string;
  /** Counts the parcels of the order. */
  number: number;
  status: FulfillmentStatus;
  shippingOptionId: string | null;
  shippingProfile: string | null;
  shippingName: string | null;
  shippingType: string | null;
  tracking: Tracking[];
  /** Whether the cancellation returned the items to stock. */
  restocked: boolean;
  externalId: string | null;
  metadata: Record<string, unknown>;
  shippedAt: string | null;
  deliveredAt: string | null;
  canceledAt: string | null;
  createdAt: string;
  updatedAt: string;
  units: { lineItemId: string; quantity: number }[];
}

export const fulfillments = rows<FulfillmentRow>({
  table: 'fulfillments',
  noun: 'fulfillment',
  json: ['tracking', 'metadata'],
  computed: {
    units: `
      select coalesce(json_agg(json_build_object('lineItemId', line_item_id, 'quantity', quantity)
                               order by line_item_id), '[]')
        from fulfillment_items items
       where items.tenant_id = fulfillments.tenant_id and items.fulfillment_id = fulfillments.id`,
  },
});

/** Parcels as staff see them, with the titles of their items: one more statement. */
export async function withItems(db: TenantDatabase, found: readonly FulfillmentRow[]): Promise<Fulfillment[]> {
  if (found.length === 0) return [];
  const lines = await findOrderUnits(db, [...new Set(found.map(({ orderId }) => orderId))]);
  return found.map(({ units, shippingOptionId, shippingProfile, shippingName, shippingType, ...row }) => {
    const ofOrder = lines.filter(({ orderId }) => orderId === row.orderId);
    return {
      ...row,
      orderNumber: ofOrder[0]?.orderNumber ?? '',
      shippingMethod: shippingOptionId && {
        ...{ optionId: shippingOptionId, profile: shippingProfile },
        ...{ name: shippingName ?? '', type: shippingType ?? '' },
      },
      // In the order of the lines of the order.
      items: ofOrder.flatMap(({ id: lineItemId, title, variantTitle, sku }) => {
        const unit = units.find((each) => each.lineItemId === lineItemId);
        return unit ? [{ lineItemId, title, variantTitle, sku, quantity: unit.quantity }] : [];
      }),
    } as Fulfillment;
  });
}

/** The number of the next parcel of an order, whose lines must be locked. */
export async function nextNumber(tx: TenantDatabase, orderId: string): Promise<number> {
  const [found] = await tx.query<{ next: number }>(
    'select coalesce(max(number), 0) + 1 as next from fulfillments where tenant_id = $1 and order_id = $2',
    [orderId],
  );
  return (found as { next: number }).next;
}

/** Inserts the units of a new parcel. */
export async function insertItems(
  tx: TenantDatabase,
  { id: fulfillmentId, orderId }: Pick<FulfillmentRow, 'id' | 'orderId'>,
  units: FulfillmentRow['units'],
): Promise<void> {
  await tx.insertMany(
    'fulfillment_items',
    units.map((unit) => ({ fulfillmentId, orderId, ...unit })),
  );
}

/** Ids of the parcels of orders. */
export async function fulfillmentsOfOrders(db: TenantDatabase, orderIds: readonly string[]): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    'select id from fulfillments where tenant_id = $1 and order_id = any($2::uuid[])',
    [orderIds],
  );
  return found.map(({ id }) => id);
}

/** Erases where parcels went, and what integrations have stored with them. */
export async function eraseFulfillments(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update fulfillments set tracking = '[]', metadata = '{}', updated_at = now()
      where tenant_id = $1 and id = any($2::uuid[])`,
    [ids],
  );
}
