/**
 * Queries of the personal data of payments.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Ids of the payments of orders. */
export async function paymentsOfOrders(db: TenantDatabase, orderIds: readonly string[]): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    'select id from payments where tenant_id = $1 and order_id = any($2::uuid[])',
    [orderIds],
  );
  return found.map(({ id }) => id);
}

/** Ids of the steps of payments, among them those of their refunds. */
export async function stepsOfPayments(db: TenantDatabase, paymentIds: readonly string[]): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    'select id from payment_transactions where tenant_id = $1 and payment_id = any($2::uuid[])',
    [paymentIds],
  );
  return found.map(({ id }) => id);
}

/** Payments as their shopper gets them, with steps and disputes, in the order of their ids. */
export function exportPayments(db: TenantDatabase, ids: readonly string[]): Promise<Record<string, unknown>[]> {
  return db.query(
    `select id, order_id, method, status, currency, amount, captured_amount, refunded_amount, created_at,
            (select coalesce(json_agg(json_build_object('type', type, 'amount', amount, 'note', note) order by id), '[]')
               from payment_transactions
              where payment_transactions.tenant_id = $1 and payment_id = payments.id) as steps,
            (select coalesce(json_agg(json_build_object(
                      'status', status, 'reason', reason, 'amount', amount, 'created_at', created_at) order by id), '[]')
               from payment_disputes
              where payment_disputes.tenant_id = $1 and payment_id = payments.id) as disputes
       from payments where tenant_id = $1 and id = any($2::uuid[]) order by id`,
    [ids],
  );
}

/** Erases what staff and integrations have written about payments, their steps and refunds. */
export async function erasePayments(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update payment_transactions set note = null
      where tenant_id = $1 and payment_id = any($2::uuid[]) and note is not null`,
    [ids],
  );
  await tx.query(
    `update refunds set reason = null, metadata = '{}' where tenant_id = $1 and payment_id = any($2::uuid[])`,
    [ids],
  );
  await tx.query(`update payments set metadata = '{}' where tenant_id = $1 and id = any($2::uuid[])`, [ids]);
}
