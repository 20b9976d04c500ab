/**
 * The ledger of refunds. Rows are only added.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import type { AmountWithTax } from '../charges/amounts.ts';

/** What a refund takes of a line or a shipping charge, in minor units. */
export interface RefundPart extends AmountWithTax {
  lineItemId: string | null;
  shippingCode: string | null;
  /** Units; zero for a part of the price. */
  quantity: number;
}

/** Adds rows to the ledger. The order must be locked. @param refundId of the refund that they belong to */
export async function insertParts(
  tx: TenantDatabase,
  orderId: string,
  refundId: string,
  parts: readonly (RefundPart & { writtenOffQuantity?: number })[],
): Promise<void> {
  if (parts.length === 0) return;
  await tx.insertMany(
    'order_refund_items',
    parts.map((part) => ({ orderId, id: newId(), refundId, writtenOffQuantity: 0, ...part })),
  );
}

/** A row of the ledger. */
export interface RecordedPart extends RefundPart {
  orderId: string;
  refundId: string;
  /** Units whose stock the order wrote off. */
  writtenOffQuantity: number;
}

const selectParts = `
  select order_id, refund_id, line_item_id, shipping_code, quantity, amount, tax, written_off_quantity
    from order_refund_items where tenant_id = $1`;

/** The rows of an order, the oldest first, also those that reverse failed refunds. */
export function partsOfOrder(db: TenantDatabase, orderId: string): Promise<RecordedPart[]> {
  return db.query<RecordedPart>(`${selectParts} and order_id = $2 order by id`, [orderId]);
}

/** The parts of refunds, each with the id of its refund; also those of failed refunds. */
export function partsOfRefunds(db: TenantDatabase, refundIds: readonly string[]): Promise<RecordedPart[]> {
  return db.query<RecordedPart>(
    `${selectParts} and refund_id = any($2::uuid[]) and (quantity > 0 or amount > 0) order by id`,
    [refundIds],
  );
}
