/**
 * What stands between a sale and an order, in words.
 */
import { countryName } from '@carton/runtime';
import type { CartIssue, Issue, PricedCustomLine, PricedLine, PricedSale } from './pricing.ts';

export interface CartProblem {
  code: 'cart_empty' | 'item_unavailable' | 'item_unpriced' | 'insufficient_stock' | CartIssue;
  detail: string;
  /** The line; null when it is the cart itself. */
  lineId: string | null;
}

const problemCodes = {
  unavailable: 'item_unavailable',
  unpriced: 'item_unpriced',
  insufficient_stock: 'insufficient_stock',
} as const;

type AnyLine = PricedLine | PricedCustomLine;

const explain: Record<Issue, (line: AnyLine, currency: string) => string> = {
  unavailable: (line) => `${nameOf(line)} is no longer for sale.`,
  unpriced: (line, currency) =>
    line.unitPrice === null ? `${nameOf(line)} has no price in ${currency}.` : `${nameOf(line)}: that is too much.`,
  insufficient_stock: (line) => `There are fewer than ${line.quantity} of ${nameOf(line)} in stock.`,
};

const explainSale: Record<CartIssue, (priced: PricedSale) => string> = {
  country_not_served: ({ sale, region }) => {
    const country = sale.shippingAddress?.country;
    return country
      ? `${region?.name} does not sell to ${countryName(country)}: choose another region or another address.`
      : `${region?.name} sells to countries of its own, and the address names none: say which it is.`;
  },
};

/** Why a sale cannot be ordered as it is, line by line; empty when it can. */
export function cartProblems(priced: PricedSale): CartProblem[] {
  const { sale, lines, issues } = priced;
  if (lines.length === 0) return [{ code: 'cart_empty', detail: 'The cart holds nothing.', lineId: null }];
  const ofLines = lines.flatMap((line) =>
    line.issues.map((issue) => ({
      code: problemCodes[issue],
      detail: explainIssue(line, issue, sale.currency),
      lineId: line.id,
    })),
  );
  return [...ofLines, ...issues.map((code) => ({ code, detail: explainSale[code](priced), lineId: null }))];
}

/** An issue of a line in words. */
export function explainIssue(line: AnyLine, issue: Issue, currency: string): string {
  return explain[issue](line, currency);
}

function nameOf(line: AnyLine): string {
  return line.variant === null ? line.title : `${line.variant.productTitle} ${line.variant.title}`;
}
