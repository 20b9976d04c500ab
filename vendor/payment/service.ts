/**
 * Rules of payments that no provider takes part in: reading them, money received outside the box, and what becomes of
 * the payment of a canceled order.
 */
import {
  addPaymentNote,
  balanceOf,
  lockOrder,
  type OrderState,
  orderAlreadyCanceled,
  unknownOrder,
} from '@carton/order';
import { invalidField, money, type TenantDatabase } from '@carton/runtime';
import { publishOf, settleOrder } from './bookkeeping.ts';
import { paymentCaptured } from './events.ts';
import { format } from './format.ts';
import { reverseTenders } from './immediate-steps.ts';
import { paymentExceedsBalance } from './problems.ts';
import type { Payment, RecordPayment } from './schemas.ts';
import { insertPayment, offline, readPayment, sumPayments, withdrawCaptures } from './store.ts';

/**
 * Records money that was received outside the box. The order is locked meanwhile, so two at once cannot pay too much.
 * @throws not_found (404), order_already_canceled (409), payment_exceeds_balance (409), invalid_request (400) for
 *   another currency than the order's
 */
export async function recordPayment(db: TenantDatabase, orderId: string, given: RecordPayment): Promise<Payment> {
  const { amount, currency } = given.amount;
  return db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw unknownOrder(orderId);
    if (order.status === 'canceled') throw orderAlreadyCanceled('A canceled order takes no payment.');
    if (currency !== order.currency) throw invalidField('/amount/currency', `must be ${order.currency}`);
    const owed = Math.max(0, balanceOf(order));
    if (amount > owed) throw paymentExceedsBalance(`${format(money(owed, currency))} is owed.`);
    const { method, reference = null, note = null, externalId, metadata } = given;
    const payment = await insertPayment(
      tx,
      {
        orderId,
        provider: offline,
        method,
        captureMode: 'manual',
        status: 'captured',
        currency,
        amount,
        capturedAmount: amount,
        reference,
        externalId,
        metadata,
      },
      { type: 'capture', note },
    );
    await publishOf(tx, paymentCaptured, payment, amount);
    await settleOrder(tx, order, `Received ${format(given.amount)} by ${method}`);
    return readPayment(tx, payment.id);
  });
}

/**
 * What becomes of the payment of a canceled order. With nothing received none is expected any more: voided. What tenders
 * have paid is given back. What is held is voided after the transaction (`voidCanceled`), because no provider may be
 * called here. Money that was received stays as it is; the history says what staff are to give back.
 */
export async function settleCanceledOrder(tx: TenantDatabase, order: OrderState): Promise<void> {
  await withdrawCaptures(tx, order.id);
  await reverseTenders(tx, order);
  const { captured, refunded, authorized } = await sumPayments(tx, order.id);
  const sum = (amount: number) => format(money(amount, order.currency));
  if (captured > refunded) {
    await addPaymentNote(tx, order.id, `${sum(captured - refunded)} was received and is to be paid back`);
  }
  if (authorized > 0) await addPaymentNote(tx, order.id, `${sum(authorized)} is authorized and will be voided`);
  if (order.paymentStatus === 'unpaid') {
    await settleOrder(tx, order, 'Nothing was received, and nothing is owed any more');
  }
}
