/**
 * What becomes of a payment and of its order when money moved: by a step of ours, or because the provider says so.
 * Everything here runs in a transaction that holds the order, then the payment.
 */
import { addPaymentNote, changePaymentState, type OrderState, type PaymentState } from '@carton/order';
import { money, publish, type TenantDatabase } from '@carton/runtime';
import type { ProviderState } from './adapter.ts';
import { adapterOf } from './bound.ts';
import { paymentAuthorized, paymentCaptured, paymentFailed, paymentVoided, refundCreated } from './events.ts';
import { format } from './format.ts';
import { comeToBalance } from './owed.ts';
import {
  findPendingStep,
  insertStep,
  markStep,
  type PaymentRow,
  type PaymentSums,
  type StepType,
  sumPayments,
  updatePayment,
} from './store.ts';

/** Writes an event of a payment. */
export async function publishOf(
  tx: TenantDatabase,
  event: typeof paymentCaptured,
  { id, orderId, provider, method, currency }: PaymentRow,
  amount: number,
): Promise<void> {
  await publish(tx, event, { type: 'payment', id }, { orderId, provider, method, amount, currency });
}

/** The state of an order's payment, from the sums of its payments. */
function stateOf({ status, totalAmount }: OrderState, sums: PaymentSums): PaymentState {
  const { captured: paidAmount, refunded: refundedAmount } = sums;
  return { paymentStatus: statusOf(status, totalAmount, sums), paidAmount, refundedAmount };
}

function statusOf(
  status: OrderState['status'],
  totalAmount: number,
  { captured, refunded, authorized, voided }: PaymentSums,
): PaymentState['paymentStatus'] {
  const kept = captured - refunded;
  if (refunded > 0 && kept <= 0) return 'refunded';
  if (kept >= totalAmount) return 'paid';
  if (refunded > 0) return 'partially_refunded';
  if (captured > 0) return 'partially_paid';
  if (authorized > 0) return 'authorized';
  return voided || status === 'canceled' ? 'voided' : 'unpaid';
}

/** Brings an order, which is locked, to the state of its payments, with a line in its history. */
export async function settleOrder(tx: TenantDatabase, order: OrderState, note: string): Promise<void> {
  const state = stateOf(order, await sumPayments(tx, order.id));
  const { paymentStatus, paidAmount, refundedAmount } = state;
  const isAsBefore =
    paymentStatus === order.paymentStatus && paidAmount === order.paidAmount && refundedAmount === order.refundedAmount;
  if (isAsBefore) await addPaymentNote(tx, order.id, note);
  else await changePaymentState(tx, order.id, state, note);
  Object.assign(order, state);
}

/**
 * Books what a step has done, on payment and order. Answers the payment as it is now; after a capture comes
 * `comeToBalance`.
 */
export async function book(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  type: StepType,
  amount: number,
): Promise<PaymentRow> {
  const { capturedAmount, refundedAmount, method } = payment;
  const sum = format(money(amount, payment.currency));
  if (type === 'capture') {
    const captured = capturedAmount + amount;
    const isPromised = isUnauthorized(payment) && !adapterOf(tx, payment.provider)?.byHand;
    const open = isPromised ? 'authorized' : payment.status;
    const status = captured >= payment.amount ? 'captured' : open;
    const booked = await updatePayment(tx, payment.id, { capturedAmount: captured, status });
    await publishOf(tx, paymentCaptured, booked, amount);
    await settleOrder(tx, order, `Received ${sum} by ${method}`);
    return booked;
  }
  if (type === 'refund') {
    const booked = await updatePayment(tx, payment.id, { refundedAmount: refundedAmount + amount });
    await publishOf(tx, refundCreated, booked, amount);
    await settleOrder(tx, order, `Refunded ${sum} by ${method}`);
    return booked;
  }
  const booked = await updatePayment(tx, payment.id, { status: capturedAmount > 0 ? 'captured' : 'voided' });
  await publishOf(tx, paymentVoided, booked, amount);
  await settleOrder(tx, order, `Voided ${sum} by ${method}`);
  return booked;
}

/**
 * Takes over what a provider says of a payment. Hearing it twice, or late, changes nothing. What follows from it, an
 * automatic capture or what is not owed being given back, is left as a pending step for `carryOutPending`.
 * @returns true when such a step was begun
 */
export async function absorb(
  tx: TenantDatabase,
  order: OrderState,
  locked: PaymentRow,
  { status, captured, refunded }: ProviderState,
): Promise<boolean> {
  let payment = locked;
  const told = async (type: StepType, amount: number) => {
    await closeStep(tx, payment, type, amount);
    payment = await book(tx, order, payment, type, amount);
  };
  const isNewlyAuthorized = status === 'authorized' && isUnauthorized(payment);
  if (isNewlyAuthorized) payment = await authorize(tx, order, payment);
  const taken = Math.max(captured, refunded) - payment.capturedAmount;
  if (taken > 0) await told('capture', taken);
  const returned = Math.max(0, refunded - payment.refundedAmount);
  if (returned > 0) await told('refund', returned);
  const isOpen = payment.status !== 'captured' && payment.status !== 'voided';
  // A provider that calls it captured gives the rest up.
  if (isOpen && (status === 'voided' || (status === 'captured' && payment.capturedAmount > 0))) {
    await told('void', payment.amount - payment.capturedAmount);
  }
  // Of one that is authorized it is old news: the shopper has tried again since.
  if (status === 'failed' && payment.status === 'pending') await fail(tx, order, payment);
  const capture = isNewlyAuthorized && payment.captureMode === 'automatic';
  return comeToBalance(tx, order, payment, { came: taken - returned, capture });
}

function isUnauthorized({ status }: PaymentRow): boolean {
  return status === 'pending' || status === 'failed';
}

/** Ends the pending step that the news are of, or writes that it was done elsewhere. */
async function closeStep(tx: TenantDatabase, { id }: PaymentRow, type: StepType, amount: number): Promise<void> {
  const pending = await findPendingStep(tx, id);
  const closes = pending?.type === type && pending.amount <= amount;
  if (closes) await markStep(tx, pending, 'succeeded');
  const rest = amount - (closes ? pending.amount : 0);
  if (rest > 0) await insertStep(tx, { paymentId: id, type, amount: rest, status: 'succeeded', actorType: 'system' });
}

async function authorize(tx: TenantDatabase, order: OrderState, payment: PaymentRow): Promise<PaymentRow> {
  const { id: paymentId, amount, method, currency } = payment;
  const authorized = await updatePayment(tx, paymentId, { status: 'authorized' });
  await insertStep(tx, { paymentId, type: 'authorize', amount, status: 'succeeded', actorType: 'system' });
  await publishOf(tx, paymentAuthorized, authorized, amount);
  await settleOrder(tx, order, `Authorized ${format(money(amount, currency))} by ${method}`);
  return authorized;
}

async function fail(tx: TenantDatabase, order: OrderState, payment: PaymentRow): Promise<void> {
  const { id: paymentId, amount, method } = payment;
  const failed = await updatePayment(tx, paymentId, { status: 'failed' });
  const pending = await findPendingStep(tx, paymentId);
  if (pending) await markStep(tx, pending, 'failed');
  await insertStep(tx, { paymentId, type: 'authorize', amount, status: 'failed', actorType: 'system' });
  await publishOf(tx, paymentFailed, failed, amount);
  await settleOrder(tx, order, `The payment by ${method} failed`);
}
