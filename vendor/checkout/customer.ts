/**
 * Who orders: what the shopper says at checkout, else what the cart knows already, and what the shop asks for.
 */
import type { StoredCart } from '@carton/cart';
import type { Store } from '@carton/core';
import type { OrderDraft } from '@carton/order';
import { defineProblem, type FieldError } from '@carton/runtime';
import type { Checkout } from './schemas.ts';

export const customerDetailsMissing = defineProblem({
  code: 'customer_details_missing',
  status: 400,
  title: 'This shop needs to know more to take the order',
});

type CartAddresses = Pick<StoredCart, 'shippingAddress' | 'billingAddress'>;
type Field = Store['checkoutRequires'][number];

/** The customer of the order. */
export function customerOf(
  { shippingAddress, billingAddress }: CartAddresses,
  { email, name, phone, address, billing }: Checkout['customer'],
): OrderDraft['customer'] {
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

/** @throws customer_details_missing (400), with a pointer to each */
export function refuseMissing(missing: readonly Field[]): void {
  if (missing.length === 0) return;
  const errors = missing.map((field): FieldError => {
    const pointer = `/customer/${field.replace('.', '/')}`;
    return { in: 'body', pointer, detail: 'is asked for by this shop' };
  });
  throw customerDetailsMissing(`Missing: ${missing.join(', ')}.`, { errors });
}
