/**
 * What the shopper has seen and what is charged are the same, or nothing is ordered: the state of `GET /checkout` that
 * an If-Match names, and the total that the body expects.
 */
import type { PricedSale } from '@carton/cart';
import {
  defineProblem,
  type IfMatch,
  isCurrency,
  Money,
  type MoneyValue,
  money,
  nullable,
  object,
  type Static,
} from '@carton/runtime';
import type { CheckoutPreview } from './schemas.ts';

const totals = object(
  { expected: nullable(Money), actual: Money },
  { description: 'What was seen, and what it is now' },
);

export const offerChanged = defineProblem({
  code: 'offer_changed',
  status: 412,
  title: 'The checkout is not what If-Match names',
  members: { totals },
});
export const totalChanged = defineProblem({
  code: 'total_changed',
  status: 409,
  title: 'The total is not the expected one',
  members: { totals },
});

type Preview = Static<typeof CheckoutPreview>;

/** The ETag of GET /checkout begins with the total, so that a refusal can tell what was seen: `1999EUR.`. */
export function etagPrefixOf({ cart }: Preview): string {
  const { amount, currency } = cart.totals.total;
  return `${amount}${currency}.`;
}

/** The total that an ETag of GET /checkout begins with; null for anything else. */
function seenIn(header: string): MoneyValue | null {
  const [, digits, currency] = /^\s*"(\d{1,16})([A-Z]{3})\./.exec(header) ?? [];
  const amount = Number(digits);
  return currency && isCurrency(currency) && Number.isSafeInteger(amount) ? money(amount, currency) : null;
}

/**
 * Refuses a cart that is no longer as If-Match names it, however it became so.
 * @param look reads what GET /checkout answers now; not called without the header
 * @throws offer_changed (412), precondition_failed (412) for what is no list of tags
 */
export async function refuseStaleOffer(ifMatch: IfMatch | null, look: () => Promise<Preview>): Promise<void> {
  if (!ifMatch) return;
  const preview = await look();
  if (!ifMatch.names(preview)) throw changed(ifMatch, preview.cart.totals.total);
}

/**
 * Refuses to charge another total than the one that was seen.
 * @throws offer_changed (412) when If-Match named another, total_changed (409) when the body did
 */
export function refuseDrift({ sale, totals }: PricedSale, ifMatch: IfMatch | null, expectedTotal?: MoneyValue): void {
  const actual = money(totals.total, sale.currency);
  const seen = ifMatch && seenIn(ifMatch.header);
  if (ifMatch && seen && !isSame(seen, actual)) throw changed(ifMatch, actual);
  if (expectedTotal && !isSame(expectedTotal, actual)) {
    throw totalChanged('Show the shopper what it comes to now.', {
      members: { totals: { expected: expectedTotal, actual } },
    });
  }
}

function isSame(one: MoneyValue, other: MoneyValue): boolean {
  return one.amount === other.amount && one.currency === other.currency;
}

function changed({ header }: IfMatch, actual: MoneyValue) {
  const members = { totals: { expected: seenIn(header), actual } };
  return offerChanged('Read the checkout again, and show the shopper what it comes to now.', { members });
}
