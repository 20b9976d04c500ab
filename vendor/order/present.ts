/**
 * Orders in responses and events, complete: `maskOrder` masks them for those who have not placed them.
 */
import { money, type Static } from '@carton/runtime';
import { type Charge, chargesOf } from './charges/amounts.ts';
import { balanceOf } from './charges/balance.ts';
import type { OrderPayload } from './events.ts';
import { refundedOf } from './refunds/shares.ts';
import type { AdminOrder } from './schemas.ts';
import { type OrderRow, statusOf } from './store.ts';

/** An order with all its data; responses contain only the fields of their route's schema. */
export interface Order extends Static<typeof AdminOrder> {
  /** SHA-256 of the session that placed the order; null if staff did. Never part of a response. */
  sessionHash: string | null;
  /** The cart that became the order; null without a cart. Never part of a response. */
  cartId: string | null;
  /** False while the order is pending, and if it was canceled then. Never part of a response. */
  wasPlaced: boolean;
}

/** Converts a row with its parts to an order. */
export function orderOf(row: OrderRow): Order {
  const { currency, addresses, subtotalAmount, discountAmount, shippingAmount, taxAmount, creditAmount, totalAmount } =
    row;
  const moneyOf = (amount: number) => money(amount, currency);
  const status = statusOf(row);
  const charges = chargesOf(row);
  const chargedOf = (lineItemId: string | null, shippingCode: string | null) => {
    const isTarget = (each: Charge) => each.lineItemId === lineItemId && each.shippingCode === shippingCode;
    const { quantity, amount } = refundedOf(row.refundItems, { lineItemId, shippingCode });
    return {
      charged: moneyOf(charges.find(isTarget)?.amount ?? 0),
      refunded: { quantity, amount: moneyOf(amount) },
    };
  };
  return {
    id: row.id,
    number: row.number,
    status,
    paymentStatus: row.paymentStatus,
    fulfillmentStatus: row.fulfillmentStatus,
    currency,
    items: row.lines.map(({ unitAmount, totalAmount, requiresShipping: _, restockedQuantity: __, ...line }) => ({
      ...line,
      unitPrice: moneyOf(unitAmount),
      total: moneyOf(totalAmount),
      ...chargedOf(line.id, null),
    })),
    adjustments: row.adjustments.map(({ amount, ...adjustment }) => {
      const { charged, refunded } = chargedOf(null, adjustment.code);
      const isCharge = adjustment.kind === 'shipping';
      return {
        ...adjustment,
        amount: moneyOf(amount),
        charged: isCharge ? charged : null,
        refunded: isCharge ? refunded.amount : null,
      };
    }),
    taxLines: row.taxLines.map(({ amount, ...line }) => ({ ...line, amount: moneyOf(amount) })),
    totals: {
      subtotal: moneyOf(subtotalAmount),
      discount: moneyOf(discountAmount),
      shipping: moneyOf(shippingAmount),
      tax: moneyOf(taxAmount),
      credit: moneyOf(creditAmount),
      rounding: moneyOf(row.roundingAmount),
      total: moneyOf(totalAmount),
    },
    paid: moneyOf(row.paidAmount),
    refunded: moneyOf(row.refundedAmount),
    balance: moneyOf(balanceOf(row)),
    customer: {
      email: row.email,
      name: row.customerName,
      phone: row.phone,
      address: addresses.shipping ?? null,
      billing: addresses.billing ?? null,
      taxNumber: row.taxNumber,
    },
    taxNumberCheck: row.taxNumberCheck,
    taxExemption: row.taxExemption,
    regionId: row.regionId,
    locale: row.locale,
    payBy: payByOf(status, row),
    notes: row.notes,
    attribution: row.attribution,
    terms: row.termsVersion === null ? null : { version: row.termsVersion, acceptedAt: row.termsAcceptedAt as string },
    tags: row.tags,
    disputed: moneyOf(row.disputedAmount),
    memberId: row.memberId,
    sessionHash: row.sessionHash,
    cartId: row.cartId,
    wasPlaced: row.pendingUntil === null,
    externalId: row.externalId,
    metadata: row.metadata,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    canceledAt: row.canceledAt,
    archivedAt: row.archivedAt,
  };
}

/** The payload of an order's events. */
export function payloadOfOrder(order: Order): OrderPayload {
  const { number, status, paymentStatus, fulfillmentStatus, currency, totals, memberId } = order;
  return { number, status, paymentStatus, fulfillmentStatus, currency, totalAmount: totals.total.amount, memberId };
}

/** Until when an order must be paid, or is canceled; null if it is not, as once it is paid or canceled. */
function payByOf(
  status: Order['status'],
  { pendingUntil, paymentStatus, payBy }: Pick<OrderRow, 'pendingUntil' | 'paymentStatus' | 'payBy'>,
): string | null {
  if (status === 'pending') return pendingUntil;
  return status === 'placed' && paymentStatus === 'unpaid' ? payBy : null;
}
