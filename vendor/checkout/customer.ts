/**
 * The customer of an order: details from the checkout request, otherwise from the cart; and those that the store requires.
 */
import { type PricedSale, type PriceOptions, type StoredCart, saleAddressOf } from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { type OrderDraft, writtenAddress } from '@carton/order';
import { choiceOfMethod } from '@carton/payment';
import { dependsOnCountries } from '@carton/region';
import {
  countryCodeOf,
  countryMeaning,
  type FieldError,
  hasPostalCodes,
  hasProvince,
  invalidRequest,
  isCountry,
  needsCity,
  type TenantDatabase,
  writtenLine,
  writtenPhone,
  writtenTaxNumber,
  writtenText,
} from '@carton/runtime';
import type { Checkout, SentCheckout } from './schemas.ts';

type CartAddresses = Pick<StoredCart, 'shippingAddress' | 'billingAddress' | 'taxNumber'>;
type Field = Store['checkoutRequires'][number];

type Customer = Checkout['customer'];

/**
 * The body of a request as it is stored and priced: texts without surrounding spaces, blank ones as if they were not sent,
 * countries as codes.
 * @throws invalid_request (400) for the country of an address object that is not recognised, unless nothing depends on it, and
 *   for a tax number without the form of its country
 */
export async function writtenCheckout(
  db: TenantDatabase,
  { customer, notes, paymentMethod, ...others }: SentCheckout,
): Promise<Checkout> {
  return {
    ...others,
    customer: await writtenCustomer(db, customer),
    notes: writtenText(notes) ?? undefined,
    paymentMethod: paymentMethod ?? undefined,
  };
}

async function writtenCustomer(
  db: TenantDatabase,
  { email, name, phone, address, billing, ...sent }: SentCheckout['customer'],
): Promise<Customer> {
  const taxNumber = writtenTaxNumber(sent.taxNumber, '/customer/taxNumber') ?? undefined;
  const written = { address: writtenAddress(address) ?? undefined, billing: writtenAddress(billing) ?? undefined };
  const errors = Object.entries(written).flatMap(([field, value]): FieldError[] => {
    const country = typeof value === 'object' ? value.country : null;
    if (!country || isCountry(country)) return [];
    return [{ in: 'body', pointer: `/customer/${field}/country`, detail: `must be ${countryMeaning}` }];
  });
  const [error] = errors;
  if (error && (await needsCountries(db))) throw invalidRequest(`body ${error.pointer}: ${error.detail}`, { errors });
  return {
    email,
    name: writtenLine(name) ?? undefined,
    phone: writtenPhone(phone) ?? undefined,
    taxNumber,
    ...written,
  };
}

async function needsCountries(db: TenantDatabase): Promise<boolean> {
  if (await dependsOnCountries(db)) return true;
  return (await findStore(db)).checkoutRequires.includes('address.country');
}

/** Combines the customer details of the request (`writtenCheckout`) with those of the cart. */
export function customerOf<Email extends string | null>(
  { shippingAddress, billingAddress, ...cart }: CartAddresses,
  { email, name, phone, address, billing, taxNumber }: Omit<Customer, 'email'> & { email: Email },
): Omit<OrderDraft['customer'], 'email'> & { email: Email } {
  return {
    email,
    name: name ?? writtenLine(shippingAddress?.name),
    phone: phone ?? writtenPhone(shippingAddress?.phone),
    address: address ?? writtenAddress(shippingAddress),
    billing: billing ?? writtenAddress(billingAddress),
    taxNumber: taxNumber ?? cart.taxNumber,
  };
}

/** Whether an address may have a part: not each country has towns, provinces and postal codes. */
function canHave(country: string | null | undefined, part: string): boolean {
  const code = country ? countryCodeOf(country) : null;
  if (code === null) return true;
  if (part === 'city') return needsCity(code);
  if (part === 'province') return hasProvince(code);
  return part !== 'postalCode' || hasPostalCodes(code);
}

/** The details that the store requires for a sale: no address of delivery if nothing of it is shipped. */
export function requiredFields({ checkoutRequires }: Store, { lines }: Pick<PricedSale, 'lines'>): readonly Field[] {
  const isShipped = lines.some(({ variant }) => variant?.requiresShipping ?? true);
  return isShipped ? checkoutRequires : checkoutRequires.filter((field) => field.split('.')[0] !== 'address');
}

/** The required fields without a value, but for those that the country of the address does not have. */
export function missingFields(required: readonly Field[], customer: Omit<OrderDraft['customer'], 'email'>): Field[] {
  return required.filter((field) => {
    const [name, part] = field.split('.') as [keyof typeof customer, string?];
    const value = customer[name];
    if (part === undefined) return !value;
    return typeof value !== 'object' || (!value?.[part] && canHave(value?.country, part));
  });
}

/** JSON pointer to a field in the body of POST /checkout. */
export function pointerOf(field: Field): string {
  return `/customer/${field.replace('.', '/')}`;
}

/**
 * Price options that replace the cart's e-mail, tax number and addresses with those of the request, so that prices fit the delivery
 * address. Free text is stored as it is and prices nothing: the cart's own address remains in force, so that no tax or
 * shipping that the cart showed can be written away. Nor is there an exemption by it: the order goes where the text says. The
 * fee of the payment method is charged.
 */
export function priceOptionsOf({
  customer: { email, address, billing, taxNumber },
  paymentMethod,
}: Pick<Checkout, 'customer' | 'paymentMethod'>): PriceOptions {
  const optional = (value: typeof address) => (typeof value === 'object' ? saleAddressOf(value) : undefined);
  const addresses = { shippingAddress: optional(address), billingAddress: optional(billing) };
  const hasTextAddress = typeof address === 'string';
  return {
    email,
    taxNumber: taxNumber ?? undefined,
    ...addresses,
    hasTextAddress,
    choices: choiceOfMethod(paymentMethod),
  };
}
