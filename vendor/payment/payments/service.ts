/**
 * Payment rules that involve no provider: recording money received outside the box, and closing the payments of a
 * canceled order.
 */
import {
  addPaymentNote,
  balanceOf,
  lockOrder,
  type OrderState,
  orderAlreadyCanceled,
  placePending,
  unknownOrder,
} from '@carton/order';
import { invalidField, money, type TenantDatabase } from '@carton/runtime';
import { paymentCaptured } from '../events.ts';
import { format } from '../format.ts';
import { paymentExceedsBalance } from '../problems.ts';
import type { Payment, RecordPayment } from '../schemas.ts';
import { reverseTenders } from '../steps/immediate.ts';
import { isRefundedByProvider, refundCanceled } from './balance.ts';
import { publishPaymentEvent, refreshPaymentState } from './bookkeeping.ts';
import {
  insertPayment,
  leftToRefund,
  lockPaymentsOfOrder,
  offline,
  readPayment,
  sumPayments,
  withdrawCaptures,
} from './store.ts';

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

/**
 * Closes the payments of a canceled order. If nothing was received, its payment state becomes voided; what tenders have
 * paid is returned to them. What providers have captured is refunded: the refunds are inserted here and performed after
 * the transaction (`closeCanceled`), as are voids of authorizations, because no provider may be called here. Money that
 * staff received is theirs to pay back: the timeline tells them how much.
 */
export async function closeCanceledPayments(tx: TenantDatabase, order: OrderState): Promise<void> {
  await withdrawCaptures(tx, order.id);
  await reverseTenders(tx, order);
  let byStaff = 0;
  for (const payment of (await lockPaymentsOfOrder(tx, order.id)).toReversed()) {
    if (isRefundedByProvider(tx, payment)) await refundCanceled(tx, order, payment);
    else byStaff += leftToRefund(payment);
  }
  const { authorized } = await sumPayments(tx, order.id);
  const sum = (amount: number) => format(money(amount, order.currency));
  if (byStaff > 0) await addPaymentNote(tx, order.id, `${sum(byStaff)} was received and must be paid back`);
  if (authorized > 0) await addPaymentNote(tx, order.id, `${sum(authorized)} is authorized and will be voided`);
  if (order.paymentStatus === 'unpaid') {
    await refreshPaymentState(tx, order, 'Nothing was received, and nothing is owed any longer');
  }
}
