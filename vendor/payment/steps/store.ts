/**
 * Queries of pending steps, which are claimed before a provider is called.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { StepRow } from '../payments/store.ts';

/** A claim lasts one minute; after that the process is taken to have died. */
const isUnclaimed = "(tried_at is null or tried_at < now() - interval '1 minute')";

/**
 * Ids of up to 200 payments with an unclaimed pending step, in random order, so that failing ones do not block others.
 */
export async function unclaimedPendingPayments(db: TenantDatabase): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select payment_id as id from payment_transactions
      where tenant_id = $1 and status = 'pending' and ${isUnclaimed} and created_at < now() - interval '10 seconds'
      order by random() limit 200`,
  );
  return rows.map(({ id }) => id);
}

/** Ids of an order's payments that have a pending step. */
export async function pendingPaymentsOf(db: TenantDatabase, orderId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select payments.id from payments
       join payment_transactions step on step.tenant_id = $1 and step.payment_id = payments.id and step.status = 'pending'
      where payments.tenant_id = $1 and payments.order_id = $2`,
    [orderId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Claims the pending step of a payment, for longer than a provider call may take. Null when there is none, or it is
 * claimed already.
 */
export async function claimPendingStep(db: TenantDatabase, paymentId: string): Promise<StepRow | null> {
  const [row] = await db.query<StepRow>(
    `update payment_transactions set tried_at = now()
      where tenant_id = $1 and payment_id = $2 and status = 'pending'
        and ${isUnclaimed} returning *`,
    [paymentId],
  );
  return row ?? null;
}

/** Ends the claim of a step whose provider call failed. */
export async function releaseStep(db: TenantDatabase, { paymentId, id }: StepRow): Promise<void> {
  await db.query(
    `update payment_transactions set tried_at = null
      where tenant_id = $1 and payment_id = $2 and id = $3 and status = 'pending'`,
    [paymentId, id],
  );
}
