/**
 * Steps that no provider takes part in, so that they are done in one transaction: those of payments that staff have
 * recorded, which is bookkeeping, and those of what tenders have paid. They need no adapter.
 */
import { lockOrder, type OrderState } from '@carton/order';
import { type HasExtensions, invalidField, money, newId, type TenantDatabase } from '@carton/runtime';
import { book, publishOf, settleOrder } from './bookkeeping.ts';
import { paymentVoided } from './events.ts';
import { format } from './format.ts';
import { paymentStepNotPossible } from './problems.ts';
import {
  findStep,
  insertRefund,
  insertStep,
  lockPayment,
  offline,
  type PaymentRow,
  paymentsOfOrder,
  type StepRow,
  type StepType,
  updatePayment,
  type WantedStep,
} from './store.ts';
import { partOf, tenderOf } from './tenders.ts';

/** True for a payment whose steps are done at once. */
export function isDoneAtOnce(box: HasExtensions, { provider }: Pick<PaymentRow, 'provider'>): boolean {
  return provider === offline || tenderOf(box, provider) !== null;
}

/**
 * Does a step of a payment, or answers the one that this work has done.
 * @throws payment_step_not_possible (409), invalid_request (400) for another currency
 */
export function stepAtOnce(
  db: TenantDatabase,
  { id, orderId }: PaymentRow,
  type: StepType,
  wanted: WantedStep,
): Promise<StepRow> {
  return db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    const payment = await lockPayment(tx, id);
    const known = wanted.workId === undefined ? null : await findStep(tx, id, wanted.workId);
    return known ?? stepInTransaction(tx, order, payment, type, wanted);
  });
}

/**
 * Gives back what tenders have paid of an order that is locked and was canceled, all that is left of it. What a tender
 * has paid that the box does not know any more stays for staff to pay back.
 */
export async function reverseTenders(tx: TenantDatabase, order: OrderState): Promise<void> {
  for (const { id, provider } of (await paymentsOfOrder(tx, order.id)).toReversed()) {
    if (!tenderOf(tx, provider)) continue;
    const payment = await lockPayment(tx, id);
    const rest = { workId: undefined, reason: 'The order was canceled' };
    if (mostOf(payment, 'refund') > 0) await stepInTransaction(tx, order, payment, 'refund', rest);
  }
}

/** Does a step with order and payment locked. @throws as `stepAtOnce` */
export async function stepInTransaction(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  type: StepType,
  { workId, amount: part, reason, externalId, metadata }: WantedStep,
): Promise<StepRow> {
  const { id: paymentId, orderId, currency } = payment;
  if (part && part.currency !== currency) throw invalidField('/amount/currency', `must be ${currency}`);
  const most = mostOf(payment, type);
  if (most <= 0) throw paymentStepNotPossible(`It is ${payment.status}, so there is nothing to ${type}.`);
  const amount = part?.amount ?? most;
  if (amount > most) throw paymentStepNotPossible(`At most ${format(money(most, currency))} is left to ${type}.`);
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
  if (type === 'refund') {
    await insertRefund(tx, { id: step.id, paymentId, orderId, currency, amount, reason, externalId, metadata });
    await book(tx, order, payment, type, amount);
  } else await takeBack(tx, order, payment);
  return step;
}

/** The most a step can be of, in minor units; it was captured as it was made, and what was given back stays so. */
function mostOf({ capturedAmount, refundedAmount }: PaymentRow, type: StepType): number {
  if (type === 'capture' || (type === 'void' && refundedAmount > 0)) return 0;
  return capturedAmount - refundedAmount;
}

/** Voids a payment as if it had never been: what it has paid is owed again. */
async function takeBack(tx: TenantDatabase, order: OrderState, payment: PaymentRow): Promise<void> {
  const { id, capturedAmount, currency, method } = payment;
  const voided = await updatePayment(tx, id, { status: 'voided', capturedAmount: 0 });
  await publishOf(tx, paymentVoided, voided, capturedAmount);
  await settleOrder(tx, order, `Took back ${format(money(capturedAmount, currency))} by ${method}`);
}
