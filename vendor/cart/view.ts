/**
 * The representations of a priced cart in responses.
 */
import { type HasExtensions, type MoneyValue, money } from '@carton/runtime';
import type { PricedCart } from './pricing/cart.ts';
import { countryOf } from './pricing/sale.ts';
import type { PricedLine } from './pricing/service.ts';
import { type Adjustment, noTotals, shownWhenEmpty, type Totals } from './pricing/totals.ts';
import type { Cart } from './schemas.ts';
import type { StoredCart } from './store.ts';
import type { PriceTerms } from './terms-store.ts';

/** The cart as its shopper sees it. */
export function presentCart(priced: PricedCart<StoredCart>): Cart {
  const { cart, sale, lines, issues, adjustments, totals, buyerTax, shown } = priced;
  const { id, currency, regionId, locale, email, note, shippingAddress, billingAddress, updatedAt } = cart;
  const sums = sumsOfLines(adjustments);
  return {
    ...shown,
    id,
    currency,
    regionId,
    country: countryOf(sale, sale.shippingAddress),
    locale,
    email,
    note,
    items: lines.map((line) => presentLine(line, sums.get(line.id) ?? noSums, currency)),
    shippingAddress,
    billingAddress,
    taxNumber:
      cart.taxNumber === null ? null : { number: cart.taxNumber, status: buyerTax?.check?.status ?? 'unchecked' },
    adjustments: summedByCode(adjustments).map((adjustment) => presentAdjustment(adjustment, currency)),
    totals: presentTotals(totals, currency),
    issues,
    updatedAt,
  };
}

/** An empty cart, for a shopper without a stored one. */
export function presentEmptyCart(box: HasExtensions, { regionId, currency }: PriceTerms): Cart {
  return {
    ...shownWhenEmpty(box),
    id: null,
    currency,
    regionId,
    country: null,
    locale: null,
    email: null,
    note: null,
    items: [],
    shippingAddress: null,
    billingAddress: null,
    taxNumber: null,
    adjustments: [],
    totals: presentTotals(noTotals, currency),
    issues: [],
    updatedAt: null,
  };
}

/** What the adjustments on a line come to, in minor units. */
interface LineSums {
  discount: number;
  tax: number;
}
const noSums: Readonly<LineSums> = { discount: 0, tax: 0 };

function sumsOfLines(adjustments: readonly Adjustment[]): Map<string, LineSums> {
  const sums = new Map<string, LineSums>();
  for (const { kind, lineId, amount } of adjustments) {
    if (lineId === undefined || kind === 'shipping') continue;
    const of = sums.get(lineId) ?? { ...noSums };
    of[kind] += amount;
    sums.set(lineId, of);
  }
  return sums;
}

/**
 * The adjustments with those of the same code added up over the lines, in the order of the first of each: a cart with
 * many lines and promotions would be megabytes otherwise. One that concerns a single line still names it.
 */
function summedByCode(adjustments: readonly Adjustment[]): Adjustment[] {
  if (adjustments.length < 2) return [...adjustments];
  const sums: AdjustmentSum[] = [];
  // Few have the same code, so they are compared: a key of all these fields would be a text for each adjustment.
  const byCode = new Map<string, AdjustmentSum[]>();
  for (const each of adjustments) {
    const ofCode = byCode.get(each.code) ?? [];
    const sum = ofCode.find((one) => isAlike(one, each));
    if (sum) {
      sum.amount += each.amount;
      if (sum.lineId !== each.lineId) sum.lineId = undefined;
      continue;
    }
    const first = { ...each };
    sums.push(first);
    ofCode.push(first);
    byCode.set(each.code, ofCode);
  }
  return sums;
}

type AdjustmentSum = { -readonly [Key in keyof Adjustment]: Adjustment[Key] };

/** Whether adjustments of the same code differ in their lines and amounts alone. */
function isAlike(one: Adjustment, other: Adjustment): boolean {
  return (
    one.kind === other.kind &&
    one.label === other.label &&
    one.shippingCode === other.shippingCode &&
    one.rate === other.rate &&
    one.included === other.included &&
    one.source?.id === other.source?.id
  );
}

function presentLine(line: PricedLine, { discount, tax }: LineSums, currency: string): Cart['items'][number] {
  const { id, variantId, variant, quantity, properties, unitPrice, compareAt, lowestPrior, total, issues } = line;
  const amount = (minor: number | null) => (minor === null ? null : money(minor, currency));
  return {
    id,
    variantId,
    productId: variant.productId,
    productHandle: variant.productHandle,
    title: variant.productTitle,
    variantTitle: variant.title,
    sku: variant.sku,
    quantity,
    properties,
    unitPrice: amount(unitPrice),
    compareAtPrice: amount(compareAt),
    lowestPriorPrice: amount(lowestPrior),
    total: amount(total),
    discount: amount(total === null ? null : discount),
    tax: amount(total === null ? null : tax),
    issues,
  };
}

function presentAdjustment(
  { code, label, kind, amount, lineId, shippingCode, rate, included }: Adjustment,
  currency: string,
): Cart['adjustments'][number] {
  const target = { itemId: lineId ?? null, shippingCode: shippingCode ?? null };
  return {
    code,
    label,
    kind,
    amount: money(amount, currency),
    ...target,
    rate: rate ?? null,
    included: included ?? false,
  };
}

/** Totals with their currency. */
export function presentTotals(totals: Totals, currency: string): Record<keyof Totals, MoneyValue> {
  const { subtotal, discount, shipping, tax, credit, rounding, total } = totals;
  return {
    subtotal: money(subtotal, currency),
    discount: money(discount, currency),
    shipping: money(shipping, currency),
    tax: money(tax, currency),
    credit: money(credit, currency),
    rounding: money(rounding, currency),
    total: money(total, currency),
  };
}
