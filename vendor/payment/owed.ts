/**
 * No more is taken for an order than is owed of it. What is authorized is captured up to the balance and voided where
 * nothing is owed; what comes in beyond it, or for a canceled order, is given back.
 *
 * It is decided while the order is locked, as a pending step of the payment, of which there is one at most: so it
 * happens once, whatever breaks off.
 */
import { addPaymentNote, balanceOf, type OrderState } from '@carton/order';
import { money, newId, type TenantDatabase } from '@carton/runtime';
import { adapterOf } from './bound.ts';
import { format } from './format.ts';
import {
  insertRefund,
  insertStep,
  markStep,
  type PaymentRow,
  pendingStepsOf,
  type StepRow,
  type StepType,
  type WantedStep,
} from './store.ts';

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
  { id = newId(), reason, externalId, metadata, triedAt }: PendingStep = {},
): Promise<StepRow> {
  const pending = { id, paymentId, type, amount, status: 'pending', note: reason ?? null } as const;
  const step = await insertStep(tx, { ...pending, actorType: 'system', triedAt });
  if (type === 'refund') {
    await insertRefund(tx, { id, paymentId, orderId, currency, amount, reason, externalId, metadata });
  }
  return step;
}

/**
 * What a payment may still capture, in minor units: what is owed of its order, which is locked, less what others are
 * about to capture.
 */
export async function owedTo(tx: TenantDatabase, order: OrderState, { id }: Pick<PaymentRow, 'id'>): Promise<number> {
  return owedBeside(order, await pendingStepsOf(tx, order.id), id);
}

function owedBeside(order: OrderState, steps: readonly StepRow[], id: string): number {
  return balanceOf(order) - sumOf(steps, 'capture', id);
}

/** What the pending steps of other payments come to. */
function sumOf(steps: readonly StepRow[], type: StepType, id: string): number {
  return steps
    .filter((step) => step.type === type && step.paymentId !== id)
    .reduce((sum, { amount }) => sum + amount, 0);
}

interface News {
  /** Minor units that have just come in, and were not given back. */
  came: number;
  /** What is authorized is to be captured now, as far as it is owed. */
  capture: boolean;
}

/**
 * Begins the step that brings a payment in line with what is owed of its order; both are locked. It is carried out
 * after the transaction, by `carryOutPending`. True when a step was begun.
 */
export async function comeToBalance(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  { came, capture }: News,
): Promise<boolean> {
  const { id, provider, status, amount, capturedAmount } = payment;
  if (came <= 0 && status !== 'authorized') return false;
  const steps = await pendingStepsOf(tx, order.id);
  const pending = steps.find(({ paymentId }) => paymentId === id);
  const excess = Math.min(came, -balanceOf(order) - sumOf(steps, 'refund', id));
  const adapter = adapterOf(tx, provider);
  if (excess > 0) return giveBack(tx, order, payment, excess, adapter && !adapter.byHand ? pending : null);
  if (status !== 'authorized' || pending || !adapter || adapter.byHand) return false;
  const open = amount - capturedAmount;
  const owed = owedBeside(order, steps, id);
  if (owed <= 0) await insertPendingStep(tx, payment, 'void', open, { reason: reasonOf(order) });
  else if (capture) await insertPendingStep(tx, payment, 'capture', Math.min(open, owed));
  return owed <= 0 || capture;
}

function reasonOf({ status }: OrderState): string {
  return status === 'canceled' ? 'The order was canceled' : 'Nothing more was owed';
}

/** @param pending the payment's step, undefined where it has none; null where no provider gives back by itself */
async function giveBack(
  tx: TenantDatabase,
  order: OrderState,
  payment: PaymentRow,
  excess: number,
  pending: StepRow | undefined | null,
): Promise<boolean> {
  const reason = reasonOf(order);
  const sum = format(money(excess, payment.currency));
  if (pending === null || pending?.type === 'refund') {
    await addPaymentNote(tx, order.id, `${sum} of it is to be paid back: ${lowerFirst(reason)}`);
    return false;
  }
  // What was to be captured or voided has come in instead.
  if (pending) await markStep(tx, pending, 'failed', `It is ${payment.status} at the provider.`);
  await insertPendingStep(tx, payment, 'refund', excess, { reason });
  await addPaymentNote(tx, order.id, `${sum} of it is given back: ${lowerFirst(reason)}`);
  return true;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
