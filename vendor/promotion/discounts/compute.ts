/**
 * The arithmetic of promotions on goods: pure functions over lines. Amounts are integer minor units.
 */
import type { LineFacts, TotalsLine } from '@carton/cart';
import type { RuleCondition } from '@carton/product';
import { allocate, divideRounded, hundredPercent, percentOf, scalePercent } from '@carton/runtime';
import { amountLists, type MaxUnits } from '../promotions/kinds.ts';
import type { Discount, Rules } from '../promotions/schemas.ts';

/** A discount in one currency. */
type DiscountIn<D> = D extends Discount
  ? Omit<D, 'amounts' | 'maxAmounts'> &
      (D extends { amounts: unknown } ? { readonly amount: number } : unknown) &
      (D extends { maxAmounts?: unknown } ? { readonly maxAmount?: number | null } : unknown)
  : never;

/** The parts of a promotion that decide what it takes off, in one currency. */
export interface Offer {
  readonly discount: DiscountIn<Discount>;
  readonly rules: Pick<Rules, 'conditions' | 'appliesTo'>;
}

/** A promotion in a currency; without an amount in it, an amount off and the most to take off are zero. */
export function offerIn(currency: string, { discount, rules }: { discount: Discount; rules: Offer['rules'] }): Offer {
  const amounts = amountLists(discount).map(({ name, amounts }) => {
    const { amount = 0 } = amounts.find((each) => each.currency === currency) ?? {};
    return [name === 'amounts' ? 'amount' : 'maxAmount', amount];
  });
  return { discount: { ...discount, ...Object.fromEntries(amounts) }, rules };
}

/** A part of a discount: `amount`, above zero, off a line. */
export interface Share {
  readonly lineId: string;
  readonly amount: number;
}

/** What earlier promotions have left of a line. */
interface Left {
  /** Minor units before any promotion. */
  readonly price: number;
  /** Minor units. */
  amount: number;
  /** Units that no promotion of the kind `buy_x_get_y` has used. */
  unused: number;
  /** The part of `amount` that is the price of unused units. */
  unusedAmount: number;
}
type LeftOf = ReadonlyMap<string, Left>;

function leftOf(lines: readonly TotalsLine[], amountOf: (line: TotalsLine) => number): LeftOf {
  const untouched = (line: TotalsLine): Left => {
    const amount = amountOf(line);
    return { price: amount, amount, unused: line.quantity, unusedAmount: amount };
  };
  return new Map(lines.map((line) => [line.id, untouched(line)]));
}

/** `part` of `whole`, of an amount; zero of nothing. */
function fraction(amount: number, part: number | bigint, whole: number | bigint): number {
  if (whole === 0) return 0;
  // Nearly all are one of these, of many lines and promotions: the same without a division of large integers.
  if (part === whole) return amount;
  if (amount === whole) return Number(part);
  return divideRounded(BigInt(amount) * BigInt(part), BigInt(whole));
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/** The lines that meet all conditions. */
export function linesMeeting(
  conditions: readonly RuleCondition[],
  lines: readonly TotalsLine[],
  facts: LineFacts,
): readonly TotalsLine[] {
  return lines.filter((line) => conditions.every((condition) => facts.holds(condition, line)));
}

/**
 * Applies promotions one after the other, each to what the earlier ones have left.
 * @param amountOf what is left of a line before the first promotion
 * @returns the shares of each promotion, in the order passed
 */
export function applyOffers(
  offers: readonly Offer[],
  lines: readonly TotalsLine[],
  facts: LineFacts,
  amountOf: (line: TotalsLine) => number,
): Share[][] {
  const left = leftOf(lines, amountOf);
  return offers.map((offer) => sharesOf(offer, lines, facts, left).filter(({ amount }) => amount > 0));
}

/** The shares of an offer, which are taken off what is left. */
function sharesOf(offer: Offer, lines: readonly TotalsLine[], facts: LineFacts, left: LeftOf): Share[] {
  const { discount, rules } = offer;
  if (isOnShipping(discount)) return [];
  const qualifying = linesMeeting(rules.conditions, lines, facts);
  if (discount.kind === 'buy_x_get_y') return sharesOfSets(discount, qualifying, lines, facts, left);
  const targets = rules.appliesTo === 'all' ? lines : qualifying;
  const units = unitsOf(targets, 'maxUnits' in discount ? discount.maxUnits : undefined, left);
  /** The part of an amount of each line that its units have. */
  const parts = (amountOf: (of: Left) => number) =>
    targets.map((line, at) => fraction(amountOf(left.get(line.id) as Left), units[at] as number, line.quantity));
  const amounts = parts(({ amount }) => amount);
  const shares = divided(discount, amounts, { prices: parts(({ price }) => price), units });
  return targets.map(({ id }, at) => {
    const share = shares[at] as number;
    const of = left.get(id) as Left;
    of.unusedAmount -= fraction(of.unusedAmount, share, of.amount);
    of.amount -= share;
    return { lineId: id, amount: share };
  });
}

/**
 * Divides what a discount takes off among lines.
 * @param amounts what is left of them, of the units that it is taken off
 * @param of.prices the same before any promotion
 */
function divided(
  discount: Extract<Offer['discount'], { kind: 'percent' | 'fixed' | 'fixed_per_unit' }>,
  amounts: readonly number[],
  { prices, units }: { prices: readonly number[]; units: readonly number[] },
): number[] {
  if (discount.kind === 'fixed_per_unit') {
    return amounts.map((amount, at) => Math.min(discount.amount * (units[at] as number), amount));
  }
  if (discount.kind === 'fixed') return allocate(Math.min(discount.amount, sum(amounts)), amounts);
  const bases = discount.base === 'price' ? prices : amounts;
  return allocate(percentAtMost(discount, sum(bases)), bases).map((share, at) =>
    Math.min(share, amounts[at] as number),
  );
}

/** A percentage is rounded once for all lines, so that it is exact however many lines there are. */
function percentAtMost({ percent, maxAmount }: { percent: number; maxAmount?: number | null }, total: number): number {
  return Math.min(percentOf(total, percent), maxAmount ?? Number.POSITIVE_INFINITY);
}

/**
 * The number of units of each line that a discount is taken off. Units that cost nothing any more use up no limit. Lines of
 * one variant count as one, since shoppers may divide them by their properties as they like.
 */
function unitsOf(lines: readonly TotalsLine[], most: MaxUnits | undefined, left: LeftOf): number[] {
  if (!most) return lines.map(({ quantity }) => quantity);
  const direction = most.first === 'cheapest' ? 1 : -1;
  const found = new Map<TotalsLine, number>();
  const rest = new Map<string, number>();
  for (const line of lines.toSorted((one, other) => direction * (one.unitPrice - other.unitPrice))) {
    const limited = most.per === 'order' ? 'order' : (line.variantId ?? line.id);
    const of = rest.get(limited) ?? most.count;
    const isFree = (left.get(line.id) as Left).amount === 0;
    // A limit of each line that no line reaches is none: without one, a line counts also where nothing of it is left.
    const count = isFree && most.per === 'order' ? 0 : Math.min(line.quantity, of);
    found.set(line, count);
    if (!isFree) rest.set(limited, of - count);
  }
  return lines.map((line) => found.get(line) as number);
}

/** A discount that is taken off shipping charges, and not off goods. */
type ShippingDiscount = Extract<Offer['discount'], { kind: 'free_shipping' | 'shipping_percent' | 'shipping_fixed' }>;

export function isOnShipping<D extends { kind: string }>(
  discount: D,
): discount is Extract<D, { kind: ShippingDiscount['kind'] }> {
  return ['free_shipping', 'shipping_percent', 'shipping_fixed'].includes(discount.kind);
}

/**
 * Takes promotions off shipping charges one after the other, each off what the earlier ones have left of all charges
 * together.
 * @param charges minor units
 * @returns the shares of each promotion in each charge, in the order passed; zero for a promotion on goods
 */
export function applyToCharges(offers: readonly Offer[], charges: readonly number[]): number[][] {
  const left = [...charges];
  return offers.map(({ discount }) => {
    const total = sum(left);
    const shares = allocate(isOnShipping(discount) ? offCharges(discount, total) : 0, left);
    for (const [at, share] of shares.entries()) left[at] = (left[at] as number) - share;
    return shares;
  });
}

function offCharges(discount: ShippingDiscount, total: number): number {
  if (discount.kind === 'free_shipping') return total;
  return discount.kind === 'shipping_fixed' ? Math.min(discount.amount, total) : percentAtMost(discount, total);
}

type Sets = Extract<Discount, { kind: 'buy_x_get_y' }>;

interface Units {
  readonly line: TotalsLine;
  count: number;
}

/** The unused units of lines, cheapest first. */
function unusedUnits(lines: readonly TotalsLine[], left: LeftOf): Units[] {
  return lines
    .map((line) => ({ line, count: (left.get(line.id) as Left).unused }))
    .toSorted((one, other) => one.line.unitPrice - other.line.unitPrice);
}

/** The number of complete sets that units make; no unit is both bought and discounted. */
function countSets(
  { buyQuantity, getQuantity, maxSets }: Sets,
  onlyBuy: number,
  onlyGet: number,
  both: number,
): number {
  let sets = Math.min(
    Math.floor((onlyBuy + both) / buyQuantity),
    Math.floor((onlyGet + both) / getQuantity),
    maxSets ?? Number.POSITIVE_INFINITY,
  );
  const needed = (count: number) =>
    Math.max(0, count * buyQuantity - onlyBuy) + Math.max(0, count * getQuantity - onlyGet);
  while (needed(sets) > both) sets--;
  return sets;
}

function setsOf(discount: Sets, buy: readonly TotalsLine[], get: readonly TotalsLine[], left: LeftOf) {
  const count = (lines: readonly TotalsLine[]) => sum(lines.map(({ id }) => (left.get(id) as Left).unused));
  const isGot = new Set(get);
  const onlyBuy = count(buy.filter((line) => !isGot.has(line)));
  const both = count(buy.filter((line) => isGot.has(line)));
  return { sets: countSets(discount, onlyBuy, count(get) - both, both), onlyBuy, both };
}

/** Whether the lines make at least one set of units to buy and to get. */
export function makesSet({ discount, rules }: Offer, lines: readonly TotalsLine[], facts: LineFacts): boolean {
  if (discount.kind !== 'buy_x_get_y') return true;
  const buy = linesMeeting(rules.conditions, lines, facts);
  const get = discount.getConditions ? linesMeeting(discount.getConditions, lines, facts) : buy;
  return (
    setsOf(
      discount,
      buy,
      get,
      leftOf(lines, ({ total }) => total),
    ).sets > 0
  );
}

/**
 * Takes the percentage off the cheapest units that can be had for the bought ones, and uses up both. Units are bought
 * where they cannot be had, as far as possible, dearest first.
 */
function sharesOfSets(
  discount: Sets,
  buy: readonly TotalsLine[],
  lines: readonly TotalsLine[],
  facts: LineFacts,
  left: LeftOf,
): Share[] {
  const get = discount.getConditions ? linesMeeting(discount.getConditions, lines, facts) : buy;
  const { sets, onlyBuy, both } = setsOf(discount, buy, get, left);
  let bought = sets * discount.buyQuantity;
  let spare = both - Math.max(0, bought - onlyBuy);
  let wanted = sets * discount.getQuantity;
  const shares: Share[] = [];
  const [isBought, isGot] = [new Set(buy), new Set(get)];
  for (const { line, count } of unusedUnits(get, left)) {
    const isShared = isBought.has(line);
    const taken = Math.min(count, wanted, isShared ? spare : count);
    if (taken === 0) continue;
    wanted -= taken;
    if (isShared) spare -= taken;
    const of = left.get(line.id) as Left;
    const amount = fraction(use(of, taken), scalePercent(discount.percent), hundredPercent);
    of.amount -= amount;
    shares.push({ lineId: line.id, amount });
  }
  const dearest = unusedUnits(buy, left).reverse();
  const ordered = [...dearest.filter(({ line }) => !isGot.has(line)), ...dearest.filter(({ line }) => isGot.has(line))];
  for (const { line, count } of ordered) {
    const taken = Math.min(count, bought);
    bought -= taken;
    use(left.get(line.id) as Left, taken);
  }
  return shares;
}

/** Marks units of a line as used. Returns what is left of their price. */
function use(left: Left, units: number): number {
  const amount = fraction(left.unusedAmount, units, left.unused);
  left.unused -= units;
  left.unusedAmount -= amount;
  return amount;
}
