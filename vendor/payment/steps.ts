/**
 * Steps that a provider does about a payment: capture, void, refund.
 *
 * A step is committed as pending before the provider is called, and booked after it has answered; no row is locked
 * meanwhile. Its id is that of the work of the request's Idempotency-Key, and the provider's own idempotency key too.
 * So whatever line the process dies at, the step is there and can be done again: by the same request, which finds it
 * by its id; by the next step of the payment, which comes after it; or by the provider's event, which ends it. A
 * payment has one pending step at most (an index sees to it), so that two together cannot go beyond its amount.
 */
import { findOrder, lockOrder, type Order, type OrderState } from '@carton/order';
import { invalidField, money, type Problem, type TenantDatabase } from '@carton/runtime';
import { ask, isRefusal, paymentProviderFailed, paymentRefused, type StepOutcome } from './adapter.ts';
import { absorb, book } from './bookkeeping.ts';
import { adapterOf, requireAdapter } from './bound.ts';
import { format } from './format.ts';
import { isDoneAtOnce, stepAtOnce } from './immediate-steps.ts';
import { comeToBalance, insertPendingStep, owedTo } from './owed.ts';
import { paymentStepBusy, paymentStepNotPossible } from './problems.ts';
import { referenceOf } from './release.ts';
import type { Payment, Refund } from './schemas.ts';
import {
  findPendingStep,
  findStep,
  leaveStep,
  lockPayment,
  markStep,
  type PaymentRow,
  pendingPaymentsOf,
  readPayment,
  readRefund,
  requirePayment,
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
  return readPayment(db, id);
}

/**
 * Gives up what was authorized and not captured; takes back what staff recorded or a tender paid.
 * @throws as `capturePayment`
 */
export async function voidPayment(db: TenantDatabase, id: string, wanted: WantedStep): Promise<Payment> {
  await doStep(db, id, 'void', wanted);
  return readPayment(db, id);
}

/** Gives captured money back, all or part. @throws as `capturePayment` */
export async function refundPayment(db: TenantDatabase, id: string, wanted: WantedStep): Promise<Refund> {
  const step = await doStep(db, id, 'refund', wanted);
  return readRefund(db, step.id);
}

async function doStep(db: TenantDatabase, id: string, type: StepType, wanted: WantedStep): Promise<StepRow> {
  const payment = await requirePayment(db, id);
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
  { id: paymentId, orderId }: PaymentRow,
  type: StepType,
  { workId, amount: part, reason, externalId, metadata }: WantedStep,
): Promise<{ step: StepRow; begun: boolean }> {
  const order = (await lockOrder(tx, orderId)) as OrderState;
  const payment = await lockPayment(tx, paymentId);
  const known = workId === undefined ? null : await findStep(tx, paymentId, workId);
  if (known) return { step: known, begun: false };
  if (await findPendingStep(tx, paymentId)) throw busy();
  const { currency } = payment;
  if (part && part.currency !== currency) throw invalidField('/amount/currency', `must be ${currency}`);
  const { byHand } = adapterOf(tx, payment.provider) ?? {};
  const open = mostOf(payment, type, byHand);
  if (open <= 0) throw paymentStepNotPossible(`It is ${payment.status}, so there is nothing to ${type}.`);
  // What has come by hand has come; of what is authorized no more is taken than is owed.
  const most = type === 'capture' && !byHand ? Math.min(open, await owedTo(tx, order, payment)) : open;
  if (most <= 0) throw paymentStepNotPossible('Nothing more is owed of its order.');
  const amount = part?.amount ?? most;
  if (amount > most) throw paymentStepNotPossible(`At most ${format(money(most, currency))} is left to ${type}.`);
  const about = { id: workId, reason, externalId, metadata, triedAt: new Date() };
  const step = await insertPendingStep(tx, payment, type, amount, about);
  return { step, begun: true };
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
  if (step.type !== 'capture' || (await isOwed(db, step))) return carryOut(db, step);
  if (await withdraw(db, step)) await carryOutPending(db, paymentId);
}

/** False for a capture whose order was canceled or paid otherwise since. */
async function isOwed(db: TenantDatabase, { paymentId, amount }: StepRow): Promise<boolean> {
  const { orderId, provider } = await requirePayment(db, paymentId);
  const { status, balance } = (await findOrder(db, orderId)) as Order;
  return status !== 'canceled' && (adapterOf(db, provider)?.byHand || balance.amount >= amount);
}

/** Ends a capture that is not owed any more, before the provider is asked. True when another step came in its place. */
async function withdraw(db: TenantDatabase, step: StepRow): Promise<boolean> {
  const { orderId } = await requirePayment(db, step.paymentId);
  return db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    const payment = await lockPayment(tx, step.paymentId);
    const reason = order.status === 'canceled' ? 'The order was canceled' : 'Less is owed';
    if (!(await markStep(tx, step, 'failed', reason))) return false;
    return comeToBalance(tx, order, payment, { came: 0, capture: payment.captureMode === 'automatic' });
  });
}

/**
 * Does what is pending about the payments of an order: its automatic capture, after the order's transaction. What a
 * provider refuses stands in the payment; what it leaves open is tried again by the payment's next step or event.
 */
export async function completePayments(db: TenantDatabase, orderId: string): Promise<void> {
  for (const id of await pendingPaymentsOf(db, orderId)) await carryOutPending(db, id).catch(() => {});
}

async function carryOut(db: TenantDatabase, step: StepRow): Promise<void> {
  const payment = await requirePayment(db, step.paymentId);
  const type = step.type as StepType;
  let state: StepOutcome;
  try {
    state = await askFor(db, payment, type, step);
  } catch (error) {
    if (isRefusal(error)) await markStep(db, step, 'failed', error.message);
    else await leaveStep(db, step);
    throw error;
  }
  const { follows, refusal } = await db.transaction(async (tx) => {
    const order = (await lockOrder(tx, payment.orderId)) as OrderState;
    const locked = await lockPayment(tx, payment.id);
    if (state) {
      const follows = await absorb(tx, order, locked, state);
      // What has become of the payment is not what was asked for, and will not be.
      const note = `It is ${state.status} at the provider.`;
      await markStep(tx, step, 'failed', note);
      const { status } = (await findStep(tx, payment.id, step.id)) as StepRow;
      return { follows, refusal: status === 'failed' ? paymentRefused(note) : null };
    }
    // The provider's event may have been faster.
    if (!(await markStep(tx, step, 'succeeded'))) return { follows: false, refusal: null };
    const booked = await book(tx, order, locked, type, step.amount);
    const came = type === 'capture' ? step.amount : 0;
    return { follows: await comeToBalance(tx, order, booked, { came, capture: false }), refusal: null };
  });
  // It stands already, and is done later as well.
  if (follows) await carryOutPending(db, payment.id).catch(() => {});
  if (refusal) throw refusal;
}

/** Has the provider do a step. One that has refused to begin the payment has nothing to do. */
async function askFor(db: TenantDatabase, payment: PaymentRow, type: StepType, step: StepRow): Promise<StepOutcome> {
  const { id, provider, method, currency } = payment;
  const adapter = adapterOf(db, provider);
  if (!adapter) throw paymentProviderFailed(`Nothing here speaks for ${provider}.`);
  const reference = await referenceOf(db, adapter, payment);
  if (reference === null) return { status: 'voided', captured: 0, refunded: 0 };
  const about = { id, reference, method, amount: money(payment.amount, currency) };
  return ask(() => adapter[type](db, { id: step.id, payment: about, amount: money(step.amount, currency) }));
}
