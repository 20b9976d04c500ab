/**
 * Orders in responses: complete for their owner and staff, masked for everyone else.
 */
import { actorOf, type HasExtensions, money, type ShopperSession, type Static } from '@carton/runtime';
import { type Charge, chargesOf, refundedOf } from './charges/amounts.ts';
import { balanceOf } from './charges/balance.ts';
import type { OrderPayload } from './events.ts';
import type { AdminOrder, OrderAddress, OrderEvent } from './schemas.ts';
import { type OrderEventRow, type OrderRow, statusOf } from './store.ts';
import { labelOf } from './timeline/types.ts';

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
    },
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

export function orderEventOf(box: HasExtensions, row: OrderEventRow): OrderEvent {
  const { id, type, message, createdAt } = row;
  return { id, type, label: labelOf(box, type), message, actor: actorOf(row), createdAt };
}

/**
 * Whether the shopper of a session placed the order: the same member, or the same session if a guest placed it. A session
 * outlives a log-out, so it does not give the next user of the browser access to a member's order.
 */
export function isPlacedBy(
  { memberId, sessionHash }: Pick<Order, 'memberId' | 'sessionHash'>,
  session: Pick<ShopperSession, 'hash' | 'memberId'>,
): boolean {
  if (memberId !== null) return memberId === session.memberId;
  return sessionHash !== null && sessionHash === session.hash;
}

/** Masks the personal data of an order, for callers who only know its id. */
export function maskOrder(order: Order): Order {
  const { email, name, phone, address, billing } = order.customer;
  return {
    ...order,
    // An engraving may contain a name.
    items: order.items.map((item) => ({ ...item, properties: maskValues(item.properties) })),
    customer: {
      email: maskEmail(email),
      name: name && maskName(name),
      phone: phone && mask,
      address: maskAddress(address),
      billing: maskAddress(billing),
    },
    // Free text may contain anything.
    notes: order.notes && mask,
    // Addresses of pages may contain anything, too.
    attribution: null,
    terms: null,
    tags: [],
    memberId: null,
    sessionHash: null,
    metadata: {},
  };
}

const mask = '***';

function maskValues(properties: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.keys(properties).map((name) => [name, mask]));
}

function firstOf(text: string): string {
  return [...text][0] ?? '';
}

/** `ada@example.com` becomes `a***@e***.com`. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at < 1) return mask;
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  return `${firstOf(email)}${mask}@${firstOf(domain)}${mask}${dot > 0 ? domain.slice(dot) : ''}`;
}

/** `Ada Lovelace` becomes `A*** L***`. */
function maskName(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  return words.map((word) => `${firstOf(word)}${mask}`).join(' ') || mask;
}

function maskAddress(address: OrderAddress | null): OrderAddress | null {
  if (address === null || typeof address === 'string') return address && mask;
  // Field names of an address object come from the shopper too.
  return mask;
}

/** Until when an order must be paid, or is canceled; null if it is not, as once it is paid or canceled. */
function payByOf(
  status: Order['status'],
  { pendingUntil, paymentStatus, payBy }: Pick<OrderRow, 'pendingUntil' | 'paymentStatus' | 'payBy'>,
): string | null {
  if (status === 'pending') return pendingUntil;
  return status === 'placed' && paymentStatus === 'unpaid' ? payBy : null;
}
