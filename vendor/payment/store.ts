/**
 * Queries of the tables of payment.
 */
import { money, newId, type Page, paginate, type TenantDatabase } from '@carton/runtime';
import type { Payment, PaymentQuery, paymentStates, transactionTypes } from './schemas.ts';

export interface PaymentRow {
  id: string;
  orderId: string;
  provider: string;
  method: string;
  status: (typeof paymentStates)[number];
  currency: string;
  /** Minor units. */
  amount: number;
  reference: string | null;
  createdAt: string;
  updatedAt: string;
}

interface TransactionRow {
  paymentId: string;
  id: string;
  type: (typeof transactionTypes)[number];
  amount: number;
  note: string | null;
  actorType: Payment['transactions'][number]['actor']['type'];
  actorId: string | null;
  actorLabel: string | null;
  createdAt: string;
}

/** Payments with their transactions, oldest first, in one statement. */
async function withTransactions(db: TenantDatabase, rows: readonly PaymentRow[]): Promise<Payment[]> {
  if (rows.length === 0) return [];
  const transactions = await db.query<TransactionRow>(
    'select * from payment_transactions where tenant_id = $1 and payment_id = any($2::uuid[]) order by created_at, id',
    [rows.map(({ id }) => id)],
  );
  return rows.map(({ currency, amount, ...payment }) => ({
    ...payment,
    amount: money(amount, currency),
    transactions: transactions
      .filter(({ paymentId }) => paymentId === payment.id)
      .map(({ id, type, amount, note, actorType, actorId, actorLabel, createdAt }) => ({
        id,
        type,
        amount: money(amount, currency),
        note,
        actor: { type: actorType, id: actorId, label: actorLabel },
        createdAt,
      })),
  }));
}

export async function findPayment(db: TenantDatabase, id: string): Promise<Payment | null> {
  const rows = await db.query<PaymentRow>('select * from payments where tenant_id = $1 and id = $2', [id]);
  return (await withTransactions(db, rows))[0] ?? null;
}

export async function listPaymentRows(
  db: TenantDatabase,
  { orderId, status, provider, ...page }: PaymentQuery,
): Promise<Page<Payment>> {
  const payments = db.table<PaymentRow>('payments');
  for (const [column, value] of Object.entries({ orderId, status, provider })) {
    if (value !== undefined) payments.where(column, value);
  }
  const { items, nextCursor } = await paginate(payments, 'payments', page);
  return { items: await withTransactions(db, items), nextCursor };
}

/** What was received for an order, in minor units of its currency. Right while the order is locked. */
export async function sumReceived(db: TenantDatabase, orderId: string): Promise<number> {
  const [row] = await db.query<{ received: number }>(
    `select coalesce(sum(amount), 0)::bigint as received from payments
      where tenant_id = $1 and order_id = $2 and status = 'captured'`,
    [orderId],
  );
  return (row as { received: number }).received;
}

/** Writes a payment with the transaction it began with, by whoever acts in `tx`. */
export async function insertPayment(
  tx: TenantDatabase,
  payment: Omit<PaymentRow, 'id' | 'createdAt' | 'updatedAt'>,
  transaction: Pick<TransactionRow, 'type' | 'note'>,
): Promise<PaymentRow> {
  const row = await tx.insert<PaymentRow>('payments', { id: newId(), ...payment });
  const { actor } = tx;
  await tx.insert('payment_transactions', {
    paymentId: row.id,
    id: newId(),
    ...transaction,
    amount: payment.amount,
    actorType: actor?.type ?? 'shopper',
    actorId: actor?.id,
    actorLabel: actor?.label,
  });
  return row;
}
