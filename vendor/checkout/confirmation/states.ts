/**
 * The states of orders and payments on the confirmation of an order, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

export interface StatePhrases {
  pendingHeading: string;
  placedHeading: string;
  canceledHeading: string;
  waiting: string;
  unpaid: string;
  authorized: string;
  partiallyPaid: string;
  paid: string;
  partiallyRefunded: string;
  refunded: string;
  voided: string;
}

export const statePhrases: InLanguages<StatePhrases> = {
  en: {
    pendingHeading: 'Your order waits for your payment',
    placedHeading: 'Thank you for your order',
    canceledHeading: 'Your order was canceled',
    waiting: 'Waiting for payment',
    unpaid: 'Not paid yet',
    authorized: 'Payment authorised',
    partiallyPaid: 'Partially paid',
    paid: 'Paid',
    partiallyRefunded: 'Partially refunded',
    refunded: 'Refunded',
    voided: 'Payment voided',
  },
  de: {
    pendingHeading: 'Ihre Bestellung wartet auf Ihre Zahlung',
    placedHeading: 'Vielen Dank für Ihre Bestellung',
    canceledHeading: 'Ihre Bestellung wurde storniert',
    waiting: 'Warten auf Zahlung',
    unpaid: 'Noch nicht bezahlt',
    authorized: 'Zahlung autorisiert',
    partiallyPaid: 'Teilweise bezahlt',
    paid: 'Bezahlt',
    partiallyRefunded: 'Teilweise erstattet',
    refunded: 'Erstattet',
    voided: 'Zahlung storniert',
  },
  fr: {
    pendingHeading: 'Votre commande attend votre paiement',
    placedHeading: 'Merci pour votre commande',
    canceledHeading: 'Votre commande a été annulée',
    waiting: 'En attente de paiement',
    unpaid: 'Pas encore payée',
    authorized: 'Paiement autorisé',
    partiallyPaid: 'Partiellement payée',
    paid: 'Payée',
    partiallyRefunded: 'Partiellement remboursée',
    refunded: 'Remboursée',
    voided: 'Paiement annulé',
  },
  es: {
    pendingHeading: 'Su pedido está pendiente de pago',
    placedHeading: 'Gracias por su pedido',
    canceledHeading: 'Su pedido se ha cancelado',
    waiting: 'Pendiente de pago',
    unpaid: 'Aún sin pagar',
    authorized: 'Pago autorizado',
    partiallyPaid: 'Pagado parcialmente',
    paid: 'Pagado',
    partiallyRefunded: 'Reembolsado parcialmente',
    refunded: 'Reembolsado',
    voided: 'Pago anulado',
  },
  it: {
    pendingHeading: 'Il suo ordine attende il pagamento',
    placedHeading: 'Grazie per il suo ordine',
    canceledHeading: 'Il suo ordine è stato annullato',
    waiting: 'In attesa di pagamento',
    unpaid: 'Non ancora pagato',
    authorized: 'Pagamento autorizzato',
    partiallyPaid: 'Pagato in parte',
    paid: 'Pagato',
    partiallyRefunded: 'Rimborsato in parte',
    refunded: 'Rimborsato',
    voided: 'Pagamento annullato',
  },
  nl: {
    pendingHeading: 'Uw bestelling wacht op uw betaling',
    placedHeading: 'Bedankt voor uw bestelling',
    canceledHeading: 'Uw bestelling is geannuleerd',
    waiting: 'Wacht op betaling',
    unpaid: 'Nog niet betaald',
    authorized: 'Betaling geautoriseerd',
    partiallyPaid: 'Gedeeltelijk betaald',
    paid: 'Betaald',
    partiallyRefunded: 'Gedeeltelijk terugbetaald',
    refunded: 'Terugbetaald',
    voided: 'Betaling geannuleerd',
  },
  pl: {
    pendingHeading: 'Twoje zamówienie czeka na płatność',
    placedHeading: 'Dziękujemy za zamówienie',
    canceledHeading: 'Twoje zamówienie zostało anulowane',
    waiting: 'Oczekuje na płatność',
    unpaid: 'Jeszcze nieopłacone',
    authorized: 'Płatność autoryzowana',
    partiallyPaid: 'Częściowo opłacone',
    paid: 'Opłacone',
    partiallyRefunded: 'Częściowo zwrócone',
    refunded: 'Zwrócone',
    voided: 'Płatność unieważniona',
  },
  ja: {
    pendingHeading: 'お支払いをお待ちしています',
    placedHeading: 'ご注文ありがとうございます',
    canceledHeading: 'ご注文はキャンセルされました',
    waiting: 'お支払い待ち',
    unpaid: '未払い',
    authorized: '支払い承認済み',
    partiallyPaid: '一部支払い済み',
    paid: '支払い済み',
    partiallyRefunded: '一部返金済み',
    refunded: '返金済み',
    voided: '支払い取消済み',
  },
  ar: {
    pendingHeading: 'طلبك بانتظار الدفع',
    placedHeading: 'شكرًا لك على طلبك',
    canceledHeading: 'أُلغي طلبك',
    waiting: 'بانتظار الدفع',
    unpaid: 'لم يُدفع بعد',
    authorized: 'تم التفويض بالدفع',
    partiallyPaid: 'مدفوع جزئيًا',
    paid: 'مدفوع',
    partiallyRefunded: 'مسترد جزئيًا',
    refunded: 'مسترد',
    voided: 'أُلغي الدفع',
  },
};
