/**
 * Replacing shipping charges of an order, with what follows from it: totals, taxes, timeline and events. The order must be
 * locked. What was refunded of a charge refers to it by code, so a charge with refunds is not replaced.
 */
import { newId, publish, type TenantDatabase } from '@carton/runtime';
import { orderChargesChanged, orderUpdated, payloadOf } from '../events.ts';
import {
  insertOrderEvent,
  type OrderAdjustmentRow,
  type OrderRow,
  type OrderState,
  type OrderTaxLineRow,
  stateOfRow,
} from '../store.ts';

/** A shipping charge to add, with its taxes. */
export interface NewCharge extends Pick<OrderAdjustmentRow, 'code' | 'label' | 'amount' | 'source'> {
  taxes: readonly NewTax[];
}

/** A tax on a charge; with `included`, the amount of the charge contains it. */
export type NewTax = Pick<OrderTaxLineRow, 'code' | 'label' | 'rate' | 'amount' | 'included' | 'source'>;

/** What to replace. */
export interface ChargeReplacement {
  /** Codes of shipping charges. */
  remove: readonly string[];
  /** With codes that the order does not have, or that are removed. */
  add: readonly NewCharge[];
  /** Lines for the timeline. */
  messages: readonly string[];
}

const removeRows = (table: string, kind: string) => `
  delete from ${table} where tenant_id = $1 and order_id = $2 and line_item_id is null
     and (shipping_code = any($3::text[])${kind})
  returning`;

/**
 * Replaces charges, and publishes `order.updated` and `order.charges_changed`.
 * @param order as it was locked; its total is changed
 * @throws Error for a charge of which something was refunded
 */
export async function replaceCharges(
  tx: TenantDatabase,
  order: OrderState,
  { remove, add, messages }: ChargeReplacement,
): Promise<void> {
  const { id } = order;
  await requireUnrefunded(tx, id, remove);
  const adjustments = await tx.query<Pick<OrderAdjustmentRow, 'kind' | 'amount'>>(
    `${removeRows('order_adjustments', " or (kind = 'shipping' and code = any($3::text[]))")} kind, amount`,
    [id, remove],
  );
  const taxes = await tx.query<Pick<OrderTaxLineRow, 'amount' | 'included'>>(
    `${removeRows('order_tax_lines', '')} amount, included`,
    [id, remove],
  );
  await insertCharges(tx, id, add);
  const removed = (kind: OrderAdjustmentRow['kind']) => sumOf(adjustments.filter((each) => each.kind === kind));
  const addedTaxes = add.flatMap((charge) => charge.taxes);
  const [shipping, discount] = [sumOf(add) - removed('shipping'), -removed('discount')];
  const onTopTax = sumOf(onTop(addedTaxes)) - sumOf(onTop(taxes));
  const [changed] = await tx.query<OrderRow>(
    `update orders set shipping_amount = shipping_amount + $3, discount_amount = discount_amount + $4,
                       tax_amount = tax_amount + $5, total_amount = total_amount + $6, updated_at = now()
      where tenant_id = $1 and id = $2 returning *`,
    [id, shipping, discount, sumOf(addedTaxes) - sumOf(taxes), shipping + discount + onTopTax],
  );
  const state = stateOfRow(changed as OrderRow);
  for (const message of messages) await insertOrderEvent(tx, id, 'updated', message);
  for (const event of [orderUpdated, orderChargesChanged]) {
    await publish(tx, event, { type: 'order', id }, payloadOf(state));
  }
  order.totalAmount = state.totalAmount;
}

type Taxes = Pick<NewTax, 'amount' | 'included'>;
const onTop = (parts: readonly Taxes[]) => parts.filter(({ included }) => !included);
const sumOf = (parts: readonly { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0);

async function requireUnrefunded(tx: TenantDatabase, id: string, codes: readonly string[]): Promise<void> {
  const refunded = await tx.query(
    `select shipping_code from order_refund_items
      where tenant_id = $1 and order_id = $2 and shipping_code = any($3::text[])
      group by shipping_code having sum(amount) <> 0 or sum(quantity) <> 0`,
    [id, codes],
  );
  if (refunded.length > 0) throw new Error(`a charge of the order ${id} was refunded, and cannot be replaced`);
}

async function insertCharges(tx: TenantDatabase, orderId: string, charges: readonly NewCharge[]): Promise<void> {
  const sourceOf = ({ source }: NewCharge | NewTax) => ({
    sourceType: source?.type ?? null,
    sourceId: source?.id ?? null,
  });
  for (const { taxes, ...charge } of charges) {
    const { code, label, amount } = charge;
    const own = { orderId, lineItemId: null };
    await tx.insert('order_adjustments', {
      ...{ ...own, id: newId(), shippingCode: null, kind: 'shipping', code, label, amount },
      ...sourceOf({ ...charge, taxes }),
    });
    for (const tax of taxes) {
      const { source: _, ...values } = tax;
      await tx.insert('order_tax_lines', { ...own, id: newId(), shippingCode: code, ...values, ...sourceOf(tax) });
    }
  }
}
