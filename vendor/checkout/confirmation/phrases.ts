/**
 * The phrases of the confirmation of an order, in all languages.
 */
import type { InLanguages } from '@carton/runtime';

export interface ConfirmationPhrases {
  order: string;
  placedOn: string;
  startedOn: string;
  payBy: string;
  shippingAddress: string;
  billingAddress: string;
  yourNote: string;
  reference: string;
  refunded: string;
  subtotal: string;
  includes: string;
  paid: string;
  leftToPay: string;
  toBeRefunded: string;
}

export const confirmationPhrases: InLanguages<ConfirmationPhrases> = {
  en: {
    order: 'Order {number}',
    placedOn: 'Order {number}, placed on {date}',
    startedOn: 'Order {number}, started on {date}',
    payBy: 'Please pay by {date}; otherwise the order is canceled then.',
    shippingAddress: 'Shipping address',
    billingAddress: 'Billing address',
    yourNote: 'Your note',
    reference: 'Reference',
    refunded: 'Refunded',
    subtotal: 'Subtotal',
    includes: 'Includes {tax}',
    paid: 'Paid',
    leftToPay: 'Left to pay',
    toBeRefunded: 'To be refunded',
  },
  de: {
    order: 'Bestellung {number}',
    placedOn: 'Bestellung {number}, aufgegeben am {date}',
    startedOn: 'Bestellung {number}, begonnen am {date}',
    payBy: 'Bitte zahlen Sie bis zum {date}, sonst wird die Bestellung dann storniert.',
    shippingAddress: 'Lieferadresse',
    billingAddress: 'Rechnungsadresse',
    yourNote: 'Ihre Anmerkung',
    reference: 'Verwendungszweck',
    refunded: 'Erstattet',
    subtotal: 'Zwischensumme',
    includes: 'Enthält {tax}',
    paid: 'Bezahlt',
    leftToPay: 'Noch zu zahlen',
    toBeRefunded: 'Noch zu erstatten',
  },
  fr: {
    order: 'Commande {number}',
    placedOn: 'Commande {number}, passée le {date}',
    startedOn: 'Commande {number}, commencée le {date}',
    payBy: 'Veuillez payer avant le {date}, faute de quoi la commande sera annulée.',
    shippingAddress: 'Adresse de livraison',
    billingAddress: 'Adresse de facturation',
    yourNote: 'Votre remarque',
    reference: 'Référence',
    refunded: 'Remboursé',
    subtotal: 'Sous-total',
    includes: 'Dont {tax}',
    paid: 'Payé',
    leftToPay: 'Reste à payer',
    toBeRefunded: 'À rembourser',
  },
  es: {
    order: 'Pedido {number}',
    placedOn: 'Pedido {number}, realizado el {date}',
    startedOn: 'Pedido {number}, iniciado el {date}',
    payBy: 'Pague antes del {date}; de lo contrario, el pedido se cancelará en ese momento.',
    shippingAddress: 'Dirección de envío',
    billingAddress: 'Dirección de facturación',
    yourNote: 'Su nota',
    reference: 'Referencia',
    refunded: 'Reembolsado',
    subtotal: 'Subtotal',
    includes: 'Incluye {tax}',
    paid: 'Pagado',
    leftToPay: 'Pendiente de pago',
    toBeRefunded: 'Por reembolsar',
  },
  it: {
    order: 'Ordine {number}',
    placedOn: 'Ordine {number}, effettuato il {date}',
    startedOn: 'Ordine {number}, iniziato il {date}',
    payBy: 'La preghiamo di pagare entro il {date}; in caso contrario l’ordine sarà annullato.',
    shippingAddress: 'Indirizzo di spedizione',
    billingAddress: 'Indirizzo di fatturazione',
    yourNote: 'La sua nota',
    reference: 'Causale',
    refunded: 'Rimborsato',
    subtotal: 'Subtotale',
    includes: 'Include {tax}',
    paid: 'Pagato',
    leftToPay: 'Da pagare',
    toBeRefunded: 'Da rimborsare',
  },
  nl: {
    order: 'Bestelling {number}',
    placedOn: 'Bestelling {number}, geplaatst op {date}',
    startedOn: 'Bestelling {number}, begonnen op {date}',
    payBy: 'Betaal uiterlijk {date}; anders wordt de bestelling dan geannuleerd.',
    shippingAddress: 'Verzendadres',
    billingAddress: 'Factuuradres',
    yourNote: 'Uw opmerking',
    reference: 'Kenmerk',
    refunded: 'Terugbetaald',
    subtotal: 'Subtotaal',
    includes: 'Inclusief {tax}',
    paid: 'Betaald',
    leftToPay: 'Nog te betalen',
    toBeRefunded: 'Terug te betalen',
  },
  pl: {
    order: 'Zamówienie {number}',
    placedOn: 'Zamówienie {number}, złożone {date}',
    startedOn: 'Zamówienie {number}, rozpoczęte {date}',
    payBy: 'Prosimy o zapłatę do {date}; w przeciwnym razie zamówienie zostanie anulowane.',
    shippingAddress: 'Adres dostawy',
    billingAddress: 'Adres rozliczeniowy',
    yourNote: 'Twoja uwaga',
    reference: 'Tytuł przelewu',
    refunded: 'Zwrócono',
    subtotal: 'Suma częściowa',
    includes: 'W tym {tax}',
    paid: 'Zapłacono',
    leftToPay: 'Pozostało do zapłaty',
    toBeRefunded: 'Do zwrotu',
  },
  ja: {
    order: 'ご注文 {number}',
    placedOn: 'ご注文 {number}（注文日時：{date}）',
    startedOn: 'ご注文 {number}（開始日時：{date}）',
    payBy: '{date}までにお支払いください。お支払いがない場合、ご注文はキャンセルとなります。',
    shippingAddress: 'お届け先',
    billingAddress: 'ご請求先',
    yourNote: '備考',
    reference: '参照番号',
    refunded: '返金',
    subtotal: '小計',
    includes: 'うち {tax}',
    paid: 'お支払い済み',
    leftToPay: 'お支払い残高',
    toBeRefunded: '返金予定',
  },
  ar: {
    order: 'الطلب {number}',
    placedOn: 'الطلب {number}، بتاريخ {date}',
    startedOn: 'الطلب {number}، بدأ بتاريخ {date}',
    payBy: 'يرجى الدفع قبل {date}، وإلا فسيُلغى الطلب حينها.',
    shippingAddress: 'عنوان الشحن',
    billingAddress: 'عنوان الفاتورة',
    yourNote: 'ملاحظتك',
    reference: 'المرجع',
    refunded: 'المسترد',
    subtotal: 'المجموع الفرعي',
    includes: 'يشمل {tax}',
    paid: 'المدفوع',
    leftToPay: 'المتبقي للدفع',
    toBeRefunded: 'المبلغ الذي سيُسترد',
  },
};
