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
  paginate,
  paginateIntegration,
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

/** Payments with their transactions, oldest first, in one statement. */
async function withTransactions(db: TenantDatabase, rows: readonly PaymentRow[]): Promise<Payment[]> {
  if (rows.length === 0) return [];
  const steps = await db.query<StepRow>(
    'select * from payment_transactions where tenant_id = $1 and payment_id = any($2::uuid[]) order by created_at, id',
    [rows.map(({ id }) => id)],
  );
  return rows.map(({ currency, amount, capturedAmount, refundedAmount, ...payment }) => ({
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

const selectPayment = 'select * from payments where tenant_id = $1 and id = $2';

export async function findPayment(db: TenantDatabase, id: string): Promise<Payment | null> {
  const row = await findPaymentRow(db, id);
  return row && ((await withTransactions(db, [row]))[0] as Payment);
}

export async function findPaymentRow(db: TenantDatabase, id: string): Promise<PaymentRow | null> {
  const [row] = await db.query<PaymentRow>(selectPayment, [id]);
  return row ?? null;
}

/** A payment, locked until the transaction ends. Its order is locked before it. */
export async function lockPayment(tx: TenantDatabase, id: string): Promise<PaymentRow> {
  const [row] = await tx.query<PaymentRow>(`${selectPayment} for update`, [id]);
  if (!row) throw new Error(`no payment ${id}`);
  return row;
}

export async function listPaymentRows(
  db: TenantDatabase,
  { orderId, status, provider, ...page }: PaymentQuery,
): Promise<IntegrationPage<Payment>> {
  const payments = db.table<PaymentRow>('payments');
  for (const [column, value] of Object.entries({ orderId, status, provider })) {
    if (value !== undefined) payments.where(column, value);
  }
  const found = await paginateIntegration(db, payments, 'payments', page, { orderId, status, provider });
  return { ...found, items: await withTransactions(db, found.items) };
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
  const metadata = payment.metadata && json(payment.metadata);
  const row = await tx.insert<PaymentRow>('payments', { id: newId(), ...payment, metadata });
  const { amount } = payment;
  await insertStep(tx, { paymentId: row.id, ...transaction, amount, status: 'succeeded', actorType: 'shopper' });
  return row;
}

export async function updatePayment(
  tx: TenantDatabase,
  id: string,
  patch: Partial<Pick<PaymentRow, 'status' | 'capturedAmount' | 'refundedAmount'>>,
): Promise<PaymentRow> {
  const [row] = await tx.update<PaymentRow>('payments', { id }, { ...patch, updatedAt: new Date() });
  return row as PaymentRow;
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

export async function findStep(db: TenantDatabase, paymentId: string, id: string): Promise<StepRow | null> {
  const [row] = await db.query<StepRow>(
    'select * from payment_transactions where tenant_id = $1 and payment_id = $2 and id = $3',
    [paymentId, id],
  );
  return row ?? null;
}

/** The pending step of a payment; there is one at most. */
export async function findPendingStep(db: TenantDatabase, paymentId: string): Promise<StepRow | null> {
  const [row] = await db.query<StepRow>(
    "select * from payment_transactions where tenant_id = $1 and payment_id = $2 and status = 'pending'",
    [paymentId],
  );
  return row ?? null;
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
  provider: string;
  method: string;
  status: StepRow['status'];
  currency: string;
  amount: number;
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

function refundOf({ currency, amount, ...refund }: RefundRow): Refund {
  return { ...refund, amount: money(amount, currency) };
}

function refundsOf(db: TenantDatabase) {
  return db
    .table<RefundRow>('refunds')
    .join('payments', (on) => on.on('payments.tenantId', 'refunds.tenantId').on('payments.id', 'refunds.paymentId'))
    .join('payment_transactions as step', (on) =>
      on.on('step.tenantId', 'refunds.tenantId').on('step.paymentId', 'refunds.paymentId').on('step.id', 'refunds.id'),
    )
    .select('refunds.*', 'payments.provider', 'payments.method', 'step.status');
}

export async function findRefund(db: TenantDatabase, id: string): Promise<Refund | null> {
  const [row] = (await refundsOf(db).where('refunds.id', id)) as RefundRow[];
  return row ? refundOf(row) : null;
}

export async function listRefundRows(
  db: TenantDatabase,
  { orderId, paymentId, status, ...page }: RefundQuery,
): Promise<IntegrationPage<Refund>> {
  const refunds = refundsOf(db);
  const equal = { 'refunds.orderId': orderId, 'refunds.paymentId': paymentId, 'step.status': status };
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) refunds.where(column, value);
  // Steps of a state are in the order of their refunds, which were written in the same transaction.
  const byState =
    status !== undefined &&
    Object.values({ ...page, orderId, paymentId, limit: undefined, cursor: undefined }).every(
      (told) => told === undefined,
    );
  if (byState) refunds.whereRaw("step.type = 'refund'");
  const found: IntegrationPage<RefundRow> = byState
    ? await paginate<RefundRow>(refunds as never, 'step', page)
    : await paginateIntegration<RefundRow>(db, refunds as never, 'refunds', page, { orderId, paymentId, status });
  return { ...found, items: found.items.map(refundOf) };
}
