/**
 * Queries of the uses of promotions. Transactions lock in one order, so that none waits for another in a circle: uses that
 * exist, then the counts of promotions, of codes and of customers, and of each kind by promotion.
 */
import { keepsReferenceData, rows, type TenantDatabase } from '@carton/runtime';
import type { PromotionUsage } from './schemas.ts';

interface UsageRow extends Omit<PromotionUsage, 'amount'> {
  promotionId: string;
  amount: number;
  currency: string;
}

export const { page: listUsages } = rows<UsageRow>({ table: 'promotion_usages', noun: 'use' });

/**
 * Keeps staff from setting a limit until the transaction ends, so that a returned use is taken off the count, or is not in
 * that of `countUses`. Keeps no order waiting; an order holds its promotions as it claims them (claims-store.ts).
 */
export async function holdPromotions(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query('select id from promotions where tenant_id = $1 and id = any($2::uuid[]) order by id for key share', [
    ids,
  ]);
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
