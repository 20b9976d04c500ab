/**
 * The arithmetic of promotions on goods: pure functions over lines. Amounts are integer minor units.
 */
import type { LineFacts, TotalsLine } from '@carton/cart';
import type { RuleCondition } from '@carton/product';
import { allocate, divideRounded, hundredPercent, percentOf, scalePercent } from '@carton/runtime';
import type { Discount, Rules } from '../promotions/schemas.ts';

/** The parts of a promotion that decide what it takes off, in one currency. */
export interface Offer {
  readonly discount: Exclude<Discount, { kind: 'fixed' }> | { readonly kind: 'fixed'; readonly amount: number };
  readonly rules: Pick<Rules, 'conditions' | 'appliesTo'>;
}

/** A promotion in a currency; a fixed discount without an amount in it is zero. */
export function offerIn(currency: string, { discount, rules }: { discount: Discount; rules: Rules }): Offer {
  if (discount.kind !== 'fixed') return { discount, rules };
  const { amount = 0 } = discount.amounts.find((each) => each.currency === currency) ?? {};
  return { discount: { kind: 'fixed', amount }, rules };
}

/** A part of a discount: `amount`, above zero, off a line. */
export interface Share {
  readonly lineId: string;
  readonly amount: number;
}

/** What earlier promotions have left of a line. */
interface Left {
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
    return { amount, unused: line.quantity, unusedAmount: amount };
  };
  return new Map(lines.map((line) => [line.id, untouched(line)]));
}

/** `part` of `whole`, of an amount; zero of nothing. */
function fraction(amount: number, part: number | bigint, whole: number | bigint): number {
  return whole === 0 ? 0 : divideRounded(BigInt(amount) * BigInt(part), BigInt(whole));
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
function sharesOf({ discount, rules }: Offer, lines: readonly TotalsLine[], facts: LineFacts, left: LeftOf): Share[] {
  if (discount.kind === 'free_shipping') return [];
  const qualifying = linesMeeting(rules.conditions, lines, facts);
  if (discount.kind === 'buy_x_get_y') return sharesOfSets(discount, qualifying, lines, facts, left);
  const targets = rules.appliesTo === 'all' ? lines : qualifying;
  const amounts = targets.map(({ id }) => (left.get(id) as Left).amount);
  const total = sum(amounts);
  // A percentage is rounded once for all lines, so that it is exact however many lines there are.
  const amount = discount.kind === 'percent' ? percentOf(total, discount.percent) : Math.min(discount.amount, total);
  const shares = allocate(amount, amounts);
  return targets.map(({ id }, at) => {
    const share = shares[at] as number;
    const of = left.get(id) as Left;
    of.unusedAmount -= fraction(of.unusedAmount, share, of.amount);
    of.amount -= share;
    return { lineId: id, amount: share };
  });
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
