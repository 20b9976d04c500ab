/**
 * The use of promotions by orders: claimed in the transaction that places the order, returned when it is canceled.
 */
import { type DraftToWrite, type PlacingStep, placingOrder } from '@carton/checkout';
import type { OrderCanceler } from '@carton/order';
import { publish, runConcurrently, type TenantDatabase } from '@carton/runtime';
import { deleteCodes } from '../carts/store.ts';
import { customerKeyOf } from '../customer.ts';
import type { CartPromotions } from '../discounts/schemas.ts';
import { amountsOf } from '../discounts/step.ts';
import { promotionUsed } from '../events.ts';
import { blockingProblems, promotionUsedUp } from '../problems.ts';
import {
  claimCode,
  claimForCustomer,
  claimPromotion,
  holdPromotions,
  insertUses,
  markReturned,
  returnToCode,
  returnToCustomer,
  returnToPromotion,
  type Use,
} from './store.ts';

type Placing = Parameters<NonNullable<PlacingStep['claim']>>[1];

/** The uses of an order by promotion id: the order in which their rows are locked. */
function usesOf({ sale }: Placing): Use[] {
  return [...amountsOf(sale.adjustments)]
    .map(([promotionId, { amount, code }]) => ({ promotionId, amount, code: code === promotionId ? null : code }))
    .toSorted((one, other) => (one.promotionId < other.promotionId ? -1 : 1));
}

async function claimUses(tx: TenantDatabase, placing: Placing): Promise<void> {
  const uses = usesOf(placing);
  if (uses.length === 0) return;
  const { shopper, sale, customer, orderId } = placing;
  const customerKey = customerKeyOf(shopper?.memberId ?? sale.sale.memberId, customer.email);
  const ids = uses.map(({ promotionId }) => promotionId);
  // Pipelined: PostgreSQL runs them in this order, which is the same for all orders.
  const [, ...claims] = await runConcurrently([
    () => holdPromotions(tx, ids),
    ...uses.map((use) => () => claimPromotion(tx, use.promotionId)),
    ...uses.map((use) => () => (use.code === null ? true : claimCode(tx, use.promotionId, use.code))),
    ...uses.map((use) => () => (customerKey === null ? true : claimForCustomer(tx, use.promotionId, customerKey))),
    () => insertUses(tx, { orderId, customerKey, currency: sale.sale.currency }, uses),
  ]);
  if (claims.includes(false)) {
    throw promotionUsedUp(
      'Another order has just used the promotion for the last time. Show the shopper the new total.',
    );
  }
}

/**
 * Publishes the uses, and deletes the codes of the cart that became the order. Those of a pending order stay: they return
 * with its lines if it is not placed.
 */
async function recordUses(tx: TenantDatabase, placing: Placing, { pendingUntil }: DraftToWrite): Promise<void> {
  const { source, orderId, sale } = placing;
  const { currency } = sale.sale;
  const shown = (sale.shown.promotions ?? []) as typeof CartPromotions.static;
  const hasCodes = source.type === 'cart' && !pendingUntil && shown.some(({ code }) => code !== null);
  await runConcurrently([
    ...usesOf(placing).map(({ promotionId, code, amount }) => () => {
      const payload = { orderId, code, amount: { amount, currency } };
      return publish(tx, promotionUsed, { type: 'promotion', id: promotionId }, payload);
    }),
    () => (hasCodes ? deleteCodes(tx, source.id) : undefined),
  ]);
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
  claim: claimUses,
  write: recordUses,
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
