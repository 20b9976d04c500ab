/**
 * Queries of refunds as steps of payments.
 */
import type { RefundPlan } from '@carton/order';
import { json, type TenantDatabase } from '@carton/runtime';

/** The id is that of its step. */
export interface NewRefund {
  id: string;
  paymentId: string;
  orderId: string;
  currency: string;
  /** Minor units. */
  amount: number;
  reason?: string | null;
  restock?: boolean;
  externalId?: string | null;
  metadata?: Record<string, unknown>;
}

/** What a refund returns: an excess, and parts of what is charged. */
export interface PlannedRefund extends RefundPlan {
  /** Minor units. */
  excess: number;
}

/** What a new refund returns, beside what it was asked for. */
interface RefundedAmounts {
  /** Minor units that were received beyond the total. */
  excessAmount: number;
  /** Minor units. */
  tax: number | null;
}

export async function insertRefundRow(
  tx: TenantDatabase,
  { metadata, ...refund }: NewRefund & RefundedAmounts,
): Promise<void> {
  await tx.insert('refunds', { ...refund, metadata: metadata && json(metadata) });
}

/** Marks the refund of a step as changed; a no-op for other steps. */
export async function touchRefund(tx: TenantDatabase, id: string): Promise<void> {
  await tx.update('refunds', { id }, { updatedAt: new Date() });
}

/** The excess of a refund, in minor units. */
export async function excessOfRefund(db: TenantDatabase, id: string): Promise<number> {
  const [refund] = await db.query<{ excessAmount: number }>(
    'select excess_amount from refunds where tenant_id = $1 and id = $2',
    [id],
  );
  return refund?.excessAmount ?? 0;
}

/**
 * True if a refund of this amount for this reason has failed. What was refused before a dispute of the payment changed may
 * have been refused because of it.
 */
export async function isRefundFailed(
  db: TenantDatabase,
  { paymentId, amount, reason }: Pick<NewRefund, 'paymentId' | 'amount'> & { reason: string },
): Promise<boolean> {
  const failed = await db.query(
    `select from refunds
       join payment_transactions step on step.tenant_id = $1 and step.payment_id = $2 and step.id = refunds.id
      where refunds.tenant_id = $1 and refunds.payment_id = $2 and refunds.amount = $3 and refunds.reason = $4
        and step.status = 'failed'
        and not exists (
          select from payment_disputes
           where payment_disputes.tenant_id = $1 and payment_disputes.payment_id = $2
             and payment_disputes.updated_at > step.created_at)
      limit 1`,
    [paymentId, amount, reason],
  );
  return failed.length > 0;
}
