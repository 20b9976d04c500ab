/**
 * The text of the adjustment that takes the tax off prices that contain it, in the language of the sale.
 */
import { type InLanguages, translationFor } from '@carton/runtime';

const labels: InLanguages<string> = {
  en: 'Tax not charged',
  de: 'Nicht berechnete Steuer',
  fr: 'Taxe non facturée',
  es: 'Impuesto no repercutido',
  it: 'Imposta non addebitata',
  nl: 'Niet berekende belasting',
  pl: 'Podatek nienaliczony',
  ja: '免除された税額',
  ar: 'ضريبة غير محتسبة',
};

/** The code of that adjustment. */
export const exemptionCode = 'tax-exemption';

/** @param locale BCP 47; null for English */
export function exemptionLabel(locale: string | null): string {
  return translationFor(labels, [locale]).texts;
}
