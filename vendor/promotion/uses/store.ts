/**
 * Queries of the uses of promotions. Transactions lock in one order, so that none waits for another in a circle: uses that
 * exist, then the counts of promotions, of codes and of customers, and of each kind by promotion.
 */
import { keepsReferenceData, newId, rows, type TenantDatabase } from '@carton/runtime';
import { codeKey } from '../codes/text.ts';
import type { PromotionUsage } from './schemas.ts';

interface UsageRow extends Omit<PromotionUsage, 'amount'> {
  promotionId: string;
  amount: number;
  currency: string;
}

export const { page: listUsages } = rows<UsageRow>({ table: 'promotion_usages', noun: 'use' });

/** A use of a promotion by an order. */
export interface Use {
  promotionId: string;
  /** The code; null for an automatic promotion. */
  code: string | null;
  /** Minor units, above zero. */
  amount: number;
}

/**
 * Keeps staff from setting a limit until the transaction ends, so that each use is counted by it: by `countUses` or by a
 * claim. Does not keep other orders waiting.
 */
export async function holdPromotions(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query('select id from promotions where tenant_id = $1 and id = any($2::uuid[]) order by id for key share', [
    ids,
  ]);
}

/**
 * Claims a use by one conditional update. Without a limit it changes nothing, so that orders do not wait for each other.
 * @returns false if the promotion is used up
 */
export async function claimPromotion(tx: TenantDatabase, promotionId: string): Promise<boolean> {
  const [claim] = await tx.query<{ isClaimed: boolean }>(
    keepsReferenceData(`with claimed as (
       update promotions set claimed = claimed + 1
        where tenant_id = $1 and id = $2 and max_uses is not null and claimed < max_uses
       returning id
     )
     select max_uses is null or exists (select from claimed) as is_claimed
       from promotions where tenant_id = $1 and id = $2`),
    [promotionId],
  );
  return claim?.isClaimed ?? false;
}

/** As `claimPromotion` does, for a code of the promotion. @returns false if the code is used up */
export async function claimCode(tx: TenantDatabase, promotionId: string, code: string): Promise<boolean> {
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

/**
 * Counts a use of the customer, up to the limit; a promotion for first orders is used once.
 * @returns false if the customer has used it up
 */
export async function claimForCustomer(tx: TenantDatabase, promotionId: string, customerKey: string): Promise<boolean> {
  const claimed = await tx.query(
    keepsReferenceData(`insert into promotion_customers as customers (tenant_id, promotion_id, customer_key, uses, max_uses)
     select $1, id, $3, 1, least(max_uses_per_customer, case when (rules ->> 'firstOrder')::boolean then 1 end)
       from promotions where tenant_id = $1 and id = $2
     on conflict (tenant_id, promotion_id, customer_key) do update
        set uses = customers.uses + 1, max_uses = excluded.max_uses
      where excluded.max_uses is null or customers.uses < excluded.max_uses
     returning uses`),
    [promotionId, customerKey],
  );
  return claimed.length > 0;
}

/** @param order its id, its currency, and the key of its customer (`customerKeyOf`) */
export async function insertUses(
  tx: TenantDatabase,
  order: { orderId: string; currency: string; customerKey: string | null },
  uses: readonly Use[],
): Promise<void> {
  await tx.insertMany(
    'promotion_usages',
    uses.map(({ promotionId, code, amount }) => ({
      id: newId(),
      promotionId,
      code,
      codeKey: code === null ? null : codeKey(code),
      amount,
      ...order,
    })),
  );
}

/** A use that an order has returned. */
interface ReturnedUse {
  promotionId: string;
  /** Null for an automatic promotion. */
  codeKey: string | null;
  /** Null for a customer who is unknown or erased. */
  customerKey: string | null;
}

/** Marks the uses of an order as returned. @returns those that were not, by promotion */
export function markReturned(tx: TenantDatabase, orderId: string): Promise<ReturnedUse[]> {
  return tx.query<ReturnedUse>(
    `with returned as (
       update promotion_usages set returned_at = now()
        where tenant_id = $1 and order_id = $2 and returned_at is null
       returning promotion_id, code_key, customer_key
     )
     select promotion_id, code_key, customer_key from returned order by promotion_id`,
    [orderId],
  );
}

/** Takes a returned use off the count of the promotion, which has one if it has a limit. */
export async function returnToPromotion(tx: TenantDatabase, { promotionId }: ReturnedUse): Promise<void> {
  await tx.query(
    keepsReferenceData(
      'update promotions set claimed = claimed - 1 where tenant_id = $1 and id = $2 and max_uses is not null',
    ),
    [promotionId],
  );
}

export async function returnToCode(tx: TenantDatabase, { promotionId, codeKey }: ReturnedUse): Promise<void> {
  await tx.query(
    `update promotion_codes set claimed = claimed - 1
      where tenant_id = $1 and promotion_id = $2 and code_key = $3 and max_uses is not null`,
    [promotionId, codeKey],
  );
}

export async function returnToCustomer(tx: TenantDatabase, { promotionId, customerKey }: ReturnedUse): Promise<void> {
  await tx.query(
    `update promotion_customers set uses = uses - 1
      where tenant_id = $1 and promotion_id = $2 and customer_key = $3`,
    [promotionId, customerKey],
  );
}
