/**
 * Orders as they are answered: whole for whoever may see them, masked for anyone else.
 */
import { actorOf, type HasExtensions, money, type ShopperSession, type Static } from '@carton/runtime';
import type { OrderFact } from './events.ts';
import type { AdminOrder, OrderAddress, OrderEvent } from './schemas.ts';
import { balanceOf, type OrderEventRow, type OrderRow } from './store.ts';
import { labelOf } from './timeline.ts';

/** An order with everything that is known of it; as an answer it is cut to the schema of the route. */
export interface Order extends Static<typeof AdminOrder> {
  /** SHA-256 of the session it was placed in; null when staff placed it. Never leaves the box. */
  sessionHash: string | null;
}

/** The order that a row with its parts stands for. */
export function orderOf(row: OrderRow): Order {
  const { currency, addresses, subtotalAmount, discountAmount, shippingAmount, taxAmount, creditAmount, totalAmount } =
    row;
  const of = (amount: number) => money(amount, currency);
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    paymentStatus: row.paymentStatus,
    fulfillmentStatus: row.fulfillmentStatus,
    currency,
    items: row.lines.map(({ unitAmount, totalAmount, ...line }) => ({
      ...line,
      unitPrice: of(unitAmount),
      total: of(totalAmount),
    })),
    adjustments: row.adjustments.map(({ amount, ...adjustment }) => ({ ...adjustment, amount: of(amount) })),
    taxLines: row.taxLines.map(({ amount, ...line }) => ({ ...line, amount: of(amount) })),
    totals: {
      subtotal: of(subtotalAmount),
      discount: of(discountAmount),
      shipping: of(shippingAmount),
      tax: of(taxAmount),
      credit: of(creditAmount),
      total: of(totalAmount),
    },
    balance: of(balanceOf(row)),
    customer: {
      email: row.email,
      name: row.customerName,
      phone: row.phone,
      address: addresses.shipping ?? null,
      billing: addresses.billing ?? null,
    },
    regionId: row.regionId,
    locale: row.locale,
    payBy: row.payBy,
    notes: row.notes,
    memberId: row.memberId,
    sessionHash: row.sessionHash,
    externalId: row.externalId,
    metadata: row.metadata,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    canceledAt: row.canceledAt,
    archivedAt: row.archivedAt,
  };
}

/** What an event tells of an order. */
export function factOfOrder(order: Order): OrderFact {
  const { number, status, paymentStatus, fulfillmentStatus, currency, totals, memberId } = order;
  return { number, status, paymentStatus, fulfillmentStatus, currency, totalAmount: totals.total.amount, memberId };
}

export function orderEventOf(box: HasExtensions, row: OrderEventRow): OrderEvent {
  const { id, type, message, createdAt } = row;
  return { id, type, label: labelOf(box, type), message, actor: actorOf(row), createdAt };
}

/**
 * True for the shopper who placed the order: the member when a member did, else whoever holds the session. A session
 * outlives a log-out, so it does not open the order of a member to the next person at the same browser.
 */
export function isPlacedBy(
  { memberId, sessionHash }: Pick<Order, 'memberId' | 'sessionHash'>,
  session: Pick<ShopperSession, 'hash' | 'memberId'>,
): boolean {
  if (memberId !== null) return memberId === session.memberId;
  return sessionHash !== null && sessionHash === session.hash;
}

/** The order for whoever has only its id: what was bought, and nothing that tells who bought it. */
export function maskOrder(order: Order): Order {
  const { email, name, phone, address, billing } = order.customer;
  return {
    ...order,
    // An engraving may hold a name.
    items: order.items.map((item) => ({ ...item, properties: maskValues(item.properties) })),
    customer: {
      email: maskEmail(email),
      name: name && maskName(name),
      phone: phone && mask,
      address: maskAddress(address),
      billing: maskAddress(billing),
    },
    // Free text of the shopper's: it may say anything.
    notes: order.notes && mask,
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
  // The names of an object's parts are the shopper's words too.
  return mask;
}
