/**
 * The use of promotions by orders: claimed in the transaction that places the order, returned when it is canceled.
 */
import { AllSent, type DraftToWrite, type PlacingStep, placingOrder } from '@carton/checkout';
import type { OrderCanceler } from '@carton/order';
import { outboxRow, runConcurrently, type TenantDatabase } from '@carton/runtime';
import { deleteCodesOf } from '../carts/store.ts';
import { customerKeyOf } from '../customer.ts';
import type { CartPromotions } from '../discounts/schemas.ts';
import { amountsOf } from '../discounts/step.ts';
import { promotionUsed } from '../events.ts';
import { blockingProblems, promotionUsedUp } from '../problems.ts';
import { claimUses, type Use } from './claims-store.ts';
import { holdPromotions, markReturned, returnToCode, returnToCustomer, returnToPromotion } from './store.ts';

type Placing = Parameters<NonNullable<PlacingStep['claim']>>[1];

function usesOf({ sale }: Placing): Use[] {
  return [...amountsOf(sale.adjustments)].map(([promotionId, { amount, code }]) => ({
    promotionId,
    amount,
    code: code === promotionId ? null : code,
  }));
}

async function claim(tx: TenantDatabase, placing: Placing): Promise<void> {
  const uses = usesOf(placing);
  if (uses.length === 0) return;
  const { shopper, sale, customer, orderId } = placing;
  const { currency, memberId } = sale.sale;
  const customerKey = customerKeyOf(shopper?.memberId ?? memberId, customer.email);
  const published = uses.map(({ promotionId, code, amount }) => {
    const payload = { orderId, code, amount: { amount, currency } };
    return outboxRow(tx, promotionUsed, { type: 'promotion', id: promotionId }, payload);
  });
  if (!(await claimUses(tx, { orderId, currency, customerKey }, uses, published))) {
    throw promotionUsedUp(
      'Another order has just used the promotion for the last time. Show the shopper the new total.',
    );
  }
}

/**
 * Deletes the codes of the cart that became the order. Those of a pending order stay: they return with its lines if it is
 * not placed.
 */
function deleteUsedCodes(tx: TenantDatabase, placing: Placing, { pendingUntil }: DraftToWrite): AllSent | undefined {
  const { source, sale } = placing;
  const shown = (sale.shown.promotions ?? []) as typeof CartPromotions.static;
  const hasCodes = source.type === 'cart' && !pendingUntil && shown.some(({ code }) => code !== null);
  return hasCodes ? new AllSent(deleteCodesOf(tx, [source.id])) : undefined;
}

/** A code that can no longer be used blocks the order, so that nobody pays more than they have seen. */
export const promotionPlacing: PlacingStep = {
  name: 'promotion',
  order: placingOrder.claim,
  requirements: Object.fromEntries(Object.values(blockingProblems).map((problem) => [problem.code, problem])),
  problems: [promotionUsedUp],
  require(_, { sale }) {
    const shown = (sale.shown.promotions ?? []) as typeof CartPromotions.static;
    return shown.flatMap(({ code, reason }) => {
      const problem = reason === null ? undefined : blockingProblems[reason];
      return code === null || !problem
        ? []
        : [{ code: problem.code, detail: `Remove the code ${code} from the cart.` }];
    });
  },
  claim,
  write: deleteUsedCodes,
};

/** Returns the uses of a canceled order, once. */
export const returnUses: OrderCanceler = async (tx, { id }) => {
  const returned = await markReturned(tx, id);
  if (returned.length === 0) return;
  const ids = returned.map(({ promotionId }) => promotionId);
  await runConcurrently([
    () => holdPromotions(tx, ids),
    ...returned.map((use) => () => returnToPromotion(tx, use)),
    ...returned.map((use) => () => returnToCode(tx, use)),
    ...returned.map((use) => () => returnToCustomer(tx, use)),
  ]);
};
