/**
 * The text of the adjustment that takes the tax off prices that contain it, in the language of the sale, else of the store.
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

/** @param locales BCP 47, the preferred one first; English if there is a text in none of them */
export function exemptionLabel(locales: readonly (string | null)[]): string {
  return translationFor(labels, locales).texts;
}
