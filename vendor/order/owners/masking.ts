/**
 * Who placed an order, and the order as everyone else may see it.
 */
import type { ShopperSession } from '@carton/runtime';
import type { Order } from '../present.ts';
import type { OrderAddress } from '../schemas.ts';

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
  const { email, name, phone, address, billing, taxNumber } = order.customer;
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
      taxNumber: taxNumber && mask,
    },
    taxNumberCheck: null,
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
