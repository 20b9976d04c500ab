/**
 * Books what has happened to a payment, on the payment and its order: a step of the box, or what a provider reports.
 * Every function here runs in a transaction that holds the order's lock, then the payment's.
 */
import {
  addPaymentNote,
  changePaymentState,
  chargedOf,
  findOrderUnits,
  isRefundedInFull,
  type OrderAmounts,
  type OrderState,
  type PaymentState,
  placePending,
  refundedChargeOf,
} from '@carton/order';
import { money, publish, type TenantDatabase } from '@carton/runtime';
import type { ProviderState } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import { paymentAuthorized, paymentCaptured, paymentFailed, paymentVoided, refundCreated } from '../events.ts';
import { format } from '../format.ts';
import { planAmount } from './amounts.ts';
import { alignWithBalance } from './balance.ts';
import { excessOfRefund } from './refund-store.ts';
import { finishStep, insertRefund } from './steps.ts';
import {
  findPendingStep,
  insertStep,
  type PaymentRow,
  type PaymentSums,
  type StepType,
  sumHeld,
  sumPayments,
  updatePayment,
} from './store.ts';

/** Publishes an event of a payment. */
export async function publishPaymentEvent(
  tx: TenantDatabase,
  event: typeof paymentCaptured,
  { id, orderId, provider, method, currency }: PaymentRow,
  amount: number,
): Promise<void> {
  await publish(tx, event, { type: 'payment', id }, { orderId, provider, method, amount, currency });
}

/** An order's payment state, from the sums of its payments and what they have returned of an excess. */
function stateOf(order: OrderState, sums: PaymentSums, excessRefundedAmount: number): PaymentState {
  const { captured: paidAmount, refunded: refundedAmount, disputed: disputedAmount } = sums;
  const amounts = { paidAmount, refundedAmount, disputedAmount, excessRefundedAmount };
  return { paymentStatus: statusOf({ ...order, ...amounts }, sums), ...amounts };
}

/** The payment status of an order, from its amounts and what its payments hold. */
export function statusOf(
  order: OrderAmounts,
  { authorized, voided }: Pick<PaymentSums, 'authorized' | 'voided'>,
): PaymentState['paymentStatus'] {
  const { status, totalAmount, paidAmount, refundedAmount } = order;
  const kept = paidAmount - refundedAmount;
  if (isRefundedInFull(order)) return 'refunded';
  if (refundedChargeOf(order) > 0) return 'partially_refunded';
  if (kept >= totalAmount) return 'paid';
  if (kept > 0) return 'partially_paid';
  if (authorized > 0) return 'authorized';
  return voided || status === 'canceled' ? 'voided' : 'unpaid';
}

/**
 * Updates a locked order to the state of its payments, with an entry in its timeline.
 * @param excess minor units that were just refunded of what was received beyond the total
 */
export async function refreshPaymentState(
  tx: TenantDatabase,
  order: OrderState,
  note: string,
  excess = 0,
): Promise<void> {
  const state = stateOf(order, await sumPayments(tx, order.id), order.excessRefundedAmount + excess);
  const isUnchanged = (['paymentStatus', 'paidAmount', 'refundedAmount', 'disputedAmount'] as const).every(
    (name) => state[name] === order[name],
  );
  if (isUnchanged) await addPaymentNote(tx, order.id, note);
  else await changePaymentState(tx, order, state, note);
  Object.assign(order, state);
}

/** Sets the payment status of a locked order after its total has changed. */
export async function refreshPaymentStatus(tx: TenantDatabase, order: OrderState): Promise<void> {
  const state = stateOf(order, await sumPayments(tx, order.id), order.excessRefundedAmount);
  if (state.paymentStatus === order.paymentStatus) return;
  await changePaymentState(tx, order, state, 'The total has changed');
  Object.assign(order, state);
}

/**
 * Books a completed step on payment and order. Returns the updated payment; after a capture, call `alignWithBalance`.
 * @param excess the part of a refund that was received beyond the order's total
 */
export async function bookStep(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  type: StepType,
  { amount, excess = 0 }: { amount: number; excess?: number },
): Promise<PaymentRow> {
  const { capturedAmount, refundedAmount, method } = payment;
  const sum = format(money(amount, payment.currency));
  if (type === 'capture') {
    const captured = capturedAmount + amount;
    const isImplicitlyAuthorized = isUnauthorized(payment) && !adapterOf(tx, payment.provider)?.byHand;
    const open = isImplicitlyAuthorized ? 'authorized' : payment.status;
    const status = captured >= payment.amount ? 'captured' : open;
    const booked = await updatePayment(tx, payment.id, { capturedAmount: captured, status });
    await publishPaymentEvent(tx, paymentCaptured, booked, amount);
    await refreshPaymentState(tx, order, `Received ${sum} by ${method}`);
    return booked;
  }
  if (type === 'refund') {
    const booked = await updatePayment(tx, payment.id, { refundedAmount: refundedAmount + amount });
    await publishPaymentEvent(tx, refundCreated, booked, amount);
    await refreshPaymentState(tx, order, `Refunded ${sum} by ${method}`, excess);
    await noteUnitsToShip(tx, order);
    return booked;
  }
  const booked = await updatePayment(tx, payment.id, { status: capturedAmount > 0 ? 'captured' : 'voided' });
  await publishPaymentEvent(tx, paymentVoided, booked, amount);
  await refreshPaymentState(tx, order, `Voided ${sum} by ${method}`);
  return booked;
}

/** Notes for staff if all of an order was refunded, but units of it were not: they are shipped unless staff act. */
async function noteUnitsToShip(tx: TenantDatabase, { id, status, paymentStatus, fulfillmentStatus }: OrderState) {
  if (status !== 'placed' || paymentStatus !== 'refunded' || fulfillmentStatus === 'fulfilled') return;
  const left = (await findOrderUnits(tx, [id])).filter(
    ({ requiresShipping, quantity, refundedQuantity }) => requiresShipping && refundedQuantity < quantity,
  );
  if (left.length === 0) return;
  await addPaymentNote(
    tx,
    id,
    'All was refunded, but not by units: what was not shipped is still to be shipped unless its units are refunded too, or the order is canceled',
  );
}

/**
 * Applies a payment's state as its provider reports it. An old or repeated report changes nothing. What follows, such
 * as an automatic capture or the refund of an excess, is inserted as a pending step for `resumePendingStep`.
 * @returns true when such a step was inserted
 */
export async function applyProviderState(
  tx: TenantDatabase,
  order: OrderState,
  locked: PaymentRow,
  { status, captured, refunded }: ProviderState,
): Promise<boolean> {
  // Before the payment's own events.
  if (order.status === 'pending' && (await coversOrder(tx, order, locked, { status, captured, refunded }))) {
    await placePending(tx, order);
  }
  let payment = locked;
  let ended = false;
  const bookReported = async (type: StepType, amount: number) => {
    ended = true;
    const excess = await closeStep(tx, order, payment, type, amount);
    payment = await bookStep(tx, order, payment, type, { amount, excess });
  };
  const isNewlyAuthorized = status === 'authorized' && isUnauthorized(payment);
  if (isNewlyAuthorized) payment = await markAuthorized(tx, order, payment);
  const newlyCaptured = Math.max(captured, refunded) - payment.capturedAmount;
  if (newlyCaptured > 0) await bookReported('capture', newlyCaptured);
  const newlyRefunded = Math.max(0, refunded - payment.refundedAmount);
  if (newlyRefunded > 0) await bookReported('refund', newlyRefunded);
  const isOpen = payment.status !== 'captured' && payment.status !== 'voided';
  // A provider that reports it as captured has released the rest.
  if (isOpen && (status === 'voided' || (status === 'captured' && payment.capturedAmount > 0))) {
    await bookReported('void', payment.amount - payment.capturedAmount);
  }
  // For an authorized payment this is an old report: the shopper has tried again since.
  if (status === 'failed' && payment.status === 'pending') await markFailed(tx, order, payment);
  const capture = isNewlyAuthorized && payment.captureMode === 'automatic';
  return alignWithBalance(tx, order, payment, { received: newlyCaptured - newlyRefunded, ended, capture });
}

/** Whether a locked order has all of its money with the reported state of a payment, received or authorized. */
async function coversOrder(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  { status, captured, refunded }: ProviderState,
): Promise<boolean> {
  const isHeld = status === 'authorized' && isUnauthorized(payment);
  if (!isHeld && captured <= refunded) return false;
  // Another payment has replaced it.
  if (isHeld && (await findPendingStep(tx, payment.id))?.type === 'void') return false;
  const reported = isHeld ? payment.amount : captured - refunded;
  return reported + (await sumHeld(tx, order.id, payment.id)) >= chargedOf(order);
}

function isUnauthorized({ status }: PaymentRow): boolean {
  return status === 'pending' || status === 'failed';
}

/**
 * Finishes the pending step that a report confirms, and inserts one for what was done elsewhere. A refund there is one by
 * amount.
 * @returns the part of a refund that was received beyond the order's total
 */
async function closeStep(
  tx: TenantDatabase,
  order: OrderState,
  { id: paymentId, currency }: PaymentRow,
  type: StepType,
  amount: number,
): Promise<number> {
  const pending = await findPendingStep(tx, paymentId);
  const closes = pending?.type === type && pending.amount <= amount;
  if (closes) await finishStep(tx, pending, 'succeeded');
  const closed = closes && type === 'refund' ? await excessOfRefund(tx, pending.id) : 0;
  const rest = amount - (closes ? pending.amount : 0);
  if (rest <= 0) return closed;
  // What the closed refund has returned of an excess is not on the order yet.
  const booked = { ...order, excessRefundedAmount: order.excessRefundedAmount + closed };
  const plan = type === 'refund' ? await planAmount(tx, booked, rest) : null;
  const { id } = await insertStep(tx, { paymentId, type, amount: rest, status: 'succeeded', actorType: 'system' });
  if (plan) await insertRefund(tx, { id, paymentId, orderId: order.id, currency, amount: rest }, plan);
  return closed + (plan?.excess ?? 0);
}

async function markAuthorized(tx: TenantDatabase, order: OrderState, payment: PaymentRow): Promise<PaymentRow> {
  const { id: paymentId, amount, method, currency } = payment;
  const authorized = await updatePayment(tx, paymentId, { status: 'authorized' });
  await insertStep(tx, { paymentId, type: 'authorize', amount, status: 'succeeded', actorType: 'system' });
  await publishPaymentEvent(tx, paymentAuthorized, authorized, amount);
  await refreshPaymentState(tx, order, `Authorized ${format(money(amount, currency))} by ${method}`);
  return authorized;
}

async function markFailed(tx: TenantDatabase, order: OrderState, payment: PaymentRow): Promise<void> {
  const { id: paymentId, amount, method } = payment;
  const failed = await updatePayment(tx, paymentId, { status: 'failed' });
  const pending = await findPendingStep(tx, paymentId);
  if (pending) await finishStep(tx, pending, 'failed');
  await insertStep(tx, { paymentId, type: 'authorize', amount, status: 'failed', actorType: 'system' });
  await publishPaymentEvent(tx, paymentFailed, failed, amount);
  await refreshPaymentState(tx, order, `The payment by ${method} failed`);
}
