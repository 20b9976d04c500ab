/**
 * Which of the considered promotions apply to a sale, and why the others do not: pure functions.
 */
import type { LineFacts, Sale, TotalsLine } from '@carton/cart';
import { amountLists } from '../promotions/kinds.ts';
import { type Applied, combinationOf } from './combination.ts';
import { linesMeeting, makesSet, offerIn } from './compute.ts';
import type { Reason } from './schemas.ts';
import type { Considered } from './store.ts';

/** A considered promotion or code, and why it does not apply; null if it does. */
export interface Decision {
  readonly considered: Considered;
  readonly reason: Reason | null;
}

type Shopper = Pick<Sale, 'currency' | 'regionId' | 'memberId' | 'email'>;

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/**
 * Decides on promotions and codes, in the order in which they apply. Depends on the lines' prices before discounts only,
 * so that steps before and after a discount decide alike.
 */
export function decide(
  considered: readonly Considered[],
  shopper: Shopper,
  lines: readonly TotalsLine[],
  facts: LineFacts,
): Decision[] {
  const seen = new Set<string>();
  const decisions = considered.map((each): Decision => {
    const reason = each.unusable ?? unmetRule(each, shopper, lines, facts);
    if (reason !== null || !each.promotion) return { considered: each, reason };
    if (seen.has(each.promotion.id)) return { considered: each, reason: 'same_promotion' };
    seen.add(each.promotion.id);
    return { considered: each, reason: null };
  });
  const combination = new Set(combinationOf(appliedOf(decisions), shopper.currency, lines, facts));
  return decisions.map((decision) => {
    const isExcluded = decision.reason === null && !combination.has(decision.considered);
    return isExcluded ? { ...decision, reason: 'excluded' } : decision;
  });
}

/** The promotions that apply, in order. */
export function appliedOf(decisions: readonly Decision[]): Applied[] {
  return decisions.flatMap(({ considered, reason }) => {
    const { promotion } = considered;
    return reason === null && promotion ? [{ considered, promotion }] : [];
  });
}

/** The first rule that the sale does not meet; null if it meets all. */
function unmetRule(
  { code, promotion, hasOrdered }: Considered,
  { currency, regionId, memberId, email }: Shopper,
  lines: readonly TotalsLine[],
  facts: LineFacts,
): Reason | null {
  if (!promotion) return 'unknown';
  const { rules, discount, maxUsesPerCustomer } = promotion;
  if (rules.regionIds.length > 0 && !rules.regionIds.some((id) => id.toLowerCase() === regionId)) return 'region';
  if (rules.membersOnly && memberId === null) return 'members_only';
  if (rules.firstOrder && hasOrdered) return 'first_order_only';
  // An automatic promotion must not disappear once the e-mail address is known; a code blocks the order instead.
  const isPersonal = rules.firstOrder || maxUsesPerCustomer !== null;
  if (code === null && isPersonal && memberId === null && email === null) return 'email_needed';
  const qualifying = linesMeeting(rules.conditions, lines, facts);
  if (qualifying.length === 0) return 'no_matching_items';
  const isIn = (amounts: readonly { currency: string }[]) => amounts.some((each) => each.currency === currency);
  if (!amountLists(discount).every(({ amounts }) => isIn(amounts))) return 'currency';
  if (rules.minimumAmounts.length > 0) {
    const minimum = rules.minimumAmounts.find((each) => each.currency === currency);
    if (!minimum) return 'currency';
    if (sum(qualifying.map(({ total }) => total)) < minimum.amount) return 'minimum_amount';
  }
  if (sum(qualifying.map(({ quantity }) => quantity)) < rules.minimumQuantity) return 'minimum_quantity';
  return makesSet(offerIn(currency, promotion), lines, facts) ? null : 'minimum_quantity';
}
