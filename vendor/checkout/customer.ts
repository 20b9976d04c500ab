/**
 * Who orders: what the shopper says at checkout, else what the cart knows already, and what the shop asks for.
 */
import type { StoredCart } from '@carton/cart';
import type { Store } from '@carton/core';
import type { OrderDraft } from '@carton/order';
import type { Checkout } from './schemas.ts';

type CartAddresses = Pick<StoredCart, 'shippingAddress' | 'billingAddress'>;
type Field = Store['checkoutRequires'][number];

/** The customer of the order. */
export function customerOf<Email extends string | null>(
  { shippingAddress, billingAddress }: CartAddresses,
  { email, name, phone, address, billing }: Omit<Checkout['customer'], 'email'> & { email: Email },
): Omit<OrderDraft['customer'], 'email'> & { email: Email } {
  return {
    email,
    name: name ?? shippingAddress?.name ?? null,
    phone: phone ?? shippingAddress?.phone ?? null,
    address: address ?? shippingAddress,
    billing: billing ?? billingAddress,
  };
}

/** Which of the fields are not known. */
export function missingFields(required: readonly Field[], customer: Omit<OrderDraft['customer'], 'email'>): Field[] {
  return required.filter((field) => {
    const [name, part] = field.split('.') as [keyof typeof customer, string?];
    const value = customer[name];
    if (part === undefined) return !value;
    return typeof value !== 'object' || !value?.[part];
  });
}

/** Where POST /checkout is told a field. */
export function pointerOf(field: Field): string {
  return `/customer/${field.replace('.', '/')}`;
}
