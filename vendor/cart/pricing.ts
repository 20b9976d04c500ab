/**
 * A cart with its prices: what its lines are, what they cost now, what keeps them from being ordered, and the totals.
 */
import { type Availability, availabilityOf } from '@carton/inventory';
import { pricesOf } from '@carton/pricing';
import { findVariants, type VariantInfo } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';
import type { issues } from './schemas.ts';
import type { CartLine, StoredCart } from './store.ts';
import { type Adjustment, largestAmount, runTotals, type Totals, type TotalsCart, type TotalsLine } from './totals.ts';

export type Issue = (typeof issues)[number];

export interface PricedLine extends CartLine {
  variant: VariantInfo;
  /** Minor units; null while the variant is not for sale or has no price in the cart's currency. */
  unitPrice: number | null;
  /** quantity × unitPrice; null when it does not count. */
  total: number | null;
  /** Why it cannot be ordered as it is; empty when it can. */
  issues: Issue[];
}

/** What pricing looks at of a cart. */
export type PriceableCart = Pick<
  StoredCart,
  'id' | 'memberId' | 'regionId' | 'currency' | 'email' | 'shippingAddress' | 'billingAddress' | 'lines'
>;

export interface PricedCart<C extends PriceableCart = PriceableCart> {
  cart: C;
  /** In the order of the cart's lines. */
  lines: PricedLine[];
  adjustments: readonly Adjustment[];
  totals: Totals;
}

export interface PriceOptions {
  /** False spares the look at stock, for whoever takes the stock in the same transaction and is refused there. */
  stock?: boolean;
  /** Stand in for what the cart has, so that what is priced is what is shipped to; null is none. */
  shippingAddress?: TotalsCart['shippingAddress'];
  billingAddress?: TotalsCart['billingAddress'];
  email?: string | null;
}

/**
 * Prices a cart: three statements that travel together, whatever the number of lines, and those of the totals' steps.
 * A cart always has an answer: a line that cannot be ordered says why and, if it has no price, does not count.
 */
export async function priceCart<C extends PriceableCart>(
  db: TenantDatabase,
  cart: C,
  options: PriceOptions = {},
): Promise<PricedCart<C>> {
  const { stock = true } = options;
  const ids = cart.lines.map(({ variantId }) => variantId);
  const { currency, regionId } = cart;
  const [variants, prices, availabilities] = await Promise.all([
    findVariants(db, ids),
    pricesOf(db, ids, { currency, regionId }),
    stock ? availabilityOf(db, ids) : null,
  ]);
  let room = largestAmount;
  const lines = cart.lines.map((line) => {
    const variant = variants.get(line.variantId);
    if (!variant) throw new Error(`cart ${cart.id} holds the variant ${line.variantId}, which there is not`);
    const priced = priceLine(line, variant, prices.get(line.variantId), availabilities, room);
    room -= priced.total ?? 0;
    return priced;
  });
  return { cart, lines, ...(await runTotals(db, withStandIns(cart, options), lines.flatMap(countedLine))) };
}

/** The cart as the totals are to see it. */
function withStandIns(cart: TotalsCart, { shippingAddress, billingAddress, email }: PriceOptions): TotalsCart {
  return {
    ...cart,
    ...(shippingAddress !== undefined && { shippingAddress }),
    ...(billingAddress !== undefined && { billingAddress }),
    ...(email !== undefined && { email }),
  };
}

function priceLine(
  line: CartLine,
  variant: VariantInfo,
  price: number | undefined,
  availabilities: ReadonlyMap<string, Availability> | null,
  room: number,
): PricedLine {
  if (!isForSale(variant)) return { ...line, variant, unitPrice: null, total: null, issues: ['unavailable'] };
  const unitPrice = price ?? null;
  // The product itself may be beyond what is exact, and is then far beyond the room too.
  const total = unitPrice === null || unitPrice * line.quantity > room ? null : unitPrice * line.quantity;
  const issues: Issue[] = [];
  if (total === null) issues.push('unpriced');
  if (availabilities && isShort(line, availabilities.get(variant.id))) issues.push('insufficient_stock');
  return { ...line, variant, unitPrice, total, issues };
}

function isForSale({ deleted, productStatus }: VariantInfo): boolean {
  return !deleted && productStatus === 'published';
}

/** True when there is less than the line asks for; what stock knows nothing of is not there. */
function isShort({ quantity }: CartLine, availability: Availability | undefined): boolean {
  if (!availability) return true;
  return availability.limit !== null && availability.limit < quantity;
}

function countedLine({ id, variantId, variant, quantity, unitPrice, total }: PricedLine): TotalsLine[] {
  if (unitPrice === null || total === null) return [];
  const { productId, weight } = variant;
  return [{ id, variantId, productId, weight, quantity, unitPrice, total, discountedTotal: total }];
}

/** What stands between a cart and an order. */
export interface CartProblem {
  code: 'cart_empty' | 'item_unavailable' | 'item_unpriced' | 'insufficient_stock';
  detail: string;
  /** The line; null when it is the cart itself. */
  lineId: string | null;
}

const problemCodes = {
  unavailable: 'item_unavailable',
  unpriced: 'item_unpriced',
  insufficient_stock: 'insufficient_stock',
} as const;

const explain: Record<Issue, (line: PricedLine, currency: string) => string> = {
  unavailable: (line) => `${nameOf(line)} is no longer for sale.`,
  unpriced: (line, currency) =>
    line.unitPrice === null ? `${nameOf(line)} has no price in ${currency}.` : `${nameOf(line)}: that is too much.`,
  insufficient_stock: (line) => `There are fewer than ${line.quantity} of ${nameOf(line)} in stock.`,
};

/** Why a cart cannot be ordered as it is, line by line; empty when it can. */
export function cartProblems({ cart, lines }: PricedCart): CartProblem[] {
  if (lines.length === 0) return [{ code: 'cart_empty', detail: 'The cart holds nothing.', lineId: null }];
  return lines.flatMap((line) =>
    line.issues.map((issue) => ({
      code: problemCodes[issue],
      detail: explainIssue(line, issue, cart.currency),
      lineId: line.id,
    })),
  );
}

/** An issue in words. */
export function explainIssue(line: PricedLine, issue: Issue, currency: string): string {
  return explain[issue](line, currency);
}

function nameOf({ variant }: PricedLine): string {
  return `${variant.productTitle} ${variant.title}`;
}
