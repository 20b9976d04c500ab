/**
 * The data of orders in mails, of this package and of others.
 */
import {
  type ComposedMail,
  DateTime,
  greetingTo,
  Locale,
  localeOfTexts,
  Money,
  type MoneyValue,
  money,
  nullable,
  object,
  plausibleName,
  type Static,
  Type,
  Uuid,
  withoutLinks,
} from '@carton/runtime';
import { addressLines } from '../details/address-lines.ts';
import { shownVariantTitle } from '../details/variant-titles.ts';
import type { Order } from '../present.ts';
import type { OrderAddress } from '../schemas.ts';

const Lines = Type.Array(Type.String(), { description: 'One for each line of the address; empty without an address' });

/** The order in the data of a mail: `{{ order.number }}`. */
export const MailedOrder = object({
  id: Uuid,
  number: Type.String(),
  status: Type.String(),
  paymentStatus: Type.String(),
  fulfillmentStatus: Type.String(),
  createdAt: DateTime,
  payBy: nullable(DateTime),
  items: Type.Array(
    object({
      title: Type.String(),
      variantTitle: nullable(Type.String()),
      sku: nullable(Type.String()),
      quantity: Type.Integer(),
      unitPrice: Money,
      total: Money,
    }),
  ),
  totals: object({
    subtotal: Money,
    discount: Money,
    shipping: Money,
    tax: Money,
    credit: Money,
    rounding: Money,
    total: Money,
  }),
  taxIncluded: Type.Boolean({ description: 'Whether prices include tax: those of the goods, or of shipping alone' }),
  /** The tax that is added to prices, and the tax that they include. */
  taxOnTop: Money,
  taxWithin: Money,
  balance: Money,
  customer: object({ name: nullable(Type.String()), email: Type.String(), phone: nullable(Type.String()) }),
  shippingAddress: Lines,
  billingAddress: Lines,
  locale: nullable(Locale),
});
export type MailedOrder = Static<typeof MailedOrder>;

/** A mail about an order to its shopper; names of countries are in the language of the text. */
export function mailToShopper<Data extends object>(
  order: Order,
  data: Data,
): ComposedMail<Data & { order: MailedOrder }> & { readonly to: string } {
  const dataIn = (locale: string) => ({ ...data, order: mailedOrderOf(order, locale) });
  const { locale } = order;
  return { to: order.customer.email, locale, data: dataIn(localeOfTexts([locale])), localized: dataIn };
}

/** @param shownIn the language of the text */
function mailedOrderOf(order: Order, shownIn: string): MailedOrder {
  const { id, number, status, paymentStatus, fulfillmentStatus, createdAt, payBy, items, totals, balance } = order;
  const { name, email, phone, address, billing } = order.customer;
  return {
    id,
    number,
    status,
    paymentStatus,
    fulfillmentStatus,
    createdAt,
    payBy,
    items: items.map(({ title, variantTitle, sku, quantity, unitPrice, total }) => ({
      title,
      variantTitle: shownVariantTitle(variantTitle),
      sku,
      quantity,
      unitPrice,
      total,
    })),
    totals,
    taxIncluded: order.taxLines.some(({ included }) => included),
    taxOnTop: taxThat(order, false),
    taxWithin: taxThat(order, true),
    balance,
    // The address may be another person's, who has not ordered: what was entered must be no message to that person.
    customer: { name: plausibleName(name), email, phone },
    shippingAddress: linesOf(address, shownIn),
    billingAddress: linesOf(billing, shownIn),
    locale: order.locale,
  };
}

/** The taxes that prices include, or those that are added to them. */
function taxThat({ taxLines, currency }: Order, isIncluded: boolean): MoneyValue {
  const amounts = taxLines.map(({ included, amount }) => (included === isIncluded ? amount.amount : 0));
  return money(
    amounts.reduce((sum, amount) => sum + amount, 0),
    currency,
  );
}

/** Lines that an address has at most: names, street, district, town and country. */
const maxLines = 12;

/** As on the confirmation and the packing list, without links. */
function linesOf(address: OrderAddress | null, locale: string): string[] {
  return addressLines(address, locale)
    .map((line) => withoutLinks(line))
    .filter((line) => line !== '')
    .slice(0, maxLines);
}

export const euros = (amount: number) => ({ amount, currency: 'EUR' });

/** For previews. */
export const sampleOrder: MailedOrder = {
  id: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c002',
  number: 'ORD-1001',
  status: 'placed',
  paymentStatus: 'unpaid',
  fulfillmentStatus: 'unfulfilled',
  createdAt: '2026-03-01T12:00:00.000Z',
  payBy: '2026-03-08T12:00:00.000Z',
  items: [
    {
      title: 'Linen shirt',
      variantTitle: 'M',
      sku: 'LINEN-M',
      quantity: 2,
      unitPrice: euros(1999),
      total: euros(3998),
    },
  ],
  totals: {
    subtotal: euros(3998),
    discount: euros(-500),
    shipping: euros(490),
    tax: euros(637),
    credit: euros(0),
    rounding: euros(0),
    total: euros(3988),
  },
  taxIncluded: false,
  taxOnTop: euros(637),
  taxWithin: euros(0),
  balance: euros(3988),
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', phone: null },
  shippingAddress: ['1 Main Street', '75001 Paris'],
  billingAddress: [],
  locale: 'en-GB',
};

/** `Hello Ada,` */
export const greeting = greetingTo('order.customer.name');
