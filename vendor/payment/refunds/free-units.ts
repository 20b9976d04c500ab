/**
 * Refunds of units of which nothing is left to pay back: free ones, and those whose price was refunded by amount. No money
 * moves, so no step, no refund and no event of a payment is stored, and no provider is called: the units are taken out of
 * the order.
 */
import {
  cancelFreeUnits,
  type FreeUnits,
  lockOrderForRefund,
  type OrderState,
  orderAlreadyCanceled,
  orderAwaitsPayment,
  partsOfRefunds,
  type RefundPlan,
  unknownOrder,
} from '@carton/order';
import { money, newId, Problem, type TenantDatabase } from '@carton/runtime';
import { requireFinishedRefunds } from '../payments/amounts.ts';
import { findStep, type PaymentRow, requirePayment, type StepRequest } from '../payments/store.ts';
import { unitsHavePrice } from '../problems.ts';
import type { CanceledUnits, CancelUnits, Refund } from './schemas.ts';
import { refundPayment } from './service.ts';
import { dividedParts } from './store.ts';

/** Refunds all or part of a captured payment, or units that cost nothing. @throws as `capturePayment` */
export async function refundPaymentOrUnits(db: TenantDatabase, id: string, request: StepRequest): Promise<Refund> {
  return (await refundFreeUnits(db, id, request)) ?? (await refundPayment(db, id, request));
}

/** Null for what is no refund of free units only: a step of the payment, which tells what is wrong with the request. */
async function refundFreeUnits(db: TenantDatabase, id: string, request: StepRequest): Promise<Refund | null> {
  const { workId = newId(), amount, items, shipping, restock = true, reason, externalId, metadata } = request;
  // What integrations store with a refund belongs to one of money.
  if (!items || amount || externalId || metadata) return null;
  const payment = await requirePayment(db, id);
  return db.transaction(async (tx) => {
    const order = (await lockOrderForRefund(tx, payment.orderId, { restock })) as OrderState;
    if (order.status !== 'placed' || (await findStep(tx, id, workId))) return null;
    const known = await partsOfRefunds(tx, [workId]);
    if (known.length > 0) return presentRefund(payment, { id: workId, restock, reason }, known);
    const units = { id: workId, items, shipping, restock, reason };
    const plan = await cancelFreeUnits(tx, order, units).catch((error) => {
      if (error instanceof Problem) return null;
      throw error;
    });
    if (!plan) return null;
    await requireFinishedRefunds(tx, order.id);
    return presentRefund(payment, units, plan.parts);
  });
}

function presentRefund(
  { id: paymentId, orderId, provider, method, currency }: PaymentRow,
  { id, restock = true, reason = null }: Pick<FreeUnits, 'id' | 'restock'> & { reason?: string | null },
  parts: RefundPlan['parts'],
): Refund {
  const nothing = money(0, currency);
  const now = new Date().toISOString();
  return {
    ...{ id, paymentId, orderId, provider, method, status: 'succeeded' },
    ...{ amount: nothing, excess: nothing, tax: nothing, ...dividedParts(parts, currency) },
    ...{ reason, restock, externalId: null, metadata: {}, createdAt: now, updatedAt: now },
  };
}

/**
 * Takes units out of an order that cost nothing, also where it has no payment.
 * @throws not_found (404), invalid_request (400), order_already_canceled, order_pending, already_refunded,
 *   units_have_price, payment_step_busy (409)
 */
export function cancelUnits(
  db: TenantDatabase,
  orderId: string,
  { items, restock = true, reason }: CancelUnits,
): Promise<CanceledUnits> {
  return db.transaction(async (tx) => {
    const order = await lockOrderForRefund(tx, orderId, { restock });
    if (!order) throw unknownOrder(orderId);
    if (order.status === 'canceled') throw orderAlreadyCanceled();
    if (order.status === 'pending') throw orderAwaitsPayment();
    const id = newId();
    if (!(await cancelFreeUnits(tx, order, { id, items, restock, reason }))) {
      throw unitsHavePrice('Refund these units on a payment, or cancel the order.');
    }
    await requireFinishedRefunds(tx, orderId);
    return { id, orderId, items, restock, reason: reason ?? null };
  });
}
