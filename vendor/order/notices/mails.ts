/**
 * Mails about orders to shoppers, and the data of orders that they and the mails of other packages use.
 */
import {
  type ComposedMail,
  DateTime,
  defineMail,
  directionOf,
  greetingTo,
  inLanguages,
  Locale,
  localeOfTexts,
  Money,
  mailTexts,
  nullable,
  object,
  plausibleName,
  type Static,
  type TenantDatabase,
  Type,
  Uuid,
  withoutLinks,
} from '@carton/runtime';
import { addressLines } from '../details/address-lines.ts';
import { orderCanceled, orderPaymentDue, orderPlaced } from '../events.ts';
import type { Order } from '../present.ts';
import type { OrderAddress } from '../schemas.ts';
import { findOrder } from '../service.ts';
import { paymentNoticesOf } from './payments.ts';
import { orderPhrases } from './phrases.ts';

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
  totals: object({ subtotal: Money, discount: Money, shipping: Money, tax: Money, credit: Money, total: Money }),
  taxIncluded: Type.Boolean({ description: 'Whether the prices include the tax' }),
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
      variantTitle,
      sku,
      quantity,
      unitPrice,
      total,
    })),
    totals,
    taxIncluded: order.taxLines.some(({ included }) => included),
    balance,
    // The address may be another person's, who has not ordered: what was entered must be no message to that person.
    customer: { name: plausibleName(name), email, phone },
    shippingAddress: linesOf(address, shownIn),
    billingAddress: linesOf(billing, shownIn),
    locale: order.locale,
  };
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

const euros = (amount: number) => ({ amount, currency: 'EUR' });

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
    total: euros(3988),
  },
  taxIncluded: false,
  balance: euros(3988),
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', phone: null },
  shippingAddress: ['1 Main Street', '75001 Paris'],
  billingAddress: [],
  locale: 'en-GB',
};

/** The items and totals of an order, for texts of mails. */
const orderTable = inLanguages((language) => {
  const { subtotal, discount, shipping, tax, total, includesTax } = orderPhrases[language];
  // Programs that show mails do not know `end`.
  const end = directionOf(language) === 'rtl' ? 'left' : 'right';
  return {
    text: `{% for item in order.items %}{{ item.quantity }} × {{ item.title }}{% if item.variantTitle %} ({{ item.variantTitle }}){% endif %}: {{ item.total | money }}
{% endfor %}
${subtotal}: {{ order.totals.subtotal | money }}
{% if order.totals.discount.amount != 0 %}${discount}: {{ order.totals.discount | money }}
{% endif %}{% if order.totals.shipping.amount != 0 %}${shipping}: {{ order.totals.shipping | money }}
{% endif %}{% if order.totals.tax.amount != 0 and order.taxIncluded == false %}${tax}: {{ order.totals.tax | money }}
{% endif %}${total}: {{ order.totals.total | money }}
{% if order.totals.tax.amount != 0 and order.taxIncluded %}${includesTax}: {{ order.totals.tax | money }}
{% endif %}`,
    html: `<table style="width:100%">
{% for item in order.items %}<tr><td>{{ item.quantity }} × {{ item.title }}{% if item.variantTitle %} ({{ item.variantTitle }}){% endif %}</td><td style="text-align:${end}">{{ item.total | money }}</td></tr>
{% endfor %}<tr><td>${subtotal}</td><td style="text-align:${end}">{{ order.totals.subtotal | money }}</td></tr>
{% if order.totals.discount.amount != 0 %}<tr><td>${discount}</td><td style="text-align:${end}">{{ order.totals.discount | money }}</td></tr>
{% endif %}{% if order.totals.shipping.amount != 0 %}<tr><td>${shipping}</td><td style="text-align:${end}">{{ order.totals.shipping | money }}</td></tr>
{% endif %}{% if order.totals.tax.amount != 0 and order.taxIncluded == false %}<tr><td>${tax}</td><td style="text-align:${end}">{{ order.totals.tax | money }}</td></tr>
{% endif %}<tr><td><strong>${total}</strong></td><td style="text-align:${end}"><strong>{{ order.totals.total | money }}</strong></td></tr>
{% if order.totals.tax.amount != 0 and order.taxIncluded %}<tr><td>${includesTax}</td><td style="text-align:${end}">{{ order.totals.tax | money }}</td></tr>
{% endif %}</table>`,
  };
});

/** `Hello Ada,` */
export const greeting = greetingTo('order.customer.name');

const OrderData = object({ order: MailedOrder });

/** None of an order that was canceled while it was pending: the shopper has had no mail about it. */
async function composeOrder(db: TenantDatabase, { resource }: { resource: { id: string } }) {
  const order = await findOrder(db, resource.id);
  if (!order?.wasPlaced) return null;
  return mailToShopper(order, {});
}

const PlacedData = object({
  order: MailedOrder,
  payments: Type.Array(
    object({
      name: Type.String(),
      instructions: Type.Array(Type.String(), { description: 'In lines; empty if the store wrote nothing' }),
      reference: nullable(Type.String()),
      amount: Money,
    }),
    { description: 'Open payments that the shopper makes by hand, such as a bank transfer' },
  ),
});

async function composePlaced(db: TenantDatabase, event: { resource: { id: string } }) {
  const order = await findOrder(db, event.resource.id);
  return order?.wasPlaced ? mailToShopper(order, { payments: await paymentNoticesOf(db, order.id) }) : null;
}

export const orderPlacedMail = defineMail<typeof PlacedData>({
  key: 'order.placed',
  summary: 'To the shopper, when an order is placed',
  audience: 'shopper',
  data: PlacedData,
  sample: {
    order: sampleOrder,
    payments: [
      {
        name: 'Bank transfer',
        instructions: ['IBAN FR76 3000 6000 0112 3456 7890 189'],
        reference: '5F3A11C002',
        amount: sampleOrder.balance,
      },
    ],
  },
  ...mailTexts(orderPhrases, ({ yourOrder, thanks, payBy, reference, shippingTo }, language) => ({
    subject: yourOrder,
    text: `${greeting[language]}

${thanks}

${orderTable[language].text}{% if order.balance.amount > 0 and order.payBy %}
${payBy}
{% endif %}{% for payment in payments %}
{{ payment.name }}: {{ payment.amount | money }}
{% for line in payment.instructions %}{{ line }}
{% endfor %}{% if payment.reference %}${reference}{{ payment.reference }}
{% endif %}{% endfor %}{% if order.shippingAddress.size > 0 %}
${shippingTo}
{% for line in order.shippingAddress %}{{ line }}
{% endfor %}{% endif %}`,
    html: `<p>${greeting[language]}</p>
<p>${thanks}</p>
${orderTable[language].html}
{% if order.balance.amount > 0 and order.payBy %}<p>${payBy}</p>{% endif %}
{% for payment in payments %}<p><strong>{{ payment.name }}: {{ payment.amount | money }}</strong>{% for line in payment.instructions %}<br>{{ line }}{% endfor %}{% if payment.reference %}<br>${reference}{{ payment.reference }}{% endif %}</p>{% endfor %}
{% if order.shippingAddress.size > 0 %}<p>${shippingTo}{% for line in order.shippingAddress %}<br>{{ line }}{% endfor %}</p>{% endif %}`,
  })),
  event: orderPlaced,
  compose: composePlaced,
});

/** None once the order is paid, canceled, or waits for staff. */
async function composePaymentDue(db: TenantDatabase, event: { resource: { id: string } }) {
  const mail = await composeOrder(db, event);
  const { status, paymentStatus, payBy } = mail?.data.order ?? {};
  return mail && status === 'placed' && paymentStatus === 'unpaid' && payBy ? mail : null;
}

export const paymentDueMail = defineMail<typeof OrderData>({
  key: 'order.payment_due',
  summary: 'To the shopper, a day before an unpaid order is canceled',
  audience: 'shopper',
  data: OrderData,
  sample: { order: sampleOrder },
  ...mailTexts(orderPhrases, ({ unpaidSubject, unpaid }, language) => ({
    subject: unpaidSubject,
    text: `${greeting[language]}\n\n${unpaid}\n\n${orderTable[language].text}`,
    html: `<p>${greeting[language]}</p>\n<p>${unpaid}</p>\n${orderTable[language].html}`,
  })),
  event: orderPaymentDue,
  compose: composePaymentDue,
});

export const orderCanceledMail = defineMail<typeof OrderData>({
  key: 'order.canceled',
  summary: 'To the shopper, when an order is canceled',
  audience: 'shopper',
  data: OrderData,
  sample: { order: { ...sampleOrder, status: 'canceled', balance: euros(0) } },
  ...mailTexts(orderPhrases, ({ canceledSubject, canceled, refundFollows }, language) => {
    const sentence = `${canceled}{% if order.balance.amount < 0 %}${refundFollows}{% endif %}`;
    return {
      subject: canceledSubject,
      text: `${greeting[language]}\n\n${sentence}\n\n${orderTable[language].text}`,
      html: `<p>${greeting[language]}</p>\n<p>${sentence}</p>\n${orderTable[language].html}`,
    };
  }),
  event: orderCanceled,
  compose: composeOrder,
});
