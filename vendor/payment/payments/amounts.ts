/**
 * The amount of a step: as requested, all that is left, or what the items and shipping charges to refund cost; and what a
 * refund is for.
 */
import { type OrderAmounts, type OrderState, planRefund, planRefundOfAmount, type RefundPlan } from '@carton/order';
import { invalidField, money, type Problem, type TenantDatabase } from '@carton/runtime';
import { format } from '../format.ts';
import { paymentStepNotPossible, stepBusy } from '../problems.ts';
import { lostAmountOf } from './dispute-store.ts';
import type { PlannedRefund } from './refund-store.ts';
import { type PaymentRow, type PendingStepRow, pendingStepsOf, type StepRequest, type StepType } from './store.ts';

/** What is left of a payment to refund, in minor units: what was received, less what was refunded or taken by disputes. */
export function leftToRefund({
  capturedAmount,
  refundedAmount,
  disputedAmount,
}: Pick<PaymentRow, 'capturedAmount' | 'refundedAmount' | 'disputedAmount'>): number {
  return Math.max(0, capturedAmount - refundedAmount - disputedAmount);
}

/**
 * The amount of a step, and the plan of a refund. The order must be locked.
 * @param most the largest possible amount, in minor units
 * @throws payment_step_not_possible (409) for more than that or nothing, already_refunded (409), invalid_request (400)
 */
export async function amountOfStep(
  tx: TenantDatabase,
  order: OrderState,
  { currency }: PaymentRow,
  type: StepType,
  { amount: part, items, shipping }: Pick<StepRequest, 'amount' | 'items' | 'shipping'>,
  most: number,
): Promise<{ amount: number; plan: PlannedRefund | null }> {
  if (part && part.currency !== currency) throw invalidField('/amount/currency', `must be ${currency}`);
  const isNamed = items !== undefined || shipping !== undefined;
  if (isNamed && part) throw invalidField('/amount', 'cannot be combined with items or shipping');
  const named = isNamed ? await planRefund(tx, order.id, { items, shipping }) : null;
  if (named) await requireFinalPrices(tx, order.id, named);
  const amount = named?.amount ?? part?.amount ?? most;
  if (amount <= 0) throw paymentStepNotPossible('There is nothing to refund for this.');
  if (amount > most) {
    const left = `At most ${format(money(most, currency))} is left to ${type}`;
    throw paymentStepNotPossible(
      named ? `${left} of this payment, and this comes to ${format(money(amount, currency))}.` : `${left}.`,
    );
  }
  if (type !== 'refund') return { amount, plan: null };
  return { amount, plan: named ? { ...named, excess: 0 } : await planAmount(tx, order, amount) };
}

/**
 * While a refund is pending, it may fail. Units that cost nothing because of it would leave the order, and stay charged.
 * @throws payment_step_busy (409)
 */
async function requireFinalPrices(tx: TenantDatabase, orderId: string, { parts }: RefundPlan): Promise<void> {
  if (!parts.some(({ quantity, amount }) => quantity > 0 && amount === 0)) return;
  await requireFinishedRefunds(tx, orderId);
}

/** @throws payment_step_busy (409) while a refund of the order is pending */
export async function requireFinishedRefunds(tx: TenantDatabase, orderId: string): Promise<void> {
  if ((await pendingStepsOf(tx, orderId)).some(({ type }) => type === 'refund')) throw stepBusy();
}

/**
 * The plan of a refund by amount: it first returns what was received beyond the total, and takes the rest off the charges
 * of the order. The order must be locked.
 */
export async function planAmount(
  tx: TenantDatabase,
  order: Pick<OrderState, 'id'> & OrderAmounts,
  amount: number,
): Promise<PlannedRefund> {
  const lost = order.disputedAmount > 0 ? await lostAmountOf(tx, order.id) : 0;
  const excess = excessIn(amount, order, await pendingStepsOf(tx, order.id), lost);
  return { ...(await planRefundOfAmount(tx, order.id, amount - excess)), excess };
}

/**
 * The part of a refund by amount that returns what was received beyond the total.
 * @param steps the pending ones, which return some of it already
 * @param lost what decided disputes have taken, which returned some of it, too. An open one may give back what it holds
 */
export function excessIn(
  amount: number,
  { paidAmount, totalAmount, excessRefundedAmount }: OrderAmounts,
  steps: readonly Pick<PendingStepRow, 'excessAmount'>[],
  lost: number,
): number {
  const returning = steps.reduce((sum, step) => sum + step.excessAmount, 0);
  return Math.min(amount, Math.max(0, paidAmount - lost - totalAmount - excessRefundedAmount - returning));
}

/** @returns payment_step_not_possible (409) for a payment of which nothing is left for a step of the type */
export function nothingLeft({ status, refundedAmount, disputedAmount, currency }: PaymentRow, type: StepType): Problem {
  if (type === 'refund' && disputedAmount > 0) {
    const taken = format(money(disputedAmount, currency));
    return paymentStepNotPossible(`Disputes have taken ${taken} of this payment, so nothing is left to refund.`);
  }
  if (type === 'refund' && refundedAmount > 0) {
    const refunded = format(money(refundedAmount, currency));
    return paymentStepNotPossible(`${refunded} of this payment was refunded, so nothing is left to refund.`);
  }
  return paymentStepNotPossible(`The payment is ${status}, so there is nothing to ${type}.`);
}
