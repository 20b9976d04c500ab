/**
 * Rates and amounts of lines, as the page and the PDF show them.
 */
import { numberFormat } from '@carton/runtime';
import type { LinePart, TaxGroup, TaxOfRate } from '../content.ts';

/** The amount of a part as prices are: with the taxes that they contain. */
export function priced({ group, net, taxes }: LinePart, groups: readonly TaxGroup[]): number {
  return taxes.reduce((sum, tax, at) => sum + (groups[group]?.[at]?.included ? tax : 0), net);
}

function percentOf({ rate }: TaxOfRate, locale: string): string | null {
  const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 5 });
  return rate === null ? null : percent.format(rate / 100);
}

/** The rates of a group: `5% + 9.975%`; a dash without taxes. */
export function ratesOf(group: TaxGroup, locale: string): string {
  return group.map((tax) => percentOf(tax, locale) ?? tax.label).join(' + ') || '–';
}

/** A tax with its rate: `VAT 19%`. */
export function labelOfTax(tax: TaxOfRate, locale: string): string {
  return [tax.label, percentOf(tax, locale)].filter(Boolean).join(' ');
}
