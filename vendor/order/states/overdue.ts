/**
 * Orders whose time passes: shoppers of unpaid ones are reminded, and the orders canceled as staff would. Pending ones
 * are decided about by the package of their payments (`findDuePending`), which asks the provider first.
 */
import { Problem, publish, type TenantDatabase } from '@carton/runtime';
import { orderCancellationAnnounced, payloadOf } from '../events.ts';
import { cancelOrder } from './canceling.ts';
import { findOverdue, markReminded } from './store.ts';

/**
 * Cancels unpaid orders past their `payBy`. A concurrent payment is recorded either before the cancellation, which then
 * fails, or after it, and finds a canceled order. An order that cannot be canceled is left to staff.
 */
export async function cancelOverdue(db: TenantDatabase): Promise<void> {
  for (const id of await findOverdue(db)) {
    await cancelOrder(db, id, 'Not paid in time', { paymentStatus: 'unpaid' }).catch((error) => {
      if (!(error instanceof Problem)) throw error;
    });
  }
}

/** Reminds the shoppers of unpaid orders a day before their `payBy`, once. */
export async function remindUnpaid(db: TenantDatabase): Promise<void> {
  await db.transaction(async (tx) => {
    for (const order of await markReminded(tx)) {
      await publish(tx, orderCancellationAnnounced, { type: 'order', id: order.id }, payloadOf(order));
    }
  });
}
