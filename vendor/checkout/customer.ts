/**
 * Who orders: what the shopper says at checkout, else what the cart knows already, and what the shop asks for.
 */
import { type PriceOptions, type StoredCart, saleAddressOf } from '@carton/cart';
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

/**
 * What stands in for the cart's own when it is priced: what is priced is what is shipped to. Of an address that is free
 * text nothing is understood: prices that depend on one see an address that says no country, and a region that serves
 * countries of its own asks for one.
 */
export function pricedFor({ email, address, billing }: Checkout['customer']): PriceOptions {
  const of = (given: typeof address) => (given === undefined ? undefined : saleAddressOf(given));
  return { email, shippingAddress: of(address), billingAddress: of(billing) };
}
