/**
 * Refunds of units of lines and of shipping charges: an append-only ledger of what was refunded of each. A refund that
 * fails is reversed by rows of opposite sign.
 */
import { defineProblem, extensionPoint, invalidField, newId, type TenantDatabase } from '@carton/runtime';
import { type AmountWithTax, type Charge, chargesOf, refundedOf, refundOf } from './charges.ts';
import { type OrderRow, orders } from './store.ts';

export const alreadyRefunded = defineProblem({
  code: 'already_refunded',
  status: 409,
  title: 'The items or shipping charges are already refunded',
});

/**
 * Called after units of an order were refunded, or a failed refund of units was reversed: in its transaction, with the
 * order locked.
 */
export type OrderRefundListener = (tx: TenantDatabase, orderId: string) => Promise<void>;
export const orderRefundListeners = extensionPoint<OrderRefundListener>('order.refund-listeners');

/** What is refunded. */
export interface RefundRequest {
  /** Units of lines. */
  items?: readonly { lineItemId: string; quantity: number }[];
  /** True for all shipping charges that are not refunded yet; or their codes. */
  shipping?: true | readonly string[];
}

/** Units of a line, or a shipping charge, with the amount refunded for them, in minor units. */
export interface RefundPart extends AmountWithTax {
  lineItemId: string | null;
  shippingCode: string | null;
  quantity: number;
}

/** A refund by units: its amounts are the sums of its parts. */
export interface RefundPlan extends AmountWithTax {
  parts: readonly RefundPart[];
}

/**
 * Computes the refund of units of a locked order.
 * @throws invalid_request (400) for an unknown or duplicate line or charge, already_refunded (409) for more units than
 *   are left
 */
export async function planRefund(tx: TenantDatabase, orderId: string, request: RefundRequest): Promise<RefundPlan> {
  const order = await orders.require(tx, orderId);
  const charges = chargesOf(order);
  const parts = [...itemsOf(order, charges, request), ...shippingOf(order, charges, request)];
  const sum = (name: keyof AmountWithTax) => parts.reduce((all, part) => all + part[name], 0);
  return { amount: sum('amount'), tax: sum('tax'), parts };
}

function itemsOf(
  { lines, refundItems: refunds }: OrderRow,
  charges: readonly Charge[],
  { items = [] }: RefundRequest,
): RefundPart[] {
  return items.map(({ lineItemId, quantity }, at) => {
    const pointer = `/items/${at}/lineItemId`;
    const charge = charges.find((each) => each.lineItemId === lineItemId);
    if (!charge) throw invalidField(pointer, 'is not an item of the order');
    if (items.findIndex((each) => each.lineItemId === lineItemId) !== at) throw invalidField(pointer, 'is a duplicate');
    const refunded = refundedOf(refunds, charge);
    const left = charge.quantity - refunded.quantity;
    if (quantity > left) {
      const title = lines.find(({ id }) => id === lineItemId)?.title;
      throw alreadyRefunded(`${title}: ${left} of ${charge.quantity} units are left to refund.`);
    }
    return { lineItemId, shippingCode: null, quantity, ...refundOf(charge, refunded, quantity) };
  });
}

function shippingOf(
  { refundItems: refunds }: OrderRow,
  charges: readonly Charge[],
  { shipping = [] }: RefundRequest,
): RefundPart[] {
  const all = charges.filter(({ shippingCode }) => shippingCode !== null);
  const isRefunded = (charge: Charge) => refundedOf(refunds, charge).quantity > 0;
  const chosen =
    shipping === true
      ? all.filter((charge) => !isRefunded(charge))
      : shipping.map((code, at) => {
          const charge = all.find(({ shippingCode }) => shippingCode === code);
          if (!charge) throw invalidField(`/shipping/${at}`, 'is not a shipping charge of the order');
          if (isRefunded(charge)) throw alreadyRefunded(`The shipping charge ${code} is already refunded.`);
          return charge;
        });
  return chosen.map((charge) => ({
    lineItemId: null,
    shippingCode: charge.shippingCode,
    quantity: 1,
    ...refundOf(charge, refundedOf(refunds, charge), 1),
  }));
}

/** Records the parts of a refund. The order must be locked since `planRefund`. @param refundId chosen by the caller */
export async function recordRefund(
  tx: TenantDatabase,
  orderId: string,
  refundId: string,
  { parts }: RefundPlan,
): Promise<void> {
  await tx.insertMany(
    'order_refund_items',
    parts.map((part) => ({ orderId, id: newId(), refundId, ...part })),
  );
  for (const listen of orderRefundListeners.of(tx)) await listen(tx, orderId);
}

/** Reverses a refund that failed, so that its units can be refunded again. The order must be locked. Call it once. */
export async function reverseRefund(tx: TenantDatabase, refundId: string): Promise<void> {
  const parts = await partsOfRefunds(tx, [refundId]);
  await tx.insertMany(
    'order_refund_items',
    parts.map(({ quantity, amount, tax, ...part }) => ({
      ...part,
      id: newId(),
      quantity: -quantity,
      amount: -amount,
      tax: -tax,
    })),
  );
  const orderId = parts[0]?.orderId;
  if (orderId === undefined) return;
  for (const listen of orderRefundListeners.of(tx)) await listen(tx, orderId);
}

/** The parts of refunds, each with the id of its refund; also those of failed refunds. */
export function partsOfRefunds(
  db: TenantDatabase,
  refundIds: readonly string[],
): Promise<(RefundPart & { orderId: string; refundId: string })[]> {
  return db.query(
    `select order_id, refund_id, line_item_id, shipping_code, quantity, amount, tax from order_refund_items
      where tenant_id = $1 and refund_id = any($2::uuid[]) and quantity > 0
      order by id`,
    [refundIds],
  );
}
