/**
 * Steps without a provider, each performed in one transaction: those of payments that staff recorded, which is
 * bookkeeping, and those of tenders. They need no adapter.
 */
import { lockOrderForRefund, type OrderState } from '@carton/order';
import { type HasExtensions, money, newId, type TenantDatabase } from '@carton/runtime';
import { paymentVoided } from '../events.ts';
import { format } from '../format.ts';
import { amountOfStep, nothingLeft } from '../payments/amounts.ts';
import { bookStep, publishPaymentEvent, refreshPaymentState } from '../payments/bookkeeping.ts';
import { insertRefund } from '../payments/steps.ts';
import {
  findStep,
  insertStep,
  lockPayment,
  offline,
  type PaymentRow,
  paymentsOfOrder,
  type StepRequest,
  type StepRow,
  type StepType,
  updatePayment,
} from '../payments/store.ts';
import { partOf, tenderOf } from '../tenders/tender.ts';

/** True for a payment whose steps involve no provider. */
export function isImmediate(box: HasExtensions, { provider }: Pick<PaymentRow, 'provider'>): boolean {
  return provider === offline || tenderOf(box, provider) !== null;
}

/**
 * Performs a step of a payment, or returns the one that this work has performed already.
 * @throws payment_step_not_possible (409), invalid_request (400) for another currency
 */
export function doImmediateStep(
  db: TenantDatabase,
  { id, orderId }: PaymentRow,
  type: StepType,
  request: StepRequest,
): Promise<StepRow> {
  return db.transaction(async (tx) => {
    const order = (await lockOrderForRefund(tx, orderId, request)) as OrderState;
    const payment = await lockPayment(tx, id);
    const known = request.workId === undefined ? null : await findStep(tx, id, request.workId);
    return known ?? doStepInTransaction(tx, order, payment, type, request);
  });
}

/**
 * Returns to the tenders what is left of their payments of a locked, canceled order. A payment whose tender is no
 * longer known to the box is left for staff to pay back.
 */
export async function reverseTenders(tx: TenantDatabase, order: OrderState): Promise<void> {
  for (const { id, provider } of (await paymentsOfOrder(tx, order.id)).toReversed()) {
    if (!tenderOf(tx, provider)) continue;
    const payment = await lockPayment(tx, id);
    const rest = { workId: undefined, reason: 'The order was canceled' };
    if (maxAmountOf(payment, 'refund') > 0) await doStepInTransaction(tx, order, payment, 'refund', rest);
  }
}

/** Performs a step with order and payment locked. @throws as `doImmediateStep` */
export async function doStepInTransaction(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  type: StepType,
  { workId, reason, restock, externalId, metadata, ...requested }: StepRequest,
): Promise<StepRow> {
  const { id: paymentId, orderId, currency } = payment;
  const most = maxAmountOf(payment, type);
  if (most <= 0) throw nothingLeft(payment, type);
  const { amount, plan } = await amountOfStep(tx, order, payment, type, requested, most);
  const step = await insertStep(tx, {
    id: workId ?? newId(),
    paymentId,
    type,
    amount,
    status: 'succeeded',
    note: reason ?? null,
    actorType: 'system',
  });
  await tenderOf(tx, payment.provider)?.reverse(tx, orderId, partOf(payment), amount, step.id);
  if (plan) {
    const details = { reason, restock, externalId, metadata };
    await insertRefund(tx, { id: step.id, paymentId, orderId, currency, amount, ...details }, plan);
    await bookStep(tx, order, payment, type, { amount, excess: plan.excess });
  } else await reversePayment(tx, order, payment);
  return step;
}

/**
 * The largest possible amount of a step, in minor units. These payments are captured when created; a refund is final.
 */
function maxAmountOf({ capturedAmount, refundedAmount }: PaymentRow, type: StepType): number {
  if (type === 'capture' || (type === 'void' && refundedAmount > 0)) return 0;
  return capturedAmount - refundedAmount;
}

/** Voids a payment as if it had never been made: its amount is owed again. */
async function reversePayment(tx: TenantDatabase, order: OrderState, payment: PaymentRow): Promise<void> {
  const { id, capturedAmount, currency, method } = payment;
  const voided = await updatePayment(tx, id, { status: 'voided', capturedAmount: 0 });
  await publishPaymentEvent(tx, paymentVoided, voided, capturedAmount);
  await refreshPaymentState(tx, order, `Reversed ${format(money(capturedAmount, currency))} by ${method}`);
}
