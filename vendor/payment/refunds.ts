/**
 * Giving money of an order back whatever it was paid with: what providers and staff have received goes first, the newest
 * payment first, then what tenders have paid, the last one drained first. None gives back more than it has paid.
 */
import { createHash } from 'node:crypto';
import { lockOrder, unknownOrder } from '@carton/order';
import { invalidField, type MoneyValue, money, type TenantDatabase } from '@carton/runtime';
import { adapterOf } from './bound.ts';
import { format } from './format.ts';
import { isDoneAtOnce, stepInTransaction } from './immediate-steps.ts';
import { insertPendingStep } from './owed.ts';
import { paymentStepNotPossible } from './problems.ts';
import type { Refund } from './schemas.ts';
import { busy, carryOutPending } from './steps.ts';
import { findPendingStep, findStep, lockPaymentsOfOrder, type PaymentRow, readRefund, type StepRow } from './store.ts';
import { tenderOf } from './tenders.ts';

export interface OrderRefund {
  /** Of the work that gives back; called again with it, no more is given back. */
  workId: string;
  amount: MoneyValue;
  reason?: string;
}

/**
 * Gives part or all of what was paid for an order back. Which payment gives how much stands before a provider is called;
 * what a crash leaves is done by `reconcile`. Call it outside of a transaction.
 * @returns a refund of each payment that had a part
 * @throws not_found (404), invalid_request (400) for another currency, payment_step_not_possible (409) for more than is
 *   left, payment_step_busy (409), payment_refused (409), payment_provider_failed (502)
 */
export async function refundOrder(db: TenantDatabase, orderId: string, wanted: OrderRefund): Promise<Refund[]> {
  const steps = await db.transaction((tx) => beginRefunds(tx, orderId, wanted));
  const pending = steps.filter(({ status }) => status === 'pending');
  const outcomes = await Promise.allSettled(pending.map(({ paymentId }) => carryOutPending(db, paymentId)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return Promise.all(steps.map(({ id }) => readRefund(db, id)));
}

/** The refunds that this work has begun before, else new ones: done at once, or pending for their providers. */
async function beginRefunds(
  tx: TenantDatabase,
  orderId: string,
  { workId, amount: { amount, currency }, reason }: OrderRefund,
): Promise<StepRow[]> {
  const order = await lockOrder(tx, orderId);
  if (!order) throw unknownOrder(orderId);
  if (currency !== order.currency) throw invalidField('/amount/currency', `must be ${order.currency}`);
  const payments = ranked(tx, await lockPaymentsOfOrder(tx, orderId));
  const known = await Promise.all(payments.map(({ id }) => findStep(tx, id, stepIdOf(workId, id))));
  if (known.some((step) => step !== null)) return known.filter((step) => step !== null);
  const steps: StepRow[] = [];
  for (const { payment, part } of split(payments, amount)) {
    if (await findPendingStep(tx, payment.id)) throw busy();
    const step = { workId: stepIdOf(workId, payment.id), amount: money(part, currency), reason };
    const isAtOnce = isDoneAtOnce(tx, payment);
    steps.push(
      isAtOnce
        ? await stepInTransaction(tx, order, payment, 'refund', step)
        : await insertPendingStep(tx, payment, 'refund', part, { id: step.workId, reason }),
    );
  }
  return steps;
}

/** Those that somebody speaks for, in the order in which they give back; `payments` stand the oldest first. */
function ranked(tx: TenantDatabase, payments: readonly PaymentRow[]): PaymentRow[] {
  const newest = payments.toReversed();
  const isTender = ({ provider }: PaymentRow) => tenderOf(tx, provider) !== null;
  const others = newest.filter((payment) => !isTender(payment));
  return [
    ...others.filter((payment) => isDoneAtOnce(tx, payment) || adapterOf(tx, payment.provider)),
    ...newest.filter(isTender),
  ];
}

/** @throws payment_step_not_possible (409) where the payments have not that much left */
function split(payments: readonly PaymentRow[], amount: number): { payment: PaymentRow; part: number }[] {
  let rest = amount;
  const parts = payments.map((payment) => {
    const part = Math.min(rest, payment.capturedAmount - payment.refundedAmount);
    rest -= part;
    return { payment, part };
  });
  if (rest > 0) {
    const most = money(amount - rest, payments[0]?.currency ?? '');
    throw paymentStepNotPossible(
      payments.length > 0 ? `At most ${format(most)} is left to refund.` : 'Nothing was paid.',
    );
  }
  return parts.filter(({ part }) => part > 0);
}

/** The same for the same work and payment: a UUID of version 8 (RFC 9562, section 5.8), made of both. */
function stepIdOf(workId: string, paymentId: string): string {
  const bytes = createHash('sha256').update(`${workId} ${paymentId}`).digest();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
