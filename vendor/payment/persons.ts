/**
 * Personal data of payments: notes by staff, which may name the payer. The payment itself must be kept for accounting.
 */
import type { PersonalData } from '@carton/runtime';

const untilErased = 'ten years after the year of the order; notes until you ask for erasure';

const paymentsOfOrders = `
  select id from payments where tenant_id = $1 and order_id = any($2::uuid[])`;

export const personalPayments: PersonalData = {
  name: 'payments',
  keeps: [
    { table: 'payment_transactions', columns: ['note'], reason: 'To know how you paid.', kept: untilErased },
    { table: 'payments', columns: ['metadata'], reason: 'For other systems of the store.', kept: untilErased },
    {
      table: 'refunds',
      columns: ['reason', 'metadata'],
      reason: 'To know why you were paid back.',
      kept: untilErased,
    },
  ],
  async find(db, { records }) {
    const payments = await db.query<{ id: string }>(paymentsOfOrders, [records.order ?? []]);
    const ids = payments.map(({ id }) => id);
    // A refund has the id of its transaction.
    const transactions = await db.query<{ id: string }>(
      'select id from payment_transactions where tenant_id = $1 and payment_id = any($2::uuid[])',
      [ids],
    );
    const steps = transactions.map(({ id }) => id);
    return { records: { payment: ids, payment_transaction: steps, refund: steps } };
  },
  async exportData(db, { records }) {
    const payments = await db.query(
      `select id, order_id, method, status, currency, amount, captured_amount, refunded_amount, created_at,
              (select coalesce(json_agg(json_build_object('type', type, 'amount', amount, 'note', note) order by id), '[]')
                 from payment_transactions
                where payment_transactions.tenant_id = $1 and payment_id = payments.id) as steps,
              (select coalesce(json_agg(json_build_object(
                        'status', status, 'reason', reason, 'amount', amount, 'created_at', created_at) order by id), '[]')
                 from payment_disputes
                where payment_disputes.tenant_id = $1 and payment_id = payments.id) as disputes
         from payments where tenant_id = $1 and id = any($2::uuid[]) order by id`,
      [records.payment ?? []],
    );
    return payments.length === 0 ? null : payments;
  },
  async erase(tx, { records }) {
    const ids = [records.payment ?? []];
    await tx.query(
      `update payment_transactions set note = null
        where tenant_id = $1 and payment_id = any($2::uuid[]) and note is not null`,
      ids,
    );
    await tx.query(
      `update refunds set reason = null, metadata = '{}' where tenant_id = $1 and payment_id = any($2::uuid[])`,
      ids,
    );
    await tx.query(`update payments set metadata = '{}' where tenant_id = $1 and id = any($2::uuid[])`, ids);
  },
};
