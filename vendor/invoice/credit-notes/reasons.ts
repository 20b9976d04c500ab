/**
 * Why a credit note was issued that nobody has asked for by hand, in all languages.
 */
import { type InLanguages, inLanguages, translationFor } from '@carton/runtime';
import type { InvoiceRow } from '../store.ts';

interface CreditReasons {
  refund: string;
  canceled: string;
  otherMethod: string;
  rounding: string;
}

export const creditReasons: InLanguages<CreditReasons> = {
  en: {
    refund: 'Refund',
    canceled: 'The order was canceled',
    otherMethod: 'Another payment method was chosen',
    rounding: 'The rounding has changed',
  },
  de: {
    refund: 'Erstattung',
    canceled: 'Die Bestellung wurde storniert',
    otherMethod: 'Eine andere Zahlungsart wurde gewählt',
    rounding: 'Die Rundung hat sich geändert',
  },
  fr: {
    refund: 'Remboursement',
    canceled: 'La commande a été annulée',
    otherMethod: 'Un autre mode de paiement a été choisi',
    rounding: 'L’arrondi a changé',
  },
  es: {
    refund: 'Reembolso',
    canceled: 'El pedido se ha cancelado',
    otherMethod: 'Se ha elegido otro método de pago',
    rounding: 'El redondeo ha cambiado',
  },
  it: {
    refund: 'Rimborso',
    canceled: 'L’ordine è stato annullato',
    otherMethod: 'È stato scelto un altro metodo di pagamento',
    rounding: 'L’arrotondamento è cambiato',
  },
  nl: {
    refund: 'Terugbetaling',
    canceled: 'De bestelling is geannuleerd',
    otherMethod: 'Er is een andere betaalmethode gekozen',
    rounding: 'De afronding is gewijzigd',
  },
  pl: {
    refund: 'Zwrot płatności',
    canceled: 'Zamówienie zostało anulowane',
    otherMethod: 'Wybrano inną metodę płatności',
    rounding: 'Zmieniono zaokrąglenie',
  },
  ja: {
    refund: '返金',
    canceled: '注文がキャンセルされました',
    otherMethod: '別の支払方法が選択されました',
    rounding: '端数処理が変更されました',
  },
  ar: {
    refund: 'استرداد المبلغ',
    canceled: 'أُلغي الطلب',
    otherMethod: 'اختيرت طريقة دفع أخرى',
    rounding: 'تغيّر التقريب',
  },
};

const translations = inLanguages((language) => creditReasons[language]);

/** A reason in the language of the invoice that is credited. */
export function reasonOn({ content }: Pick<InvoiceRow, 'content'>, reason: keyof CreditReasons): string {
  return translationFor(translations, [content.locale]).texts[reason];
}
