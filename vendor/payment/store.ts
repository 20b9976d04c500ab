/**
 * Queries of payments, of the steps done about them, and of refunds.
 */
import {
  type ActorColumns,
  actedBy,
  actorOf,
  type IntegrationPage,
  json,
  type MoneyValue,
  money,
  newId,
  rows,
  type TenantDatabase,
} from '@carton/runtime';
import type { CaptureMode } from './methods.ts';
import type {
  Payment,
  PaymentQuery,
  paymentStates,
  Refund,
  RefundQuery,
  stepStates,
  transactionTypes,
} from './schemas.ts';

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
  reference: string | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** The provider of payments that staff record. */
export const offline = 'offline';

/** What is done about a payment after it was begun. */
export type StepType = 'capture' | 'void' | 'refund';

/** A step as it is asked for. */
export interface WantedStep {
  /** Of the request's work; a step of that id is not done twice. */
  workId: string | undefined;
  /** Of a capture or a refund: all there is unless told. */
  amount?: MoneyValue;
  /** Why money is given back. */
  reason?: string;
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

/** Of a payment that is locked, its order is locked before it. */
export const { require: requirePayment, lock: lockPayment, change: updatePayment } = payments;

const steps = rows<StepRow>({
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
  return found.map(({ currency, amount, capturedAmount, refundedAmount, ...payment }) => ({
    ...payment,
    amount: money(amount, currency),
    captured: money(capturedAmount, currency),
    refunded: money(refundedAmount, currency),
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

/** Sums of an order's payments, in minor units of its currency. Right while the order is locked. */
export interface PaymentSums {
  captured: number;
  refunded: number;
  /** Held and not captured. */
  authorized: number;
  /** Somebody was to pay and will not, and nobody else is to; what was received and taken back does not count. */
  voided: boolean;
}

export async function sumPayments(db: TenantDatabase, orderId: string): Promise<PaymentSums> {
  const [sums] = await db.query<PaymentSums>(
    `select coalesce(sum(captured_amount), 0)::bigint as captured,
            coalesce(sum(refunded_amount), 0)::bigint as refunded,
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

type Given = 'capturedAmount' | 'externalId' | 'metadata';
type NewPayment = Omit<PaymentRow, 'id' | 'createdAt' | 'updatedAt' | 'refundedAmount' | Given> &
  Partial<Pick<PaymentRow, 'id' | Given>>;

/** Writes a payment with the transaction it began with, by whoever acts in `tx`, a shopper when nobody of the staff. */
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

/** Withdraws the captures of an order's payments that nobody has begun with the provider. */
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
    /** Who acts when nobody of the staff does. */
    actorType: string;
    triedAt?: Date;
  };

/** Writes a step, by whoever acts in `tx`. */
export function insertStep(tx: TenantDatabase, { actorType: type, ...step }: NewStep): Promise<StepRow> {
  return tx.insert<StepRow>('payment_transactions', {
    id: newId(),
    ...step,
    ...actedBy(tx, { type }),
  });
}

export function findStep(db: TenantDatabase, paymentId: string, id: string): Promise<StepRow | null> {
  return steps.findBy(db, { paymentId, id });
}

/** The pending step of a payment; there is one at most. */
export function findPendingStep(db: TenantDatabase, paymentId: string): Promise<StepRow | null> {
  return steps.findBy(db, { paymentId, status: 'pending' });
}

const selectOfOrder = 'select * from payments where tenant_id = $1 and order_id = $2 order by created_at, id';

/** The payments of an order, the oldest first. */
export function paymentsOfOrder(db: TenantDatabase, orderId: string): Promise<PaymentRow[]> {
  return db.query<PaymentRow>(selectOfOrder, [orderId]);
}

/** The payments of an order that is locked, the oldest first, locked too. */
export function lockPaymentsOfOrder(tx: TenantDatabase, orderId: string): Promise<PaymentRow[]> {
  return tx.query<PaymentRow>(`${selectOfOrder} for update`, [orderId]);
}

/** Ids of some payments whose pending step nobody is at, in no order: one that fails each time holds up no other. */
export async function paymentsLeftPending(db: TenantDatabase): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select payment_id as id from payment_transactions
      where tenant_id = $1 and status = 'pending' and ${isLeft} and created_at < now() - interval '10 seconds'
      order by random() limit 200`,
  );
  return rows.map(({ id }) => id);
}

/** The pending steps of the payments of an order. */
export function pendingStepsOf(db: TenantDatabase, orderId: string): Promise<StepRow[]> {
  return db.query<StepRow>(
    `select step.* from payments
       join payment_transactions step on step.tenant_id = $1 and step.payment_id = payments.id and step.status = 'pending'
      where payments.tenant_id = $1 and payments.order_id = $2`,
    [orderId],
  );
}

/** Ids of the payments of an order that have a pending step. */
export async function pendingPaymentsOf(db: TenantDatabase, orderId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select payments.id from payments
       join payment_transactions step on step.tenant_id = $1 and step.payment_id = payments.id and step.status = 'pending'
      where payments.tenant_id = $1 and payments.order_id = $2`,
    [orderId],
  );
  return rows.map(({ id }) => id);
}

/** Ends a step that is pending. False when it has ended already. */
export async function markStep(
  tx: TenantDatabase,
  { paymentId, id }: StepRow,
  status: 'succeeded' | 'failed',
  note?: string,
): Promise<boolean> {
  const ended = await tx.query(
    `update payment_transactions set status = $4, note = coalesce($5, note)
      where tenant_id = $1 and payment_id = $2 and id = $3 and status = 'pending' returning id`,
    [paymentId, id, status, note ?? null],
  );
  // Of a refund its state is told with it.
  await tx.update('refunds', { id }, { updatedAt: new Date() });
  return ended.length > 0;
}

/** Nobody is at the step: what was not ended in a minute was left by a process that died. */
const isLeft = "(tried_at is null or tried_at < now() - interval '1 minute')";

/**
 * Takes the pending step of a payment, for as long as a provider may take; null when there is none, or somebody is at
 * it.
 */
export async function takePendingStep(db: TenantDatabase, paymentId: string): Promise<StepRow | null> {
  const [row] = await db.query<StepRow>(
    `update payment_transactions set tried_at = now()
      where tenant_id = $1 and payment_id = $2 and status = 'pending'
        and ${isLeft} returning *`,
    [paymentId],
  );
  return row ?? null;
}

/** Lets anyone take a step again whose provider did not answer. */
export async function leaveStep(db: TenantDatabase, { paymentId, id }: StepRow): Promise<void> {
  await db.query(
    `update payment_transactions set tried_at = null
      where tenant_id = $1 and payment_id = $2 and id = $3 and status = 'pending'`,
    [paymentId, id],
  );
}

interface RefundRow {
  id: string;
  paymentId: string;
  orderId: string;
  status: StepRow['status'];
  currency: string;
  amount: number;
  payment: Pick<PaymentRow, 'provider' | 'method'>;
  reason: string | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

type NewRefund = Pick<RefundRow, 'id' | 'paymentId' | 'orderId' | 'currency' | 'amount'> &
  Partial<Pick<RefundRow, 'reason' | 'externalId' | 'metadata'>>;

export async function insertRefund(tx: TenantDatabase, refund: NewRefund): Promise<void> {
  await tx.insert('refunds', { ...refund, metadata: refund.metadata && json(refund.metadata) });
}

function refundOf({ currency, amount, payment, ...refund }: RefundRow): Refund {
  return { ...refund, ...payment, amount: money(amount, currency) };
}

const stateOfRefund = `
  select status from payment_transactions step
   where step.tenant_id = refunds.tenant_id and step.payment_id = refunds.payment_id and step.id = refunds.id`;

const refunds = rows<RefundRow>({
  table: 'refunds',
  noun: 'refund',
  computed: {
    status: stateOfRefund,
    payment: `
      select json_build_object('provider', provider, 'method', method) from payments
       where payments.tenant_id = refunds.tenant_id and payments.id = refunds.payment_id`,
  },
  filters: { status: (listed, status: string) => listed.whereRaw(`(${stateOfRefund}) = ?`, [status]) },
});

export async function readRefund(db: TenantDatabase, id: string): Promise<Refund> {
  return refundOf(await refunds.require(db, id));
}

export async function listRefunds(db: TenantDatabase, query: RefundQuery): Promise<IntegrationPage<Refund>> {
  const { status, limit, cursor, ...others } = query;
  const isByState = status !== undefined && Object.values(others).every((told) => told === undefined);
  const page = await (isByState ? pageOfState(db, { status, limit, cursor }) : refunds.page(db, query));
  return { ...page, items: page.items.map(refundOf) };
}

/** Steps of a state are in the order of their refunds, which were written in the same transaction. */
async function pageOfState(
  db: TenantDatabase,
  place: Pick<RefundQuery, 'status' | 'limit' | 'cursor'>,
): Promise<IntegrationPage<RefundRow>> {
  const page = await steps.page(db, { ...place, ofRefunds: true });
  const ids = page.items.map(({ id }) => id);
  return { ...page, items: await refunds.findInOrder(db, ids) };
}
