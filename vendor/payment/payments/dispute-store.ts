/**
 * Queries of what disputes hold of payments, or have taken.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { PaymentRow } from './store.ts';

/**
 * SQL for a dispute because of which nothing of its payment can be refunded: an open one, if the provider refuses refunds
 * meanwhile, or one that was lost in another currency, since nobody knows how much of the payment it has taken.
 */
const forbidsRefunds = `(
  payment_disputes.status in ('inquiry', 'open') and not payment_disputes.refundable
  or payment_disputes.status = 'lost' and payment_disputes.currency <> (
    select payments.currency from payments
     where payments.tenant_id = $1 and payments.id = payment_disputes.payment_id))`;

/** Whether nothing of a locked payment can be refunded because of a dispute. */
export async function isInDispute(tx: TenantDatabase, { id }: Pick<PaymentRow, 'id'>): Promise<boolean> {
  const found = await tx.query(
    `select from payment_disputes
      where tenant_id = $1 and payment_id = $2 and ${forbidsRefunds} limit 1`,
    [id],
  );
  return found.length > 0;
}

/** Whether the box knows a dispute of a payment, open or decided. */
export async function hasDisputes(tx: TenantDatabase, { id }: Pick<PaymentRow, 'id'>): Promise<boolean> {
  const found = await tx.query('select from payment_disputes where tenant_id = $1 and payment_id = $2 limit 1', [id]);
  return found.length > 0;
}

/** Whether a dispute of the payment has changed since a step of it was inserted. */
export async function isDisputeChanged(
  tx: TenantDatabase,
  { paymentId, id }: { paymentId: string; id: string },
): Promise<boolean> {
  const found = await tx.query(
    `select from payment_transactions step
       join payment_disputes
         on payment_disputes.tenant_id = $1 and payment_disputes.payment_id = $2
            and payment_disputes.updated_at > step.created_at
      where step.tenant_id = $1 and step.payment_id = $2 and step.id = $3 limit 1`,
    [paymentId, id],
  );
  return found.length > 0;
}

/** Ids of a locked order's payments of which nothing can be refunded because of a dispute. */
export async function paymentsInDispute(tx: TenantDatabase, orderId: string): Promise<ReadonlySet<string>> {
  const found = await tx.query<{ paymentId: string }>(
    `select distinct payment_id from payment_disputes
      where tenant_id = $1 and order_id = $2 and ${forbidsRefunds}`,
    [orderId],
  );
  return new Set(found.map(({ paymentId }) => paymentId));
}

/** What decided disputes of an order's payments have taken, in minor units. */
export async function lostAmountOf(tx: TenantDatabase, orderId: string): Promise<number> {
  const [row] = await tx.query<{ lost: number }>(
    `select coalesce(sum(withdrawn_amount), 0)::bigint as lost from payment_disputes
      where tenant_id = $1 and order_id = $2 and status not in ('inquiry', 'open')`,
    [orderId],
  );
  return row?.lost ?? 0;
}
