/**
 * Payment rules that involve no provider: recording money received outside the box, and closing the payments of a
 * canceled order.
 */
import { balanceOf, lockOrder, orderAlreadyCanceled, placePending, unknownOrder } from '@carton/order';
import { invalidField, money, type TenantDatabase } from '@carton/runtime';
import { paymentCaptured } from '../events.ts';
import { format } from '../format.ts';
import { paymentExceedsBalance } from '../problems.ts';
import { publishPaymentEvent, refreshPaymentState } from './bookkeeping.ts';
import type { Payment, RecordPayment } from './schemas.ts';
import { insertPayment, offline, readPayment } from './store.ts';

/**
 * Records money received outside the box. The order is locked, so that concurrent records cannot exceed what is owed.
 * @throws not_found (404), order_already_canceled (409), payment_exceeds_balance (409), invalid_request (400) for
 *   another currency than the order's
 */
export async function recordPayment(db: TenantDatabase, orderId: string, input: RecordPayment): Promise<Payment> {
  const { amount, currency } = input.amount;
  return db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw unknownOrder(orderId);
    if (order.status === 'canceled') throw orderAlreadyCanceled('A canceled order cannot be paid.');
    if (currency !== order.currency) throw invalidField('/amount/currency', `must be ${order.currency}`);
    const owed = Math.max(0, balanceOf(order));
    if (amount > owed) throw paymentExceedsBalance(`${format(money(owed, currency))} is owed.`);
    // Staff take the order as it is, also when they have received a part.
    if (order.status === 'pending') await placePending(tx, order);
    const { method, reference = null, note = null, externalId, metadata } = input;
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
    await publishPaymentEvent(tx, paymentCaptured, payment, amount);
    await refreshPaymentState(tx, order, `Received ${format(input.amount)} by ${method}`);
    return readPayment(tx, payment.id);
  });
}
