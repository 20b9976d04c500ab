/**
 * The step of the totals pipeline that taxes lines and shipping charges after discounts.
 */
import {
  type Adjustment,
  type CartIssue,
  type TaxExemption as ExemptionKind,
  type MissingQuote,
  type Sale,
  type TotalsDraft,
  totalsOrder,
  totalsStep,
} from '@carton/cart';
import { findStore } from '@carton/core';
import { exemptionSource } from '@carton/order';
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import { reverseChargeOf } from '../numbers/exemptions.ts';
import { exemptionCode, exemptionLabel } from '../numbers/labels.ts';
import { type NumberRead, readNumber } from '../numbers/service.ts';
import { adjustmentsOf, missingQuoteOf, type QuotesRead, quoteFor, readQuotes } from '../providers/quotes.ts';
import { hasProviders } from '../providers/settings.ts';
import { type ApplicableRate, ratesOf } from '../rates/applicable.ts';
import { type RatesOfPlace, readRates } from '../rates/places.ts';
import { taxSettings } from '../settings.ts';
import { partsOfCharge, type Taxable, taxesOf } from './compute.ts';
import { includedIn } from './included.ts';

/**
 * Whether a sale is exempt from all taxes. Takes at most one statement, which shares a round trip with the reads of all
 * steps. Prices that include tax stay as they are, without tax.
 */
export type TaxExemption = (db: TenantDatabase, sale: Sale) => Promise<boolean>;
export const taxExemptions = extensionPoint<TaxExemption>('tax.exemptions');

/** What the step reads. */
export interface TaxRead extends RatesOfPlace {
  settings: ReturnType<typeof taxSettings.of>;
  isExempt: boolean;
  /** Null in a box without tax providers. */
  quotes: QuotesRead | null;
  /** Null for a sale whose tax number nobody is asked about. */
  number: NumberRead | null;
  /** ISO 3166-1 alpha-2: the country of the store. */
  home: string | null;
  /** BCP 47: the language of the store. */
  defaultLocale: string;
}

/** What taxes of a sale by rates depend on. */
export async function readRatesOfSale(
  db: TenantDatabase,
  sale: Sale,
): Promise<Omit<TaxRead, 'quotes' | 'settings' | 'number' | 'home' | 'defaultLocale'>> {
  const [there, ...exemptions] = await Promise.all([
    readRates(db, sale),
    ...taxExemptions.of(db).map((isExempt) => isExempt(db, sale)),
  ]);
  return { ...there, isExempt: exemptions.includes(true) };
}

/** What the steps of taxes and of the tax number read. */
export async function readTaxes(db: TenantDatabase, sale: Sale): Promise<TaxRead> {
  const [applied, store, quotes, number] = await Promise.all([
    readRatesOfSale(db, sale),
    findStore(db),
    hasProviders(db) ? readQuotes(db, sale) : null,
    readNumber(db, sale),
  ]);
  const { country: home, defaultLocale } = store;
  return { ...applied, settings: taxSettings.of(store), quotes, number, home, defaultLocale };
}

interface Target extends Taxable, Pick<Adjustment, 'lineId' | 'shippingCode'> {
  readonly included: boolean;
}

/** The lines and charges of a sale with the rates that apply to them; several parts of a charge may have a rate each. */
function targetsOf(
  { lines, shipping, region }: TotalsDraft,
  { rates, settings }: Parameters<typeof taxesByRates>[1],
): Target[] {
  const included = includedIn(region);
  const categories = new Set(lines.map(({ taxCategory }) => taxCategory));
  const applied = new Map([...categories].map((category) => [category, ratesOf(rates, category)]));
  const goods = lines.map(({ id, total, discountedTotal, quantity, taxCategory }) => ({
    ...{ lineId: id, amount: discountedTotal, price: total, quantity },
    rates: applied.get(taxCategory) as ApplicableRate[],
    included: included.goods,
  }));
  const { shippingCategory } = settings;
  const charges = shipping.flatMap(({ code, discountedAmount }) => {
    const parts =
      shippingCategory === null
        ? partsOfCharge(discountedAmount, goods)
        : [{ amount: discountedAmount, rates: ratesOf(rates, shippingCategory) }];
    return parts.map((part) => ({ ...part, shippingCode: code, included: included.charges }));
  });
  return [...goods, ...charges];
}

/** Why a sale has no tax; null for one with tax. */
export function exemptionOf(draft: TotalsDraft, { number, home, isExempt }: TaxRead): ExemptionKind | null {
  // Where free text sends the order, nobody has read: it may be the next street.
  const byNumber = draft.sale.hasTextAddress ? null : reverseChargeOf(draft, number, home);
  return byNumber ?? (isExempt ? 'exempt_member' : null);
}

/**
 * Discounts by the taxes that prices contain, as a consumer at the same address would pay them, so that the buyer pays the
 * net price; none where taxes come on top.
 */
function takeOff(draft: TotalsDraft, read: TaxRead, exemption: ExemptionKind): Adjustment[] {
  const source = { type: exemptionSource, id: exemption };
  const label = exemptionLabel([draft.sale.locale, read.defaultLocale]);
  const common = { code: exemptionCode, label, kind: 'discount', source } as const;
  const included = taxesByRates(draft, read).filter((tax) => tax.included);
  const contained = Map.groupBy(included, ({ lineId, shippingCode }) => JSON.stringify([lineId, shippingCode]));
  return [...contained.values()].flatMap((taxes) => {
    const { lineId, shippingCode } = taxes[0] as Adjustment;
    const amount = taxes.reduce((sum, tax) => sum + tax.amount, 0);
    const target = lineId === undefined ? { shippingCode: shippingCode as string } : { lineId };
    return amount === 0 ? [] : [{ ...common, amount: -amount, ...target }];
  });
}

/** The taxes that the provider has computed, or those of the rates. */
function adjustTaxes(draft: TotalsDraft, read: TaxRead): Adjustment[] {
  const exemption = exemptionOf(draft, read);
  if (exemption === 'exempt_member') return [];
  if (exemption !== null) return takeOff(draft, read, exemption);
  const needed = quoteFor(draft, read.settings, read.quotes);
  if (needed?.asked && needed.answer) return adjustmentsOf(draft, needed.asked, needed.answer);
  return taxesByRates(draft, read);
}

function findMissing(draft: TotalsDraft, read: TaxRead): MissingQuote | null {
  const { settings, quotes } = read;
  const needed = exemptionOf(draft, read) ? null : quoteFor(draft, settings, quotes);
  return needed && !needed.answer ? missingQuoteOf(needed, settings, quotes?.saleKey ?? '') : null;
}

/**
 * Without the province, the rates of the store may be the wrong ones. A provider reads addresses by itself, and the address
 * of a place of pickup is not the shopper's to correct.
 */
function findIssues(draft: TotalsDraft, read: TaxRead): CartIssue[] {
  const isPickedUp = draft.sale.deliveryAddress !== undefined;
  if (exemptionOf(draft, read) || isPickedUp || read.settings.provider !== null) return [];
  if (read.isProvinceMissing) return ['province_missing'];
  return read.isProvinceUnknown ? ['province_unknown'] : [];
}

/** The settings by which taxes are computed. */
type TaxRulesOfStore = Pick<TaxRead['settings'], 'roundPer' | 'rounding' | 'shippingCategory'>;

/** One tax for each line or charge and rate. */
export function taxesByRates(
  draft: TotalsDraft,
  read: Pick<TaxRead, 'rates'> & { settings: TaxRulesOfStore },
): Adjustment[] {
  if (read.rates.length === 0) return [];
  const targets = targetsOf(draft, read);
  const { roundPer, rounding } = read.settings;
  const taxes = taxesOf(targets, { included: false, roundPer, rounding });
  const ofLines: Adjustment[] = [];
  // Parts of a charge may have a rate in common.
  const ofCharges = new Map<string, Adjustment>();
  for (const [at, { lineId, shippingCode, rates, included }] of targets.entries()) {
    for (const [position, { id, code, name, rate }] of rates.entries()) {
      const amount = taxes[at]?.[position] as number;
      const tax = { code, label: name, kind: 'tax', rate, included, source: { type: 'tax_rate', id } } as const;
      if (lineId !== undefined) {
        ofLines.push({ ...tax, amount, lineId });
        continue;
      }
      const key = `${id} ${shippingCode}`;
      const before = ofCharges.get(key)?.amount ?? 0;
      ofCharges.set(key, { ...tax, amount: before + amount, shippingCode });
    }
  }
  return [...ofLines, ...ofCharges.values()];
}

export const taxStep = totalsStep<TaxRead>({
  name: 'tax',
  order: totalsOrder.tax,
  reads: readTaxes,
  adjust: adjustTaxes,
  missing: findMissing,
  issues: findIssues,
  asksService: hasProviders,
});
