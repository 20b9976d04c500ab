/**
 * Replacing rows of shipping charges and of their taxes. The order must be locked.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import { type OrderAdjustmentRow, type OrderRow, type OrderState, type OrderTaxLineRow, stateOfRow } from '../store.ts';

/** A shipping charge to add, with its taxes and discounts. */
export interface NewCharge extends Pick<OrderAdjustmentRow, 'code' | 'label' | 'amount' | 'source'> {
  taxes: readonly NewTax[];
  discounts?: readonly NewDiscount[];
}

/** A discount on a charge; its amount is zero or below. */
export type NewDiscount = Pick<OrderAdjustmentRow, 'code' | 'label' | 'amount' | 'source'>;

/** A tax on a charge; with `included`, the amount of the charge contains it. */
export type NewTax = Pick<OrderTaxLineRow, 'code' | 'label' | 'rate' | 'amount' | 'included' | 'source'>;

/** The codes among these of shipping charges of which something is refunded. */
export async function refundedAmong(tx: TenantDatabase, orderId: string, codes: readonly string[]): Promise<string[]> {
  const refunded = await tx.query<{ shippingCode: string }>(
    `select shipping_code from order_refund_items
      where tenant_id = $1 and order_id = $2 and shipping_code = any($3::text[])
      group by shipping_code having sum(amount) <> 0 or sum(quantity) <> 0`,
    [orderId, codes],
  );
  return refunded.map(({ shippingCode }) => shippingCode);
}

/** Deletes shipping charges and the discounts on them. */
export function deleteAdjustments(
  tx: TenantDatabase,
  orderId: string,
  codes: readonly string[],
): Promise<Pick<OrderAdjustmentRow, 'kind' | 'amount'>[]> {
  return tx.query(
    `delete from order_adjustments where tenant_id = $1 and order_id = $2 and line_item_id is null
        and (shipping_code = any($3::text[]) or (kind = 'shipping' and code = any($3::text[])))
     returning kind, amount`,
    [orderId, codes],
  );
}

/** Deletes the taxes on shipping charges. */
export function deleteTaxLines(
  tx: TenantDatabase,
  orderId: string,
  codes: readonly string[],
): Promise<Pick<OrderTaxLineRow, 'amount' | 'included'>[]> {
  return tx.query(
    `delete from order_tax_lines where tenant_id = $1 and order_id = $2 and line_item_id is null
        and shipping_code = any($3::text[])
     returning amount, included`,
    [orderId, codes],
  );
}

export async function insertCharges(tx: TenantDatabase, orderId: string, charges: readonly NewCharge[]): Promise<void> {
  const sourceOf = ({ source }: NewDiscount | NewTax) => ({
    sourceType: source?.type ?? null,
    sourceId: source?.id ?? null,
  });
  for (const { taxes, discounts = [], ...charge } of charges) {
    const { code } = charge;
    const own = { orderId, lineItemId: null };
    const insert = (row: NewDiscount, kind: OrderAdjustmentRow['kind'], shippingCode: string | null) => {
      const { source: _, ...values } = row;
      return tx.insert('order_adjustments', { ...own, id: newId(), kind, shippingCode, ...values, ...sourceOf(row) });
    };
    await insert(charge, 'shipping', null);
    for (const discount of discounts) await insert(discount, 'discount', code);
    for (const tax of taxes) {
      const { source: _, ...values } = tax;
      await tx.insert('order_tax_lines', { ...own, id: newId(), shippingCode: code, ...values, ...sourceOf(tax) });
    }
  }
}

/** Replaces what the total of an order was rounded by, in minor units. */
export async function setRounding(tx: TenantDatabase, id: string, rounding: number): Promise<OrderState> {
  const [changed] = await tx.query<OrderRow>(
    `update orders set rounding_amount = $3, total_amount = total_amount - rounding_amount + $3, updated_at = now()
      where tenant_id = $1 and id = $2 returning *`,
    [id, rounding],
  );
  return stateOfRow(changed as OrderRow);
}

/** Adds to the totals of an order, in minor units. */
export async function addToTotals(
  tx: TenantDatabase,
  id: string,
  { shipping, discount, tax, total }: { shipping: number; discount: number; tax: number; total: number },
): Promise<OrderState> {
  const [changed] = await tx.query<OrderRow>(
    `update orders set shipping_amount = shipping_amount + $3, discount_amount = discount_amount + $4,
                       tax_amount = tax_amount + $5, total_amount = total_amount + $6, updated_at = now()
      where tenant_id = $1 and id = $2 returning *`,
    [id, shipping, discount, tax, total],
  );
  return stateOfRow(changed as OrderRow);
}
