/**
 * Steps that a provider does about a payment: capture, void, refund.
 *
 * A step is committed as pending before the provider is called, and booked after it has answered; no row is locked
 * meanwhile. Its id is that of the work of the request's Idempotency-Key, and the provider's own idempotency key too.
 * So whatever line the process dies at, the step is there and can be done again: by the same request, which finds it
 * by its id; by the next step of the payment, which comes after it; or by the provider's event, which ends it. A
 * payment has one pending step at most (an index sees to it), so that two together cannot go beyond its amount.
 */
import { findOrder, lockOrder, type OrderState } from '@carton/order';
import { invalidField, money, newId, notFound, type Problem, type TenantDatabase } from '@carton/runtime';
import { ask, isRefusal, paymentProviderFailed, paymentRefused, type StepOutcome } from './adapter.ts';
import { isDoneAtOnce, stepAtOnce } from './at-once.ts';
import { adapterOf, requireAdapter } from './bound.ts';
import { paymentStepBusy, paymentStepNotPossible } from './problems.ts';
import type { Payment, Refund } from './schemas.ts';
import { absorb, book, format } from './settlement.ts';
import {
  findPayment,
  findPaymentRow,
  findPendingStep,
  findRefund,
  findStep,
  insertRefund,
  insertStep,
  leaveStep,
  lockPayment,
  markStep,
  type PaymentRow,
  pendingPaymentsOf,
  type StepRow,
  type StepType,
  takePendingStep,
  type WantedStep,
} from './store.ts';

/**
 * Captures what was authorized, all or part.
 * @throws not_found (404), payment_step_not_possible (409), invalid_request (400) for another currency, and of a
 *   provider's payment payments_not_configured (503) with the default adapter, payment_step_busy, payment_refused (409),
 *   payment_provider_failed (502)
 */
export async function capturePayment(db: TenantDatabase, id: string, wanted: WantedStep): Promise<Payment> {
  await doStep(db, id, 'capture', wanted);
  return (await findPayment(db, id)) as Payment;
}

/**
 * Gives up what was authorized and not captured; takes back what staff recorded or a tender paid.
 * @throws as `capturePayment`
 */
export async function voidPayment(db: TenantDatabase, id: string, wanted: WantedStep): Promise<Payment> {
  await doStep(db, id, 'void', wanted);
  return (await findPayment(db, id)) as Payment;
}

/** Gives captured money back, all or part. @throws as `capturePayment` */
export async function refundPayment(db: TenantDatabase, id: string, wanted: WantedStep): Promise<Refund> {
  const step = await doStep(db, id, 'refund', wanted);
  return (await findRefund(db, step.id)) as Refund;
}

async function doStep(db: TenantDatabase, id: string, type: StepType, wanted: WantedStep): Promise<StepRow> {
  const payment = await findPaymentRow(db, id);
  if (!payment) throw notFound(`No payment has the id ${id}.`);
  if (isDoneAtOnce(db, payment)) return stepAtOnce(db, payment, type, wanted);
  requireAdapter(db);
  if (!adapterOf(db, payment.provider)) {
    throw paymentStepNotPossible(`It was made with ${payment.provider}, which nothing here speaks for.`);
  }
  // What an earlier try left is done first; that the provider refuses it is no answer to this request.
  await carryOutPending(db, id).catch((error) => {
    if (!isRefusal(error)) throw error;
  });
  const { step, begun } = await db.transaction((tx) => beginStep(tx, payment, type, wanted));
  if (step.status === 'failed') throw paymentRefused(step.note ?? undefined);
  if (step.status === 'pending') {
    if (!begun) throw busy();
    await carryOut(db, step);
  }
  return step;
}

/** @returns payment_step_busy (409) */
export function busy(): Problem {
  return paymentStepBusy('Ask again in a moment.', { headers: { 'Retry-After': '2' } });
}

/** The step of this work if there is one already, else a new one, pending and taken. */
async function beginStep(
  tx: TenantDatabase,
  { id: paymentId }: PaymentRow,
  type: StepType,
  { workId, amount: part, reason, externalId, metadata }: WantedStep,
): Promise<{ step: StepRow; begun: boolean }> {
  const payment = await lockPayment(tx, paymentId);
  const known = workId === undefined ? null : await findStep(tx, paymentId, workId);
  if (known) return { step: known, begun: false };
  if (await findPendingStep(tx, paymentId)) throw busy();
  const { currency } = payment;
  if (part && part.currency !== currency) throw invalidField('/amount/currency', `must be ${currency}`);
  const most = mostOf(payment, type, adapterOf(tx, payment.provider)?.byHand);
  if (most <= 0) throw paymentStepNotPossible(`It is ${payment.status}, so there is nothing to ${type}.`);
  const amount = part?.amount ?? most;
  if (amount > most) throw paymentStepNotPossible(`At most ${format(money(most, currency))} is left to ${type}.`);
  const about = { id: workId, reason, externalId, metadata, triedAt: new Date() };
  const step = await insertPendingStep(tx, payment, type, amount, about);
  return { step, begun: true };
}

/** What is said of a step beside its amount. */
interface PendingStep extends Pick<WantedStep, 'reason' | 'externalId' | 'metadata'> {
  id?: string;
  /** Somebody is at it already. */
  triedAt?: Date;
}

/** Writes a step for a provider to do. */
export async function insertPendingStep(
  tx: TenantDatabase,
  { id: paymentId, orderId, currency }: PaymentRow,
  type: StepType,
  amount: number,
  { id = newId(), reason, externalId, metadata, triedAt }: PendingStep,
): Promise<StepRow> {
  const pending = { id, paymentId, type, amount, status: 'pending', note: reason ?? null } as const;
  const step = await insertStep(tx, { ...pending, actorType: 'system', triedAt });
  if (type === 'refund') {
    await insertRefund(tx, { id, paymentId, orderId, currency, amount, reason, externalId, metadata });
  }
  return step;
}

/** The most a step can be of, in minor units; zero when it cannot be done. */
function mostOf(payment: PaymentRow, type: StepType, byHand = false): number {
  const { status, amount, capturedAmount, refundedAmount } = payment;
  if (type === 'refund') return capturedAmount - refundedAmount;
  const isOpen =
    status === 'authorized' ||
    (type === 'void' && status !== 'captured' && status !== 'voided') ||
    (byHand && status === 'pending');
  return isOpen ? amount - capturedAmount : 0;
}

/** Does the pending step of a payment, if it has one that nobody is at. @throws as the provider does */
export async function carryOutPending(db: TenantDatabase, paymentId: string): Promise<void> {
  const step = await takePendingStep(db, paymentId);
  if (!step) return;
  // No money is taken for an order that was canceled meanwhile.
  if (step.type === 'capture' && (await isOfCanceledOrder(db, paymentId))) {
    await markStep(db, step, 'failed', 'The order was canceled');
  } else await carryOut(db, step);
}

async function isOfCanceledOrder(db: TenantDatabase, paymentId: string): Promise<boolean> {
  const { orderId } = (await findPaymentRow(db, paymentId)) as PaymentRow;
  return (await findOrder(db, orderId))?.status === 'canceled';
}

/**
 * Does what is pending about the payments of an order: its automatic capture, after the order's transaction. What a
 * provider refuses stands in the payment; what it leaves open is tried again by the payment's next step or event.
 */
export async function settlePayments(db: TenantDatabase, orderId: string): Promise<void> {
  for (const id of await pendingPaymentsOf(db, orderId)) await carryOutPending(db, id).catch(() => {});
}

async function carryOut(db: TenantDatabase, step: StepRow): Promise<void> {
  const payment = (await findPaymentRow(db, step.paymentId)) as PaymentRow & { reference: string };
  const { id, provider, reference, method, currency } = payment;
  const adapter = adapterOf(db, provider);
  const type = step.type as StepType;
  let state: StepOutcome;
  try {
    if (!adapter) throw paymentProviderFailed(`Nothing here speaks for ${provider}.`);
    const about = { id, reference, method, amount: money(payment.amount, currency) };
    const amount = money(step.amount, currency);
    state = await ask(() => adapter[type](db, { id: step.id, payment: about, amount }));
  } catch (error) {
    if (isRefusal(error)) await markStep(db, step, 'failed', error.message);
    else await leaveStep(db, step);
    throw error;
  }
  const refusal = await db.transaction(async (tx) => {
    const order = (await lockOrder(tx, payment.orderId)) as OrderState;
    const locked = await lockPayment(tx, id);
    if (state) {
      await absorb(tx, order, locked, state);
      // What has become of the payment is not what was asked for, and will not be.
      const note = `It is ${state.status} at the provider.`;
      return (await markStep(tx, step, 'failed', note)) ? paymentRefused(note) : null;
    }
    // The provider's event may have been faster.
    if (await markStep(tx, step, 'succeeded')) await book(tx, order, locked, type, step.amount);
    return null;
  });
  if (refusal) throw refusal;
}
