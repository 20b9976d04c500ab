/**
 * Mails about orders to shoppers.
 */
import {
  defineMail,
  directionOf,
  inLanguages,
  Money,
  mailTexts,
  nullable,
  object,
  type TenantDatabase,
  Type,
} from '@carton/runtime';
import { orderCanceled, orderCancellationAnnounced, orderPlaced } from '../events.ts';
import { findOrder } from '../service.ts';
import { euros, greeting, MailedOrder, mailToShopper, sampleOrder } from './mailed-order.ts';
import { paymentNoticesOf } from './payments.ts';
import { orderPhrases } from './phrases.ts';

/** The items and totals of an order, for texts of mails. */
const orderTable = inLanguages((language) => {
  const { subtotal, discount, shipping, tax, rounding, total, includesTax } = orderPhrases[language];
  // Programs that show mails do not know `end`.
  const end = directionOf(language) === 'rtl' ? 'left' : 'right';
  return {
    text: `{% for item in order.items %}{{ item.quantity }} × {{ item.title }}{% if item.variantTitle %} ({{ item.variantTitle }}){% endif %}: {{ item.total | money }}
{% endfor %}
${subtotal}: {{ order.totals.subtotal | money }}
{% if order.totals.discount.amount != 0 %}${discount}: {{ order.totals.discount | money }}
{% endif %}{% if order.totals.shipping.amount != 0 %}${shipping}: {{ order.totals.shipping | money }}
{% endif %}{% if order.taxOnTop.amount != 0 %}${tax}: {{ order.taxOnTop | money }}
{% endif %}{% if order.totals.rounding.amount != 0 %}${rounding}: {{ order.totals.rounding | money }}
{% endif %}${total}: {{ order.totals.total | money }}
{% if order.taxWithin.amount != 0 %}${includesTax}: {{ order.taxWithin | money }}
{% endif %}`,
    html: `<table style="width:100%">
{% for item in order.items %}<tr><td>{{ item.quantity }} × {{ item.title }}{% if item.variantTitle %} ({{ item.variantTitle }}){% endif %}</td><td style="text-align:${end}">{{ item.total | money }}</td></tr>
{% endfor %}<tr><td>${subtotal}</td><td style="text-align:${end}">{{ order.totals.subtotal | money }}</td></tr>
{% if order.totals.discount.amount != 0 %}<tr><td>${discount}</td><td style="text-align:${end}">{{ order.totals.discount | money }}</td></tr>
{% endif %}{% if order.totals.shipping.amount != 0 %}<tr><td>${shipping}</td><td style="text-align:${end}">{{ order.totals.shipping | money }}</td></tr>
{% endif %}{% if order.taxOnTop.amount != 0 %}<tr><td>${tax}</td><td style="text-align:${end}">{{ order.taxOnTop | money }}</td></tr>
{% endif %}{% if order.totals.rounding.amount != 0 %}<tr><td>${rounding}</td><td style="text-align:${end}">{{ order.totals.rounding | money }}</td></tr>
{% endif %}<tr><td><strong>${total}</strong></td><td style="text-align:${end}"><strong>{{ order.totals.total | money }}</strong></td></tr>
{% if order.taxWithin.amount != 0 %}<tr><td>${includesTax}</td><td style="text-align:${end}">{{ order.taxWithin | money }}</td></tr>
{% endif %}</table>`,
  };
});

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
  event: orderCancellationAnnounced,
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
