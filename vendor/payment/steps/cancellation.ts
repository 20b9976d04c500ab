/**
 * Closing the payments of a canceled order: in its transaction, and at providers after it.
 */
import { addPaymentNote, type OrderState } from '@carton/order';
import { money, type TenantDatabase } from '@carton/runtime';
import { isRefusal } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import { format } from '../format.ts';
import { leftToRefund } from '../payments/amounts.ts';
import { isRefundedByProvider, refundCanceled } from '../payments/balance.ts';
import { refreshPaymentState } from '../payments/bookkeeping.ts';
import { lockPaymentsOfOrder, paymentsOfOrder, sumPayments, withdrawCaptures } from '../payments/store.ts';
import { reverseTenders } from './immediate.ts';
import { resumePendingStep, voidOpen } from './service.ts';

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

/**
 * Performs the refunds of a canceled order and voids its open payments. One that fails does not hold up the others.
 * @throws as the providers do, for a retry; `reconcile` retries too. A refused refund is left to staff: the timeline says so.
 */
export async function closeCanceled(db: TenantDatabase, orderId: string): Promise<void> {
  const failures: unknown[] = [];
  for (const { id, provider } of await paymentsOfOrder(db, orderId)) {
    if (adapterOf(db, provider)) await closePayment(db, id).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function closePayment(db: TenantDatabase, id: string): Promise<void> {
  await resumePendingStep(db, id).catch((error) => {
    if (!isRefusal(error)) throw error;
  });
  await voidOpen(db, id);
}
