/**
 * No more is captured for an order than is owed. An authorization is captured up to the order's balance and voided
 * where nothing is owed; money received beyond the balance, or for a canceled order, is refunded, whether it was received
 * before the cancellation or after it.
 *
 * The decision is made while the order is locked, and stored as a pending step of the payment. A payment has at most
 * one, so it happens exactly once, even after a crash.
 */
import { addPaymentNote, balanceOf, type OrderState } from '@carton/order';
import { type HasExtensions, money, type TenantDatabase } from '@carton/runtime';
import type { RefusedState } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import { format, lowerFirst } from '../format.ts';
import { leftToRefund, planAmount } from './amounts.ts';
import { hasDisputes, isDisputeChanged, isInDispute } from './dispute-store.ts';
import { isRefundFailed } from './refund-store.ts';
import { finishStep, insertPendingStep } from './steps.ts';
import { findPendingStep, type PaymentRow, type PendingStepRow, pendingStepsOf, type StepRow } from './store.ts';

/**
 * The amount that a payment may still capture, in minor units: the balance of its locked order, less the pending
 * captures of other payments.
 */
export async function owedToPayment(
  tx: TenantDatabase,
  order: OrderState,
  { id }: Pick<PaymentRow, 'id'>,
): Promise<number> {
  return owedExcluding(order, await pendingStepsOf(tx, order.id), id);
}

function owedExcluding(order: OrderState, steps: readonly StepRow[], id: string): number {
  const others = steps.filter((step) => step.type === 'capture' && step.paymentId !== id);
  return balanceOf(order) - others.reduce((sum, { amount }) => sum + amount, 0);
}

/** What an order's payments have to give back, beyond what pending refunds do; in minor units. */
function owedToShopper(order: OrderState, steps: readonly PendingStepRow[]): number {
  // Nothing is charged for a canceled order, so that whatever is refunded of it was owed to the shopper.
  const returning = steps
    .filter(({ type }) => type === 'refund')
    .reduce((sum, { amount, excessAmount }) => sum + (order.status === 'canceled' ? amount : excessAmount), 0);
  return -balanceOf(order) - returning;
}

interface Movement {
  /** Minor units that were just captured and not refunded. */
  received: number;
  /** A step has just ended, so that what is left of a canceled order's payment can be refunded. */
  ended?: boolean;
  /** Capture what is authorized, up to what is owed. */
  capture: boolean;
}

/**
 * Inserts the step that aligns a payment with the balance of its order; both are locked. `resumePendingStep` performs
 * it after the transaction. True when a step was inserted.
 */
export async function alignWithBalance(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  { received, ended = false, capture }: Movement,
): Promise<boolean> {
  const { id, provider, status, amount, capturedAmount } = payment;
  if (ended && (await refundCanceled(tx, order, payment))) return true;
  if (received <= 0 && status !== 'authorized') return false;
  const steps = await pendingStepsOf(tx, order.id);
  const pending = steps.find(({ paymentId }) => paymentId === id);
  const excess = Math.min(received, owedToShopper(order, steps));
  const adapter = adapterOf(tx, provider);
  if (excess > 0) return refundExcess(tx, order, payment, excess, adapter && !adapter.byHand ? pending : null);
  if (status !== 'authorized' || pending || !adapter || adapter.byHand) return false;
  const open = amount - capturedAmount;
  const owed = owedExcluding(order, steps, id);
  if (owed <= 0) await insertPendingStep(tx, payment, 'void', open, { reason: reasonOf(order) });
  else if (capture) await insertPendingStep(tx, payment, 'capture', Math.min(open, owed));
  return owed <= 0 || capture;
}

/** True for a payment that a provider of this box refunds; others are paid back by staff, or belong to a tender. */
export function isRefundedByProvider(box: HasExtensions, { provider }: Pick<PaymentRow, 'provider'>): boolean {
  const adapter = adapterOf(box, provider);
  return adapter !== null && !adapter.byHand;
}

/**
 * Inserts the refund of all that a canceled order's payment holds; both are locked. While another step of the payment is
 * pending, or the payment is in dispute, it does nothing: whatever ends that calls it again. What the provider has refused
 * to refund is left to staff. True when a refund was inserted.
 */
export async function refundCanceled(tx: TenantDatabase, order: OrderState, payment: PaymentRow): Promise<boolean> {
  const rest = leftToRefund(payment);
  if (order.status !== 'canceled' || rest <= 0 || !isRefundedByProvider(tx, payment)) return false;
  if ((await findPendingStep(tx, payment.id)) || (await isInDispute(tx, payment))) return false;
  if (await isRefundFailed(tx, { paymentId: payment.id, amount: rest, reason: reasonOf(order) })) return false;
  await insertRefundOf(tx, order, payment, rest);
  return true;
}

/**
 * What follows when a provider has refused a step of a payment; order and payment are locked. If it was the refund of
 * all that a canceled order's payment holds, the timeline says so; otherwise that refund is inserted. During a dispute
 * nothing follows, since its end calls `refundCanceled`.
 * @returns true when a refund was inserted
 */
export async function followRefusal(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  step: StepRow,
  { isDisputed = false }: Pick<RefusedState, 'isDisputed'> = {},
): Promise<boolean> {
  const { type, amount } = step;
  const isAll = type === 'refund' && amount === leftToRefund(payment);
  if (!isAll || order.status !== 'canceled') return refundCanceled(tx, order, payment);
  if (await isInDispute(tx, payment)) return false;
  // Its dispute has ended while the provider was asked.
  if (await isDisputeChanged(tx, step)) return refundCanceled(tx, order, payment);
  const sum = format(money(amount, payment.currency));
  // The box learns of the dispute later: what staff pay back now would be lost.
  const note =
    isDisputed && !(await hasDisputes(tx, payment))
      ? `The refund of ${sum} by ${payment.method} was refused: the payment is disputed at ${payment.provider}; do not pay it back by other means before that is decided`
      : `${sum} must be paid back: the refund by ${payment.method} was refused`;
  await addPaymentNote(tx, order.id, note);
  return false;
}

async function insertRefundOf(tx: TenantDatabase, order: OrderState, payment: PaymentRow, amount: number) {
  const reason = reasonOf(order);
  await insertPendingStep(tx, payment, 'refund', amount, { reason, plan: await planAmount(tx, order, amount) });
  const sum = format(money(amount, payment.currency));
  await addPaymentNote(tx, order.id, `${sum} will be refunded: ${lowerFirst(reason)}`);
}

function reasonOf({ status }: OrderState): string {
  return status === 'canceled' ? 'The order was canceled' : 'Nothing more was owed';
}

/** @param pending the payment's pending step, undefined if it has none; null if no provider can refund it */
async function refundExcess(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  excess: number,
  pending: StepRow | undefined | null,
): Promise<boolean> {
  const reason = reasonOf(order);
  const sum = format(money(excess, payment.currency));
  // The end of a canceled order's pending refund is followed by the refund of the rest.
  if (pending?.type === 'refund' && order.status === 'canceled') return false;
  if (pending === null || pending?.type === 'refund' || (await isInDispute(tx, payment))) {
    await addPaymentNote(tx, order.id, `${sum} must be paid back: ${lowerFirst(reason)}`);
    return false;
  }
  // Instead of being captured or voided as planned, the money has come in.
  if (pending) await finishStep(tx, pending, 'failed', `The payment is ${payment.status} at the provider.`);
  await insertRefundOf(tx, order, payment, excess);
  return true;
}
