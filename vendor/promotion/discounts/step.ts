/**
 * The steps of the totals pipeline: promotions on goods, and on shipping.
 */
import { type Adjustment, type LineFacts, type Sale, type TotalsDraft, totalsOrder, totalsStep } from '@carton/cart';
import { money, type Static, type TenantDatabase } from '@carton/runtime';
import type { Applied } from './combination.ts';
import { applyOffers, applyToCharges, isOnShipping, offerIn } from './compute.ts';
import { appliedOf, type Decision, decide } from './eligibility.ts';
import { CartPromotions, PromotionChoice, type Reason } from './schemas.ts';
import { type Considered, readConsidered, storedChoice } from './store.ts';

type Choice = Static<typeof PromotionChoice>;

export const stepName = 'promotions';

/** The `type` in the source of adjustments. */
const sourceType = 'promotion';

/** Both steps read by this function, so that it runs once. */
function reads(db: TenantDatabase, sale: Sale, choice: Choice | undefined): Promise<Considered[]> {
  const { time, memberId, email, cartId } = sale;
  const entered = choice ? { cartId: null, codes: choice.codes } : { cartId, codes: [] };
  return readConsidered(db, { time, memberId, email, ...entered });
}

function decisionsOf({ sale, lines }: TotalsDraft, considered: readonly Considered[], facts: LineFacts): Decision[] {
  return decide(considered, sale, lines, facts);
}

/** What all adjustments of a promotion have in common. */
function adjustmentOf({ considered, promotion }: Applied) {
  const { id, label } = promotion;
  return { code: considered.code ?? id, label, kind: 'discount', source: { type: sourceType, id } } as const;
}

/** One discount for each promotion and line, so that a refund of a line knows its share. */
function discountGoods(draft: TotalsDraft, considered: readonly Considered[], facts: LineFacts): Adjustment[] {
  const applied = appliedOf(decisionsOf(draft, considered, facts));
  const offers = applied.map(({ promotion }) => offerIn(draft.sale.currency, promotion));
  const shares = applyOffers(offers, draft.lines, facts, ({ discountedTotal }) => discountedTotal);
  return applied.flatMap((each, at) => {
    const common = adjustmentOf(each);
    return (shares[at] ?? []).map(({ lineId, amount }) => ({ ...common, lineId, amount: -amount }));
  });
}

/** One discount for each promotion and charge. */
function discountShipping(draft: TotalsDraft, considered: readonly Considered[], facts: LineFacts): Adjustment[] {
  const isAny = considered.some(({ promotion }) => promotion !== null && isOnShipping(promotion.discount));
  if (!isAny || draft.shipping.length === 0) return [];
  const applied = appliedOf(decisionsOf(draft, considered, facts)).filter(isOfShipping);
  const offers = applied.map(({ promotion }) => offerIn(draft.sale.currency, promotion));
  const shares = applyToCharges(
    offers,
    draft.shipping.map(({ discountedAmount }) => discountedAmount),
  );
  return applied.flatMap((each, at) =>
    draft.shipping
      .map(({ code }, place) => ({ ...adjustmentOf(each), shippingCode: code, amount: -(shares[at]?.[place] ?? 0) }))
      .filter(({ amount }) => amount < 0),
  );
}

const isOfShipping = ({ promotion }: Applied) => isOnShipping(promotion.discount);

/** What each promotion takes off a sale, in minor units above zero, by its id. */
export function amountsOf(adjustments: readonly Adjustment[]): Map<string, { amount: number; code: string }> {
  const amounts = new Map<string, { amount: number; code: string }>();
  for (const { source, amount, code } of adjustments) {
    if (source?.type !== sourceType) continue;
    amounts.set(source.id, { code, amount: (amounts.get(source.id)?.amount ?? 0) - amount });
  }
  return new Map([...amounts].filter(([, { amount }]) => amount > 0));
}

/** Automatic promotions are listed while they apply or their minimum is not reached; others may be confidential. */
const listed: readonly (Reason | null)[] = [null, 'minimum_amount', 'minimum_quantity', 'nothing_left'];

function showPromotions(
  draft: TotalsDraft,
  considered: readonly Considered[],
  facts: LineFacts,
): Static<typeof CartPromotions> {
  const amounts = amountsOf(draft.adjustments);
  const hasCharge = draft.shipping.some(({ amount }) => amount > 0);
  return decisionsOf(draft, considered, facts).flatMap(({ considered: { code, promotion }, reason: unmet }) => {
    const amount = unmet === null && promotion ? (amounts.get(promotion.id)?.amount ?? 0) : 0;
    // A discount on shipping applies as soon as its rules are met, even before there is a charge.
    const isAwaited = promotion !== null && isOnShipping(promotion.discount) && !hasCharge;
    const reason = unmet ?? (amount > 0 || isAwaited ? null : 'nothing_left');
    if (code === null && !listed.includes(reason)) return [];
    const shown = { code, label: promotion?.label ?? null, applied: reason === null, reason };
    return [{ ...shown, amount: money(-amount || 0, draft.sale.currency) }];
  });
}

export const promotionsStep = totalsStep<Considered[], Choice, typeof CartPromotions>({
  name: stepName,
  order: totalsOrder.discount,
  choice: PromotionChoice,
  storedChoice,
  reads,
  conditions: (considered) =>
    considered.flatMap(({ promotion }) => {
      if (!promotion) return [];
      const { discount, rules } = promotion;
      return [...rules.conditions, ...((discount.kind === 'buy_x_get_y' && discount.getConditions) || [])];
    }),
  adjust: discountGoods,
  shows: { schema: CartPromotions, of: showPromotions, empty: [] },
});

export const shippingDiscountsStep = totalsStep<Considered[], Choice>({
  name: 'shipping_discounts',
  order: totalsOrder.shippingDiscount,
  reads,
  adjust: discountShipping,
});
