/**
 * Rejects orders whose offer differs from the one that the shopper has seen: by the ETag of `GET /checkout` in If-Match,
 * or by the `expectedTotal` of the body.
 */
import { hash } from 'node:crypto';
import { type PricedCart, presentCart, type StoredCart } from '@carton/cart';
import { type IfMatch, isCurrency, type MoneyValue, money, type Static } from '@carton/runtime';
import { offerChanged, totalChanged } from '../problems.ts';
import type { CheckoutPreview } from '../schemas.ts';

type Preview = Static<typeof CheckoutPreview>;

const charactersOfCharges = 11;

/**
 * Prefix of the ETag of GET /checkout: the total, so that a problem can report the total that was seen, and a hash of what it
 * consists of, which is compared with that of the order: `1999EUR.Ia3ZAcbLm0w-`.
 */
export function etagPrefixOf({ cart }: Preview): string {
  const { amount, currency } = cart.totals.total;
  return `${amount}${currency}.${chargesOf(cart)}-`;
}

/** Two offers of one total may have other taxes, where prices contain them. */
function chargesOf({ totals, adjustments }: Pick<Preview['cart'], 'totals' | 'adjustments'>): string {
  return hash('sha1', JSON.stringify([totals, adjustments]), 'base64url').slice(0, charactersOfCharges);
}

const tagOfOffer = new RegExp(`^\\s*(?:W/)?"(\\d{1,16})([A-Z]{3})\\.([\\w-]{${charactersOfCharges}})-`);

/** The total and the hash in the prefix of an ETag of GET /checkout; null for anything else. */
function offerOfTag(header: string): { total: MoneyValue; charges: string } | null {
  const [, digits, currency, charges = ''] = tagOfOffer.exec(header) ?? [];
  const amount = Number(digits);
  if (!currency || !isCurrency(currency) || !Number.isSafeInteger(amount)) return null;
  return { total: money(amount, currency), charges };
}

const totalOfTag = (header: string): MoneyValue | null => offerOfTag(header)?.total ?? null;

/** The total that the shopper says to have seen; null if they say nothing. */
export function seenTotalOf(ifMatch: IfMatch | null, expectedTotal?: MoneyValue): MoneyValue | null {
  return expectedTotal ?? (ifMatch && totalOfTag(ifMatch.header));
}

/**
 * Rejects a cart whose offer no longer matches If-Match.
 * @param readPreview reads the current response of GET /checkout; not called without the header
 * @throws offer_changed (412), precondition_failed (412) if the header is not a list of tags
 */
export async function rejectStaleOffer(ifMatch: IfMatch | null, readPreview: () => Promise<Preview>): Promise<void> {
  if (!ifMatch) return;
  const preview = await readPreview();
  if (!ifMatch.names(preview)) throw offerChangedTo(ifMatch, preview.cart.totals.total);
}

/**
 * Rejects a total that differs from the one that the shopper has seen, or taxes and other parts that differ from those of
 * the offer.
 * @throws offer_changed (412) if it differs from If-Match, total_changed (409) if it differs from the body
 */
export function rejectChangedTotal(
  priced: PricedCart<StoredCart>,
  ifMatch: IfMatch | null,
  expectedTotal?: MoneyValue,
): void {
  const actual = money(priced.totals.total, priced.sale.currency);
  const seen = ifMatch && offerOfTag(ifMatch.header);
  if (ifMatch && seen) {
    const isSame = isEqual(seen.total, actual) && seen.charges === chargesOf(presentCart(priced));
    if (!isSame) throw offerChangedTo(ifMatch, actual);
  }
  if (expectedTotal && !isEqual(expectedTotal, actual)) {
    throw totalChanged('Show the shopper the current total.', {
      members: { totals: { expected: expectedTotal, actual } },
    });
  }
}

function isEqual(one: MoneyValue, other: MoneyValue): boolean {
  return one.amount === other.amount && one.currency === other.currency;
}

function offerChangedTo({ header }: IfMatch, actual: MoneyValue) {
  const members = { totals: { expected: totalOfTag(header), actual } };
  const detail =
    'Read the checkout again and show the shopper the current total. An address in the body that is not that of the cart may change taxes: set it on the cart before.';
  return offerChanged(detail, { members });
}
