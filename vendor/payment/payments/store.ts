/**
 * Queries of payments and their steps.
 */
import type { RefundRequest } from '@carton/order';
import {
  type ActorColumns,
  actedBy,
  actorOf,
  type IntegrationPage,
  type MoneyValue,
  money,
  newId,
  rows,
  type TenantDatabase,
} from '@carton/runtime';
import type { CaptureMode, paymentStates, stepStates, transactionTypes } from '../schemas.ts';
import type { OrderPayment, Payment, PaymentQuery } from './schemas.ts';

/** A payment without its steps. Amounts are minor units. */
export interface PaymentRow {
  id: string;
  orderId: string;
  provider: string;
  method: string;
  captureMode: CaptureMode;
  status: (typeof paymentStates)[number];
  currency: string;
  amount: number;
  capturedAmount: number;
  refundedAmount: number;
  /** What disputes have taken back, or hold while they are open. */
  disputedAmount: number;
  reference: string | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** The provider of payments that staff record. */
export const offline = 'offline';

/** Steps that may follow the creation of a payment. */
export type StepType = 'capture' | 'void' | 'refund';

/** A requested step. A refund may name items and shipping charges instead of an amount. */
export interface StepRequest extends RefundRequest {
  /** Id of the request's work, which becomes the step's id: a second step with it is not performed. */
  workId: string | undefined;
  /** For a capture or a refund. Default: all that is left. */
  amount?: MoneyValue;
  /** Of a refund. */
  reason?: string;
  /** Of a refund of units: whether the stock of those that were not shipped is returned; by default it is. */
  restock?: boolean;
  /** Of a refund. */
  externalId?: string | null;
  metadata?: Record<string, unknown>;
}

export interface StepRow extends ActorColumns {
  paymentId: string;
  id: string;
  type: (typeof transactionTypes)[number];
  status: (typeof stepStates)[number];
  amount: number;
  note: string | null;
  createdAt: string;
}

const payments = rows<PaymentRow>({ table: 'payments', noun: 'payment', json: ['metadata'] });

/** Lock the order before its payment. */
export const { require: requirePayment, lock: lockPayment, change: updatePayment } = payments;

export const steps = rows<StepRow>({
  table: 'payment_transactions',
  noun: 'step',
  filters: { ofRefunds: (listed) => listed.whereRaw("payment_transactions.type = 'refund'") },
});

/** Payments with their transactions, oldest first, in one statement. */
async function withTransactions(db: TenantDatabase, found: readonly PaymentRow[]): Promise<Payment[]> {
  if (found.length === 0) return [];
  const steps = await db.query<StepRow>(
    'select * from payment_transactions where tenant_id = $1 and payment_id = any($2::uuid[]) order by created_at, id',
    [found.map(({ id }) => id)],
  );
  return found.map(({ currency, amount, capturedAmount, refundedAmount, disputedAmount, ...payment }) => ({
    ...payment,
    amount: money(amount, currency),
    captured: money(capturedAmount, currency),
    refunded: money(refundedAmount, currency),
    disputed: money(disputedAmount, currency),
    transactions: steps
      .filter(({ paymentId }) => paymentId === payment.id)
      .map(({ actorType, actorId, actorLabel, ...step }) => ({
        ...step,
        amount: money(step.amount, currency),
        actor: actorOf({ actorType, actorId, actorLabel }),
      })),
  }));
}

/** @throws not_found (404) */
export async function readPayment(db: TenantDatabase, id: string): Promise<Payment> {
  const [payment] = await withTransactions(db, [await payments.require(db, id)]);
  return payment as Payment;
}

export async function listPayments(db: TenantDatabase, query: PaymentQuery): Promise<IntegrationPage<Payment>> {
  const page = await payments.page(db, query);
  return { ...page, items: await withTransactions(db, page.items) };
}

/** Sums of an order's payments, in minor units of its currency. Accurate while the order is locked. */
export interface PaymentSums {
  captured: number;
  refunded: number;
  disputed: number;
  /** Authorized and not captured. */
  authorized: number;
  /** A payment was voided without having been captured, and none is pending. */
  voided: boolean;
}

export async function sumPayments(db: TenantDatabase, orderId: string): Promise<PaymentSums> {
  const [sums] = await db.query<PaymentSums>(
    `select coalesce(sum(captured_amount), 0)::bigint as captured,
            coalesce(sum(refunded_amount), 0)::bigint as refunded,
            coalesce(sum(disputed_amount), 0)::bigint as disputed,
            coalesce(sum(amount - captured_amount) filter (where status = 'authorized'), 0)::bigint as authorized,
            coalesce(bool_or(status = 'voided' and not exists (
              select from payment_transactions step
               where step.tenant_id = $1 and step.payment_id = payments.id and step.type = 'capture'
                 and step.status = 'succeeded')) and not bool_or(status = 'pending'), false) as voided
       from payments where tenant_id = $1 and order_id = $2`,
    [orderId],
  );
  return sums as PaymentSums;
}

/** When money was last received for an order; null if none was. */
export async function lastReceivedAt(db: TenantDatabase, orderId: string): Promise<string | null> {
  const [row] = await db.query<{ receivedAt: string | null }>(
    `select max(step.created_at) as received_at
       from payments join payment_transactions step on step.tenant_id = $1 and step.payment_id = payments.id
      where payments.tenant_id = $1 and payments.order_id = $2 and step.type = 'capture' and step.status = 'succeeded'`,
    [orderId],
  );
  return row?.receivedAt ?? null;
}

/**
 * Minor units that an order has or will get: what its payments have received, less refunds, and what is authorized and not
 * being voided. Accurate while the order is locked.
 * @param except a payment that is left out
 */
export async function sumHeld(db: TenantDatabase, orderId: string, except: string | null = null): Promise<number> {
  const [row] = await db.query<{ held: number }>(
    `select coalesce(sum(captured_amount - refunded_amount
              + case when status = 'authorized' and not exists (
                  select from payment_transactions step
                   where step.tenant_id = $1 and step.payment_id = payments.id and step.type = 'void'
                     and step.status = 'pending')
                then amount - captured_amount else 0 end), 0)::bigint as held
       from payments where tenant_id = $1 and order_id = $2 and id is distinct from $3::uuid`,
    [orderId, except],
  );
  return row?.held ?? 0;
}

/** The payment of an order by a provider that was started last, an open one first; null without one. */
export async function findOrderPayment(db: TenantDatabase, orderId: string): Promise<OrderPayment | null> {
  const [row] = await db.query<OrderPayment>(
    `select payments.status, sessions.next_action
       from payments join payment_sessions sessions on sessions.tenant_id = $1 and sessions.id = payments.id
      where payments.tenant_id = $1 and payments.order_id = $2
      order by payments.status in ('failed', 'voided'), payments.created_at desc, payments.id desc limit 1`,
    [orderId],
  );
  return row ? { ...row, nextAction: row.status === 'pending' ? row.nextAction : null } : null;
}

type OptionalColumn = 'capturedAmount' | 'externalId' | 'metadata';
type NewPayment = Omit<
  PaymentRow,
  'id' | 'createdAt' | 'updatedAt' | 'refundedAmount' | 'disputedAmount' | OptionalColumn
> &
  Partial<Pick<PaymentRow, 'id' | OptionalColumn>>;

/** Inserts a payment and its first transaction. The actor is the staff member acting in `tx`, else a shopper. */
export async function insertPayment(
  tx: TenantDatabase,
  payment: NewPayment,
  transaction: Pick<StepRow, 'type' | 'note'>,
): Promise<PaymentRow> {
  const row = await payments.insert(tx, payment);
  const { amount } = payment;
  await insertStep(tx, { paymentId: row.id, ...transaction, amount, status: 'succeeded', actorType: 'shopper' });
  return row;
}

/** Withdraws an order's pending captures that have not been sent to the provider. */
export async function withdrawCaptures(tx: TenantDatabase, orderId: string): Promise<void> {
  await tx.query(
    `update payment_transactions step set status = 'failed', note = 'The order was canceled'
       from payments
      where payments.tenant_id = $1 and payments.order_id = $2 and step.tenant_id = $1
        and step.payment_id = payments.id and step.type = 'capture' and step.status = 'pending' and step.tried_at is null`,
    [orderId],
  );
}

type NewStep = Pick<StepRow, 'paymentId' | 'type' | 'amount' | 'status'> &
  Partial<Pick<StepRow, 'id' | 'note'>> & {
    /** The actor when no staff member acts. */
    actorType: string;
    triedAt?: Date;
  };

/** Inserts a step; its actor is the staff member acting in `tx`, if any. */
export function insertStep(tx: TenantDatabase, { actorType: type, ...step }: NewStep): Promise<StepRow> {
  return tx.insert<StepRow>('payment_transactions', {
    id: newId(),
    ...step,
    ...actedBy(tx, { type }),
  });
}

/** Ends a pending step; false if it has ended already. Without a note, the step keeps the one it has. */
export async function endStep(
  tx: TenantDatabase,
  { paymentId, id }: Pick<StepRow, 'paymentId' | 'id'>,
  status: 'succeeded' | 'failed',
  note: string | null = null,
): Promise<boolean> {
  const ended = await tx.query(
    `update payment_transactions set status = $4, note = coalesce($5, note)
      where tenant_id = $1 and payment_id = $2 and id = $3 and status = 'pending' returning id`,
    [paymentId, id, status, note],
  );
  return ended.length > 0;
}

export function findStep(db: TenantDatabase, paymentId: string, id: string): Promise<StepRow | null> {
  return steps.findBy(db, { paymentId, id });
}

/** The pending step of a payment; there is at most one. */
export function findPendingStep(db: TenantDatabase, paymentId: string): Promise<StepRow | null> {
  return steps.findBy(db, { paymentId, status: 'pending' });
}

const selectOfOrder = 'select * from payments where tenant_id = $1 and order_id = $2 order by created_at, id';

/** The payments of an order, oldest first. */
export function paymentsOfOrder(db: TenantDatabase, orderId: string): Promise<PaymentRow[]> {
  return db.query<PaymentRow>(selectOfOrder, [orderId]);
}

/** The payments of a locked order, oldest first, locked too. */
export function lockPaymentsOfOrder(tx: TenantDatabase, orderId: string): Promise<PaymentRow[]> {
  return tx.query<PaymentRow>(`${selectOfOrder} for update`, [orderId]);
}

/** A step with the part of its amount that is excess, for a refund; zero for others. */
export interface PendingStepRow extends StepRow {
  excessAmount: number;
}

/** The pending steps of an order's payments. */
export function pendingStepsOf(db: TenantDatabase, orderId: string): Promise<PendingStepRow[]> {
  return db.query<PendingStepRow>(
    `select step.*, coalesce(refunds.excess_amount, 0) as excess_amount
       from payments
       join payment_transactions step on step.tenant_id = $1 and step.payment_id = payments.id and step.status = 'pending'
       left join refunds on refunds.tenant_id = $1 and refunds.payment_id = step.payment_id and refunds.id = step.id
      where payments.tenant_id = $1 and payments.order_id = $2`,
    [orderId],
  );
}

/**
 * SQL condition: an order has received money, or holds an authorization, beside what tenders have paid. For statements of
 * other packages; `$1` is the tenant.
 * @param orderId the column with its id
 * @param names the parameter of the statement with `tenderNames`, such as `$3`
 */
export function paidBesideTenders(orderId: string, names: string): string {
  return `exists (select from payments
                   where payments.tenant_id = $1 and payments.order_id = ${orderId}
                     and payments.provider <> all(${names}::text[])
                     and (payments.status = 'authorized' or payments.captured_amount > 0))`;
}
