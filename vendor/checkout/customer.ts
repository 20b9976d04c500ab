/**
 * The customer of an order: details from the checkout request, otherwise from the cart; and those that the store requires.
 */
import { type PricedSale, type PriceOptions, type StoredCart, saleAddressOf } from '@carton/cart';
import type { Store } from '@carton/core';
import type { OrderDraft } from '@carton/order';
import { choiceOfMethod } from '@carton/payment';
import type { Checkout } from './schemas.ts';

type CartAddresses = Pick<StoredCart, 'shippingAddress' | 'billingAddress'>;
type Field = Store['checkoutRequires'][number];

/** Combines the customer details of the request with those of the cart. */
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

/** The details that the store requires for a sale: no address of delivery if nothing of it is shipped. */
export function requiredFields({ checkoutRequires }: Store, { lines }: Pick<PricedSale, 'lines'>): readonly Field[] {
  const isShipped = lines.some(({ variant }) => variant?.requiresShipping ?? true);
  return isShipped ? checkoutRequires : checkoutRequires.filter((field) => field.split('.')[0] !== 'address');
}

/** The required fields without a value. */
export function missingFields(required: readonly Field[], customer: Omit<OrderDraft['customer'], 'email'>): Field[] {
  return required.filter((field) => {
    const [name, part] = field.split('.') as [keyof typeof customer, string?];
    const value = customer[name];
    if (part === undefined) return !value;
    return typeof value !== 'object' || !value?.[part];
  });
}

/** JSON pointer to a field in the body of POST /checkout. */
export function pointerOf(field: Field): string {
  return `/customer/${field.replace('.', '/')}`;
}

/**
 * Price options that replace the cart's e-mail and addresses with those of the request, so that prices fit the delivery
 * address. Free text is stored as it is and prices nothing: the cart's own address remains in force, so that no tax or
 * shipping that the cart showed can be written away. The fee of the payment method is charged.
 */
export function priceOptionsOf({
  customer: { email, address, billing },
  paymentMethod,
}: Pick<Checkout, 'customer' | 'paymentMethod'>): PriceOptions {
  const optional = (value: typeof address) => (typeof value === 'object' ? saleAddressOf(value) : undefined);
  const addresses = { shippingAddress: optional(address), billingAddress: optional(billing) };
  return { email, ...addresses, choices: choiceOfMethod(paymentMethod) };
}
