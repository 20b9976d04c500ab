/**
 * Steps that a provider performs: capture, void, refund.
 *
 * A step is committed as pending before the provider is called, and booked after its response; no row is locked
 * meanwhile. Its id comes from the request's Idempotency-Key and is the provider's idempotency key too. So after a
 * crash at any point the step is there to be resumed: by a retry of the request, by the payment's next step, by the
 * provider's event or by `reconcile`. A unique index allows one pending step per payment, so that concurrent steps
 * cannot exceed its amount.
 */
import { findOrder, lockOrder, lockOrderForRefund, type Order, type OrderState } from '@carton/order';
import { money, type TenantDatabase } from '@carton/runtime';
import { callProvider, isRefusal, type StepOutcome } from '../adapters/adapter.ts';
import { adapterOf, requireAdapter } from '../adapters/bound.ts';
import { paymentProviderFailed, paymentRefused, paymentsNotConfigured } from '../adapters/problems.ts';
import { amountOfStep, leftToRefund, nothingLeft } from '../payments/amounts.ts';
import { alignWithBalance, followRefusal, owedToPayment } from '../payments/balance.ts';
import { applyProviderState, bookStep } from '../payments/bookkeeping.ts';
import { isInDispute } from '../payments/dispute-store.ts';
import { excessOfRefund } from '../payments/refund-store.ts';
import type { Payment } from '../payments/schemas.ts';
import { finishStep, insertPendingStep } from '../payments/steps.ts';
import {
  findPendingStep,
  findStep,
  lockPayment,
  type PaymentRow,
  readPayment,
  requirePayment,
  type StepRequest,
  type StepRow,
  type StepType,
} from '../payments/store.ts';
import { paymentDisputed, paymentStepBusy, paymentStepNotPossible, stepBusy } from '../problems.ts';
import { settlePending } from '../sessions/pending.ts';
import { referenceOf } from '../sessions/release.ts';
import { doImmediateStep, isImmediate } from './immediate.ts';
import { claimPendingStep, pendingPaymentsOf, releaseStep } from './store.ts';

/** What steps throw, for routes to declare. */
export const stepProblems = [
  paymentsNotConfigured,
  paymentStepNotPossible,
  paymentStepBusy,
  paymentRefused,
  paymentProviderFailed,
];

/**
 * Captures all or part of an authorized payment.
 * @throws not_found (404), payment_step_not_possible (409), invalid_request (400) for another currency; for a
 *   provider's payment also payments_not_configured (503) with the default adapter, payment_step_busy, payment_refused
 *   (409), payment_provider_failed (502)
 */
export async function capturePayment(db: TenantDatabase, id: string, request: StepRequest): Promise<Payment> {
  await doStep(db, id, 'capture', request);
  return readPayment(db, id);
}

/**
 * Voids an authorization; reverses a payment that staff recorded or a tender paid.
 * @throws as `capturePayment`
 */
export async function voidPayment(db: TenantDatabase, id: string, request: StepRequest): Promise<Payment> {
  await doStep(db, id, 'void', request);
  const payment = await readPayment(db, id);
  // An order that waited for it is canceled; `reconcile` retries that.
  await settlePending(db, payment.orderId).catch(() => {});
  return payment;
}

/** Performs a step, by its provider or at once; returns it as it was begun. @throws as `capturePayment` */
export async function doStep(db: TenantDatabase, id: string, type: StepType, request: StepRequest): Promise<StepRow> {
  const payment = await requirePayment(db, id);
  if (isImmediate(db, payment)) return doImmediateStep(db, payment, type, request);
  requireAdapter(db);
  if (!adapterOf(db, payment.provider)) {
    throw paymentStepNotPossible(`The payment was made with ${payment.provider}, which has no adapter here.`);
  }
  // A step that an earlier attempt left is completed first; its refusal does not concern this request.
  await resumePendingStep(db, id).catch((error) => {
    if (!isRefusal(error)) throw error;
  });
  const { step, isNew } = await db.transaction((tx) => beginStep(tx, payment, type, request));
  if (step.status === 'failed') throw paymentRefused(step.note ?? undefined);
  if (step.status === 'pending') {
    if (!isNew) throw stepBusy();
    await performStep(db, step);
  }
  return step;
}

/** The step that this work has created, else a new one, pending and claimed. */
async function beginStep(
  tx: TenantDatabase,
  { id: paymentId, orderId }: PaymentRow,
  type: StepType,
  { workId, reason, restock, externalId, metadata, ...requested }: StepRequest,
): Promise<{ step: StepRow; isNew: boolean }> {
  const order = (await lockOrderForRefund(tx, orderId, { restock })) as OrderState;
  const payment = await lockPayment(tx, paymentId);
  const known = workId === undefined ? null : await findStep(tx, paymentId, workId);
  if (known) return { step: known, isNew: false };
  if (await findPendingStep(tx, paymentId)) throw stepBusy();
  if (type === 'refund' && (await isInDispute(tx, payment))) {
    throw paymentDisputed(
      'Refund it once the dispute is decided. What a dispute in another currency has taken is refunded at the provider.',
    );
  }
  const { byHand } = adapterOf(tx, payment.provider) ?? {};
  const open = maxAmountOf(payment, type, byHand);
  if (open <= 0) throw nothingLeft(payment, type);
  // A provider captures no more than is owed; nor does a manual capture, unless staff say that more has come in.
  const isRecorded = byHand === true && 'amount' in requested && requested.amount !== undefined;
  const most = type === 'capture' && !isRecorded ? Math.min(open, await owedToPayment(tx, order, payment)) : open;
  if (most <= 0) {
    const more = byHand ? ' Send the amount if more was received.' : '';
    throw paymentStepNotPossible(`Nothing more is owed for the order.${more}`);
  }
  const { amount, plan } = await amountOfStep(tx, order, payment, type, requested, most);
  requirePart(tx, payment, type, amount);
  const details = { id: workId, reason, restock, externalId, metadata, plan, triedAt: new Date() };
  const step = await insertPendingStep(tx, payment, type, amount, details);
  return { step, isNew: true };
}

/**
 * Rejects an amount that the provider cannot capture or refund, before a step is stored.
 * @throws payment_refused (409)
 */
export function requirePart(
  tx: TenantDatabase,
  { provider, currency }: Pick<PaymentRow, 'provider' | 'currency'>,
  type: StepType,
  amount: number,
): void {
  const refusal = type === 'void' ? null : adapterOf(tx, provider)?.refusalOf?.(money(amount, currency), 'part');
  if (refusal) throw paymentRefused(refusal);
}

/** The largest possible amount of a step, in minor units; zero when the step is not possible. */
function maxAmountOf(payment: PaymentRow, type: StepType, byHand = false): number {
  const { status, amount, capturedAmount } = payment;
  if (type === 'refund') return leftToRefund(payment);
  const isOpen =
    status === 'authorized' ||
    (type === 'void' && status !== 'captured' && status !== 'voided') ||
    (byHand && status === 'pending');
  return isOpen ? amount - capturedAmount : 0;
}

/** Resumes the pending step of a payment, if it has one that is not claimed. @throws as the provider does */
export async function resumePendingStep(db: TenantDatabase, paymentId: string): Promise<void> {
  const step = await claimPendingStep(db, paymentId);
  if (!step) return;
  if (step.type !== 'capture' || (await isOwed(db, step))) return performStep(db, step);
  if (await withdrawCapture(db, step)) await resumePendingStep(db, paymentId);
}

/** False for a capture whose order was canceled or paid otherwise since. */
async function isOwed(db: TenantDatabase, { paymentId, amount }: StepRow): Promise<boolean> {
  const { orderId, provider } = await requirePayment(db, paymentId);
  const { status, balance } = (await findOrder(db, orderId)) as Order;
  return status !== 'canceled' && (adapterOf(db, provider)?.byHand || balance.amount >= amount);
}

/** Ends a capture that is no longer owed, before the provider is called. True when another step replaced it. */
async function withdrawCapture(db: TenantDatabase, step: StepRow): Promise<boolean> {
  const { orderId } = await requirePayment(db, step.paymentId);
  return db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    const payment = await lockPayment(tx, step.paymentId);
    const reason = order.status === 'canceled' ? 'The order was canceled' : 'Less is owed';
    if (!(await finishStep(tx, step, 'failed', reason))) return false;
    return alignWithBalance(tx, order, payment, {
      received: 0,
      ended: true,
      capture: payment.captureMode === 'automatic',
    });
  });
}

/**
 * Performs the pending steps of an order's payments after the transaction that placed it: its automatic capture. A
 * refusal is stored with the payment; an open outcome is retried by the payment's next step, its events and
 * `reconcile`.
 */
export async function completePayments(db: TenantDatabase, orderId: string): Promise<void> {
  for (const id of await pendingPaymentsOf(db, orderId)) await resumePendingStep(db, id).catch(() => {});
}

async function performStep(db: TenantDatabase, step: StepRow): Promise<void> {
  const payment = await requirePayment(db, step.paymentId);
  const type = step.type as StepType;
  let state: StepOutcome;
  try {
    state = await callAdapter(db, payment, type, step);
  } catch (error) {
    if (!isRefusal(error)) await releaseStep(db, step);
    else if (await failStep(db, step, payment.orderId, error.message)) await followUp(db, payment);
    throw error;
  }
  const { hasFollowUp, refusal } = await db.transaction(async (tx) => {
    const order = (await lockOrder(tx, payment.orderId)) as OrderState;
    const locked = await lockPayment(tx, payment.id);
    if (state) {
      const hasFollowUp = await applyProviderState(tx, order, locked, state);
      // The payment has taken another course, so this step will never be done.
      const note = `The payment is ${state.status} at the provider.`;
      await finishStep(tx, step, 'failed', note);
      const { status } = (await findStep(tx, payment.id, step.id)) as StepRow;
      if (status !== 'failed') return { hasFollowUp, refusal: null };
      const now = await lockPayment(tx, payment.id);
      return {
        hasFollowUp: (await followRefusal(tx, order, now, step, state)) || hasFollowUp,
        refusal: paymentRefused(note),
      };
    }
    // The provider's event may have arrived before.
    if (!(await finishStep(tx, step, 'succeeded'))) return { hasFollowUp: false, refusal: null };
    const excess = type === 'refund' ? await excessOfRefund(tx, step.id) : 0;
    const booked = await bookStep(tx, order, locked, type, { amount: step.amount, excess });
    const received = type === 'capture' ? step.amount : 0;
    const hasFollowUp = await alignWithBalance(tx, order, booked, { received, ended: true, capture: false });
    return { hasFollowUp, refusal: null };
  });
  if (hasFollowUp) await followUp(db, payment);
  if (refusal) throw refusal;
}

/** Performs what follows a step. It is committed as a pending step, so `reconcile` retries it if it fails. */
async function followUp(db: TenantDatabase, { id }: PaymentRow): Promise<void> {
  await resumePendingStep(db, id).catch(() => {});
}

/**
 * Ends a step that the provider refused. Units of a refund count as unrefunded again, so the order is locked first.
 * @returns true when another step follows
 */
function failStep(db: TenantDatabase, step: StepRow, orderId: string, note: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    const payment = await lockPayment(tx, step.paymentId);
    return (await finishStep(tx, step, 'failed', note)) && followRefusal(tx, order, payment, step);
  });
}

/** Calls the adapter for a step. If the provider refused to create the payment, there is nothing to do. */
async function callAdapter(
  db: TenantDatabase,
  payment: PaymentRow,
  type: StepType,
  step: StepRow,
): Promise<StepOutcome> {
  const { id, provider, method, currency } = payment;
  const adapter = adapterOf(db, provider);
  if (!adapter) throw paymentProviderFailed(`No adapter is bound for ${provider}.`);
  const reference = await referenceOf(db, adapter, payment);
  if (reference === null) return { status: 'voided', captured: 0, refunded: 0 };
  const details = { id, reference, method, amount: money(payment.amount, currency) };
  return callProvider(() => adapter[type](db, { id: step.id, payment: details, amount: money(step.amount, currency) }));
}

/** True when no further change is expected, unless staff make one. */
export async function isFinal(db: TenantDatabase, id: string): Promise<boolean> {
  const { status } = await requirePayment(db, id);
  return status === 'captured' || status === 'voided';
}

/** Voids a payment of which more may still come. @throws as `capturePayment` */
export async function voidOpen(db: TenantDatabase, id: string): Promise<void> {
  if (!(await isFinal(db, id))) await voidPayment(db, id, { workId: undefined });
}
