/**
 * Explains why a sale cannot be ordered.
 */
import { explainQuantityRule } from '@carton/product';
import { countryName, formatMoney, isProvince, needsProvince } from '@carton/runtime';
import { countryOf } from './sale.ts';
import type { Issue, PricedCustomLine, PricedLine, PricedSale } from './service.ts';
import { explainPostalCode } from './store-rules.ts';
import type { CartIssue } from './totals.ts';

export interface CartProblem {
  code: 'cart_empty' | 'item_unavailable' | 'item_unpriced' | 'insufficient_stock' | 'quantity_limit' | CartIssue;
  detail: string;
  /** Null for a problem of the cart as a whole. */
  lineId: string | null;
}

const problemCodes = {
  unavailable: 'item_unavailable',
  unpriced: 'item_unpriced',
  insufficient_stock: 'insufficient_stock',
  quantity_limit: 'quantity_limit',
} as const;

type AnyLine = PricedLine | PricedCustomLine;

const explain: Record<Issue, (line: AnyLine, currency: string) => string> = {
  unavailable: (line) => `${nameOf(line)} is no longer for sale.`,
  unpriced: (line, currency) =>
    line.unitPrice === null
      ? `${nameOf(line)} has no price in ${currency}.`
      : `The amount for ${nameOf(line)} is too large.`,
  insufficient_stock: (line) => `Fewer than ${line.quantity} of ${nameOf(line)} are in stock.`,
  quantity_limit: (line) =>
    `Order ${nameOf(line)} in quantities ${line.variant ? explainQuantityRule(line.variant) : ''}.`,
};

const explainSale: Record<CartIssue, (priced: PricedSale) => string> = {
  country_not_served: ({ sale, region }) => {
    const country = sale.shippingAddress?.country;
    return country
      ? `${region?.name} does not sell to ${countryName(country)}. Choose another region or another address.`
      : `The shipping address needs a country that ${region?.name} sells to.`;
  },
  currency_changed: ({ sale: { currency } }) =>
    `The prices are now in ${currency}, the currency of the cart's region. Accept it, or choose another region.`,
  postal_code_invalid: ({ sale }) => explainPostalCode(sale) ?? 'Correct the postal code.',
  province_missing: ({ sale }) => {
    const country = countryOf(sale, sale.deliveryAddress ?? sale.shippingAddress);
    const where = country === null ? 'the country' : countryName(country);
    return `Missing: address.province. Taxes or shipping in ${where} depend on it.`;
  },
  province_unknown: ({ sale }) => {
    const address = sale.deliveryAddress ?? sale.shippingAddress;
    const country = countryOf(sale, address);
    const province = address?.province ?? '';
    const where = country === null ? 'the country' : countryName(country);
    if (country !== null && isProvince(country, province)) {
      return `${province} is or has several provinces of ${where}. Taxes or shipping depend on which: name the province itself.`;
    }
    const canLeaveOut = country !== null && !needsProvince(country);
    return `${province} is not a known province of ${where}. Taxes or shipping depend on it: correct it${canLeaveOut ? ', or leave it out' : ''}.`;
  },
  minimum_order: ({ sale: { currency }, shortfall }) => {
    const show = (amount = 0) => formatMoney({ amount, currency }, 'en');
    return `The minimum order is ${show(shortfall?.minimum)}: add items for ${show(shortfall?.missing)}.`;
  },
};

/** An issue that prevents the order only where the store requires the field: `fieldProblems`. */
const ofFields: ReadonlySet<CartIssue> = new Set(['postal_code_invalid']);

/** Why a sale cannot be ordered, line by line; empty if it can. */
export function cartProblems(priced: PricedSale): CartProblem[] {
  const { sale, lines, issues } = priced;
  if (lines.length === 0) return [{ code: 'cart_empty', detail: 'The cart is empty.', lineId: null }];
  const lineProblems = lines.flatMap((line) =>
    line.issues.map((issue) => ({
      code: problemCodes[issue],
      detail: explainIssue(line, issue, sale.currency),
      lineId: line.id,
    })),
  );
  return [...lineProblems, ...issues.flatMap((code) => (ofFields.has(code) ? [] : problemOf(priced, code)))];
}

/** Problems of fields of the address, which matter where the store requires these fields. */
export function fieldProblems(priced: PricedSale): CartProblem[] {
  return priced.issues.flatMap((code) => (ofFields.has(code) ? problemOf(priced, code) : []));
}

function problemOf(priced: PricedSale, code: CartIssue): CartProblem {
  return { code, detail: explainSale[code](priced), lineId: null };
}

/** Explains an issue of a line of the shopper's cart. */
function explainIssue(line: AnyLine, issue: Issue, currency: string): string {
  return explain[issue](line, currency);
}

/** Of a variant that shoppers cannot buy, whether it exists or not: its title may be confidential. */
export const noVariantForSale = (variantId: string) => `There is no variant for sale with the id ${variantId}.`;

/** Explains why a line cannot be put into a cart. */
export function explainRefusal(line: AnyLine, issue: Issue, currency: string): string {
  const isHidden = issue === 'unavailable' && line.variantId !== null;
  return isHidden ? noVariantForSale(line.variantId) : explainIssue(line, issue, currency);
}

function nameOf(line: AnyLine): string {
  return line.variant === null ? line.title : `${line.variant.productTitle} ${line.variant.title}`;
}
