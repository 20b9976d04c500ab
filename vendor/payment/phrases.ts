/**
 * The phrases of mails about payments and refunds, in Liquid, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

interface PaymentPhrases {
  receivedSubject: string;
  received: string;
  stillDue: string;
  refundSubject: string;
  refunded: string;
}

const number = '{{ order.number }}';
const amount = '{{ amount | money }}';
const balance = '{{ order.balance | money }}';

export const paymentPhrases: InLanguages<PaymentPhrases> = {
  en: {
    receivedSubject: `We have received your payment for order ${number}`,
    received: `we have received ${amount} for your order ${number}.`,
    stillDue: ` ${balance} is still due.`,
    refundSubject: `Refund for your order ${number}`,
    refunded: `we have refunded ${amount} for your order ${number}.`,
  },
  de: {
    receivedSubject: `Wir haben Ihre Zahlung für die Bestellung ${number} erhalten`,
    received: `wir haben ${amount} für Ihre Bestellung ${number} erhalten.`,
    stillDue: ` Offen sind noch ${balance}.`,
    refundSubject: `Erstattung für Ihre Bestellung ${number}`,
    refunded: `wir haben Ihnen ${amount} für Ihre Bestellung ${number} erstattet.`,
  },
  fr: {
    receivedSubject: `Nous avons reçu votre paiement pour la commande ${number}`,
    received: `nous avons reçu ${amount} pour votre commande ${number}.`,
    stillDue: ` Il reste ${balance} à régler.`,
    refundSubject: `Remboursement de votre commande ${number}`,
    refunded: `nous vous avons remboursé ${amount} pour votre commande ${number}.`,
  },
  es: {
    receivedSubject: `Hemos recibido su pago del pedido ${number}`,
    received: `Hemos recibido ${amount} por su pedido ${number}.`,
    stillDue: ` Quedan ${balance} por pagar.`,
    refundSubject: `Reembolso de su pedido ${number}`,
    refunded: `Le hemos reembolsado ${amount} de su pedido ${number}.`,
  },
  it: {
    receivedSubject: `Abbiamo ricevuto il pagamento dell’ordine ${number}`,
    received: `abbiamo ricevuto ${amount} per il suo ordine ${number}.`,
    stillDue: ` Restano da pagare ${balance}.`,
    refundSubject: `Rimborso per il suo ordine ${number}`,
    refunded: `le abbiamo rimborsato ${amount} per il suo ordine ${number}.`,
  },
  nl: {
    receivedSubject: `We hebben uw betaling voor bestelling ${number} ontvangen`,
    received: `We hebben ${amount} ontvangen voor uw bestelling ${number}.`,
    stillDue: ` Er staat nog ${balance} open.`,
    refundSubject: `Terugbetaling voor uw bestelling ${number}`,
    refunded: `We hebben ${amount} terugbetaald voor uw bestelling ${number}.`,
  },
  pl: {
    receivedSubject: `Otrzymaliśmy płatność za zamówienie ${number}`,
    received: `otrzymaliśmy ${amount} za zamówienie ${number}.`,
    stillDue: ` Do zapłaty pozostało ${balance}.`,
    refundSubject: `Zwrot za zamówienie ${number}`,
    refunded: `zwróciliśmy ${amount} za zamówienie ${number}.`,
  },
  ja: {
    receivedSubject: `ご注文 ${number} のお支払いを受け取りました`,
    received: `ご注文（${number}）について ${amount} のお支払いを受け取りました。`,
    stillDue: `残りのお支払い額は ${balance} です。`,
    refundSubject: `ご注文 ${number} の返金について`,
    refunded: `ご注文（${number}）について ${amount} を返金いたしました。`,
  },
  ar: {
    receivedSubject: `استلمنا دفعتك للطلب ${number}`,
    received: `استلمنا ${amount} مقابل طلبك ${number}.`,
    stillDue: ` المبلغ المتبقي: ${balance}.`,
    refundSubject: `استرداد مبلغ طلبك ${number}`,
    refunded: `أعدنا إليك ${amount} عن طلبك ${number}.`,
  },
};
