/**
 * Personal data of payments: notes by staff, which may name the payer. The payment itself must be kept for accounting.
 */
import type { PersonalData } from '@carton/runtime';
import { erasePayments, exportPayments, paymentsOfOrders, stepsOfPayments } from './persons-store.ts';

const untilErased = 'ten years after the year of the order; notes until you ask for erasure';

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
    const ids = await paymentsOfOrders(db, records.order ?? []);
    // A refund has the id of its transaction.
    const steps = await stepsOfPayments(db, ids);
    return { records: { payment: ids, payment_transaction: steps, refund: steps } };
  },
  async exportData(db, { records }) {
    const payments = await exportPayments(db, records.payment ?? []);
    return payments.length === 0 ? null : payments;
  },
  erase: (tx, { records }) => erasePayments(tx, records.payment ?? []),
};
