/**
 * The use of promotions by orders: claimed in the transaction that places the order, returned when it is canceled.
 */
import { type DraftToWrite, type PlacingStep, placingOrder } from '@carton/checkout';
import type { OrderCanceler } from '@carton/order';
import { newId, publish, runConcurrently, type TenantDatabase } from '@carton/runtime';
import { codeKey } from '../codes/text.ts';
import { amountsOf } from '../discounts/step.ts';
import { customerKeyOf } from '../discounts/store.ts';
import { promotionUsed } from '../events.ts';
import { blockingProblems, promotionUsedUp } from '../problems.ts';
import type { CartPromotions } from '../promotions/schemas.ts';

/** A use of a promotion by an order. */
interface Use {
  promotionId: string;
  /** The code; null for an automatic promotion. */
  code: string | null;
  /** Minor units, above zero. */
  amount: number;
}

type Placing = Parameters<NonNullable<PlacingStep['claim']>>[1];

/** The uses of an order by promotion id: the order in which their rows are locked. */
function usesOf({ sale }: Placing): Use[] {
  return [...amountsOf(sale.adjustments)]
    .map(([promotionId, { amount, code }]) => ({ promotionId, amount, code: code === promotionId ? null : code }))
    .toSorted((one, other) => (one.promotionId < other.promotionId ? -1 : 1));
}

/**
 * Keeps staff from setting a limit until the transaction ends, so that each use is counted by it: by `countUses` or by a
 * claim. Does not keep other orders waiting.
 */
async function holdPromotions(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query('select id from promotions where tenant_id = $1 and id = any($2::uuid[]) order by id for key share', [
    ids,
  ]);
}

/** One conditional update. Without a limit it changes nothing, so that orders do not wait for each other. */
async function claimPromotion(tx: TenantDatabase, { promotionId }: Use): Promise<boolean> {
  const [claim] = await tx.query<{ isClaimed: boolean }>(
    `with claimed as (
       update promotions set claimed = claimed + 1
        where tenant_id = $1 and id = $2 and max_uses is not null and claimed < max_uses
       returning id
     )
     select max_uses is null or exists (select from claimed) as is_claimed
       from promotions where tenant_id = $1 and id = $2`,
    [promotionId],
  );
  return claim?.isClaimed ?? false;
}

async function claimCode(tx: TenantDatabase, { promotionId, code }: Use): Promise<boolean> {
  if (code === null) return true;
  const [claim] = await tx.query<{ isClaimed: boolean }>(
    `with claimed as (
       update promotion_codes set claimed = claimed + 1
        where tenant_id = $1 and promotion_id = $2 and code_key = $3 and max_uses is not null and claimed < max_uses
       returning id
     )
     select max_uses is null or exists (select from claimed) as is_claimed
       from promotion_codes where tenant_id = $1 and promotion_id = $2 and code_key = $3`,
    [promotionId, codeKey(code)],
  );
  return claim?.isClaimed ?? false;
}

/** Counts the use of the customer, up to the limit; a promotion for first orders is used once. */
async function claimForCustomer(tx: TenantDatabase, { promotionId }: Use, customerKey: string): Promise<boolean> {
  const claimed = await tx.query(
    `insert into promotion_customers as customers (tenant_id, promotion_id, customer_key, uses, max_uses)
     select $1, id, $3, 1, least(max_uses_per_customer, case when (rules ->> 'firstOrder')::boolean then 1 end)
       from promotions where tenant_id = $1 and id = $2
     on conflict (tenant_id, promotion_id, customer_key) do update
        set uses = customers.uses + 1, max_uses = excluded.max_uses
      where excluded.max_uses is null or customers.uses < excluded.max_uses
     returning uses`,
    [promotionId, customerKey],
  );
  return claimed.length > 0;
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
    ...uses.map((use) => () => claimPromotion(tx, use)),
    ...uses.map((use) => () => claimCode(tx, use)),
    ...uses.map((use) => () => (customerKey === null ? true : claimForCustomer(tx, use, customerKey))),
    () =>
      tx.insertMany(
        'promotion_usages',
        uses.map(({ promotionId, code, amount }) => ({
          id: newId(),
          promotionId,
          orderId,
          code,
          codeKey: code === null ? null : codeKey(code),
          amount,
          currency: sale.sale.currency,
          customerKey,
        })),
      ),
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
    () => (hasCodes ? tx.remove('promotion_cart_codes', { cartId: source.id }) : []),
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
  const returned = await tx.query<{ promotionId: string; codeKey: string | null; customerKey: string | null }>(
    `with returned as (
       update promotion_usages set returned_at = now()
        where tenant_id = $1 and order_id = $2 and returned_at is null
       returning promotion_id, code_key, customer_key
     )
     select promotion_id, code_key, customer_key from returned order by promotion_id`,
    [id],
  );
  if (returned.length === 0) return;
  await runConcurrently([
    () =>
      holdPromotions(
        tx,
        returned.map(({ promotionId }) => promotionId),
      ),
    ...returned.map(
      ({ promotionId }) =>
        () =>
          tx.query(
            'update promotions set claimed = claimed - 1 where tenant_id = $1 and id = $2 and max_uses is not null',
            [promotionId],
          ),
    ),
    ...returned.map(
      ({ promotionId, codeKey }) =>
        () =>
          tx.query(
            `update promotion_codes set claimed = claimed - 1
          where tenant_id = $1 and promotion_id = $2 and code_key = $3 and max_uses is not null`,
            [promotionId, codeKey],
          ),
    ),
    ...returned.map(
      ({ promotionId, customerKey }) =>
        () =>
          tx.query(
            `update promotion_customers set uses = uses - 1
          where tenant_id = $1 and promotion_id = $2 and customer_key = $3`,
            [promotionId, customerKey],
          ),
    ),
  ]);
};
