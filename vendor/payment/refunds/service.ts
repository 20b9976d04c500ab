/**
 * Refunds of a payment, and of an order across its payments: first those that providers and staff received, the newest first, then those
 * of tenders, the last one drained first. No payment is refunded beyond what it received. Those in dispute are left out,
 * since their provider refuses refunds meanwhile.
 */
import { createHash } from 'node:crypto';
import { lockOrder, partsOfOrder, unknownOrder } from '@carton/order';
import { invalidField, type MoneyValue, money, type Problem, type TenantDatabase } from '@carton/runtime';
import { adapterOf } from '../adapters/bound.ts';
import { format } from '../format.ts';
import { leftToRefund, planAmount } from '../payments/amounts.ts';
import { paymentsInDispute } from '../payments/dispute-store.ts';
import { insertPendingStep } from '../payments/steps.ts';
import {
  findPendingStep,
  findStep,
  lockPaymentsOfOrder,
  type PaymentRow,
  type StepRequest,
  type StepRow,
} from '../payments/store.ts';
import { paymentDisputed, paymentStepNotPossible, stepBusy } from '../problems.ts';
import { doStepInTransaction, isImmediate } from '../steps/immediate.ts';
import { doStep, requirePart, resumePendingStep } from '../steps/service.ts';
import { tenderOf } from '../tenders/tender.ts';
import type { Refund } from './schemas.ts';
import { readRefund, restocksOfRefunds } from './store.ts';

/** Refunds all or part of a captured payment. @throws as `capturePayment` */
export async function refundPayment(db: TenantDatabase, id: string, request: StepRequest): Promise<Refund> {
  const step = await doStep(db, id, 'refund', request);
  return readRefund(db, step.id);
}

export interface OrderRefund {
  /** Idempotency key: a second call with it refunds nothing more. */
  workId: string;
  amount: MoneyValue;
  reason?: string;
}

/**
 * Refunds all or part of what was paid for an order. The split is committed before a provider is called, and
 * `reconcile` completes it after a crash. Call it outside a transaction.
 * @returns one refund per payment involved
 * @throws not_found (404), invalid_request (400) for another currency, payment_step_not_possible (409) for more than is
 *   left, payment_disputed (409) for more than is left outside disputes, payment_step_busy (409), payment_refused (409),
 *   payment_provider_failed (502)
 */
export async function refundOrder(db: TenantDatabase, orderId: string, request: OrderRefund): Promise<Refund[]> {
  const steps = await db.transaction((tx) => beginRefunds(tx, orderId, request));
  const pending = steps.filter(({ status }) => status === 'pending');
  const outcomes = await Promise.allSettled(pending.map(({ paymentId }) => resumePendingStep(db, paymentId)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return Promise.all(steps.map(({ id }) => readRefund(db, id)));
}

/** The refunds that this work has created, else new ones: performed already, or pending for their providers. */
async function beginRefunds(
  tx: TenantDatabase,
  orderId: string,
  { workId, amount: { amount, currency }, reason }: OrderRefund,
): Promise<StepRow[]> {
  const order = await lockOrder(tx, orderId);
  if (!order) throw unknownOrder(orderId);
  if (currency !== order.currency) throw invalidField('/amount/currency', `must be ${order.currency}`);
  const payments = inRefundOrder(tx, await lockPaymentsOfOrder(tx, orderId));
  const known = await Promise.all(payments.map(({ id }) => findStep(tx, id, stepIdOf(workId, id))));
  if (known.some((step) => step !== null)) return known.filter((step) => step !== null);
  const steps: StepRow[] = [];
  const disputed = await paymentsInDispute(tx, orderId);
  for (const { payment, part } of splitRefund(payments, amount, disputed)) {
    if (await findPendingStep(tx, payment.id)) throw stepBusy();
    const step = { workId: stepIdOf(workId, payment.id), amount: money(part, currency), reason };
    const immediate = isImmediate(tx, payment);
    if (!immediate) requirePart(tx, payment, 'refund', part);
    steps.push(
      immediate
        ? await doStepInTransaction(tx, order, payment, 'refund', step)
        : await insertPendingStep(tx, payment, 'refund', part, {
            id: step.workId,
            reason,
            plan: await planAmount(tx, order, part),
          }),
    );
  }
  return steps;
}

/** The refundable payments in refund order; `payments` come oldest first. */
function inRefundOrder(tx: TenantDatabase, payments: readonly PaymentRow[]): PaymentRow[] {
  const newest = payments.toReversed();
  const isTender = ({ provider }: PaymentRow) => tenderOf(tx, provider) !== null;
  const others = newest.filter((payment) => !isTender(payment));
  return [
    ...others.filter((payment) => isImmediate(tx, payment) || adapterOf(tx, payment.provider)),
    ...newest.filter(isTender),
  ];
}

/**
 * @param disputed ids of payments that cannot be refunded now
 * @throws payment_step_not_possible (409) if the payments have less left, payment_disputed (409) if the others have
 */
function splitRefund(
  payments: readonly PaymentRow[],
  amount: number,
  disputed: ReadonlySet<string>,
): { payment: PaymentRow; part: number }[] {
  let rest = amount;
  const parts = payments
    .filter(({ id }) => !disputed.has(id))
    .map((payment) => {
      const part = Math.min(rest, leftToRefund(payment));
      rest -= part;
      return { payment, part };
    });
  if (rest > 0) throw tooMuch(payments, { amount, now: amount - rest, disputed });
  return parts.filter(({ part }) => part > 0);
}

const heldBy = 'the rest is in dispute, or was lost in a dispute in another currency';

/** @param now minor units that can be refunded now */
function tooMuch(
  payments: readonly PaymentRow[],
  { amount, now, disputed }: { amount: number; now: number; disputed: ReadonlySet<string> },
): Problem {
  const sum = (units: number) => format(money(units, payments[0]?.currency ?? ''));
  const held = payments.filter(({ id }) => disputed.has(id)).reduce((all, payment) => all + leftToRefund(payment), 0);
  if (held === 0) {
    return paymentStepNotPossible(
      payments.length > 0 ? `At most ${sum(now)} is left to refund.` : 'Nothing has been paid.',
    );
  }
  if (amount > now + held) {
    return paymentStepNotPossible(
      `At most ${sum(now + held)} is left to refund, of which ${sum(now)} can be refunded: ${heldBy}.`,
    );
  }
  return paymentDisputed(`At most ${sum(now)} can be refunded: ${heldBy}.`);
}

/** A deterministic UUID version 8 (RFC 9562, section 5.8) of work and payment. */
function stepIdOf(workId: string, paymentId: string): string {
  const bytes = createHash('sha256').update(`${workId} ${paymentId}`).digest();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The units of each line whose stock the succeeded refunds of an order return, as far as they were not shipped; and those
 * that were canceled without a refund, whose rows in the order's ledger have no refund of a payment.
 */
export async function unitsToRestock(db: TenantDatabase, orderId: string): Promise<Map<string, number>> {
  const found = await restocksOfRefunds(db, orderId);
  const others = new Set(found.flatMap(({ id, restocks }) => (restocks ? [] : id)));
  const units = new Map<string, number>();
  for (const { refundId, lineItemId, quantity, writtenOffQuantity } of await partsOfOrder(db, orderId)) {
    if (lineItemId === null || others.has(refundId)) continue;
    units.set(lineItemId, (units.get(lineItemId) ?? 0) + quantity - writtenOffQuantity);
  }
  return units;
}
