/**
 * Mails about payments and refunds of orders to shoppers.
 */
import { findOrder, greeting, MailedOrder, mailToShopper, sampleOrder } from '@carton/order';
import {
  type ComposedMail,
  defineMail,
  type MailEvent,
  Money,
  mailTexts,
  money,
  object,
  type Static,
  type TenantDatabase,
  Type,
} from '@carton/runtime';
import { paymentCaptured, refundCreated } from './events.ts';
import { paymentPhrases } from './phrases.ts';
import { tenderOf } from './tenders/tender.ts';

const PaymentData = object({
  order: MailedOrder,
  amount: Money,
  method: Type.String({ description: 'Code of the payment method', examples: ['bank_transfer'] }),
});
type PaymentData = Static<typeof PaymentData>;
type Payload = Static<typeof paymentCaptured.payload>;

const sample: PaymentData = { order: sampleOrder, amount: sampleOrder.totals.total, method: 'bank_transfer' };

/** Staff find the mail under the order, and it is sent after earlier mails about the order. */
const aboutOrder = ({ payload }: MailEvent) => ({ type: 'order', id: (payload as Payload).orderId });

async function composePayment(db: TenantDatabase, { payload }: MailEvent): Promise<ComposedMail<PaymentData> | null> {
  const { orderId, amount, currency, provider, method } = payload as Payload;
  const order = await findOrder(db, orderId);
  // A pending order has no mails; what a gift card has paid of it comes back if it is canceled.
  if (!order || (!order.wasPlaced && tenderOf(db, provider))) return null;
  return mailToShopper(order, { amount: money(amount, currency), method });
}

export const paymentReceivedMail = defineMail<typeof PaymentData>({
  key: 'payment.captured',
  summary: 'To the shopper, when all or part of an order is paid',
  audience: 'shopper',
  data: PaymentData,
  sample: { ...sample, order: { ...sampleOrder, paymentStatus: 'paid', balance: money(0, 'EUR') } },
  ...mailTexts(paymentPhrases, ({ receivedSubject, received, stillDue }, language) => {
    const sentence = `${received}{% if order.balance.amount > 0 %}${stillDue}{% endif %}`;
    return {
      subject: receivedSubject,
      text: `${greeting[language]}\n\n${sentence}\n`,
      html: `<p>${greeting[language]}</p>\n<p>${sentence}</p>`,
    };
  }),
  event: paymentCaptured,
  about: aboutOrder,
  compose: composePayment,
});

export const refundMail = defineMail<typeof PaymentData>({
  key: 'refund.created',
  summary: 'To the shopper, when all or part of a payment is refunded',
  audience: 'shopper',
  data: PaymentData,
  sample,
  ...mailTexts(paymentPhrases, ({ refundSubject, refunded }, language) => ({
    subject: refundSubject,
    text: `${greeting[language]}\n\n${refunded}\n`,
    html: `<p>${greeting[language]}</p>\n<p>${refunded}</p>`,
  })),
  event: refundCreated,
  about: aboutOrder,
  compose: composePayment,
});
