/**
 * Records the outcome of a cart's last checkout attempt. A cart has one row, so that endless retries only increment a
 * counter.
 */
import { outboxRow, publish, type TenantDatabase } from '@carton/runtime';
import { checkoutCompleted, checkoutFailed } from '../events.ts';
import { blockOf } from '../guests/orders.ts';
import type { Guest } from '../guests/service.ts';
import type { DraftToWrite } from '../steps.ts';
import { lockAttempt, upsertCompleted, upsertCompletedByGuest, upsertFailed } from '../store.ts';

const cartReference = (id: string) => ({ type: 'cart', id });

/**
 * Records a completed checkout in the order's transaction, after the order's row.
 * @param guest who has placed the order; null for a member
 */
export async function recordCompleted(
  tx: TenantDatabase,
  cartId: string,
  { id: orderId, number, currency, totals }: DraftToWrite,
  guest: Guest | null,
): Promise<void> {
  const payload = { orderId, number, currency, totalAmount: totals.total };
  const event = outboxRow(tx, checkoutCompleted, cartReference(cartId), payload);
  const completed = { cartId, orderId, event };
  await (guest ? upsertCompletedByGuest(tx, completed, blockOf(guest)) : upsertCompleted(tx, completed));
}

/**
 * Records a failed checkout in its own transaction, after the order's was rolled back. Publishes the event if the code
 * differs from the previous failure. A cart that has become an order in the meantime keeps that outcome.
 */
export async function recordFailed(db: TenantDatabase, cartId: string, code: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await lockAttempt(tx, cartId);
    const isFailed = await upsertFailed(tx, cartId, code);
    if (isFailed && before?.code !== code) await publish(tx, checkoutFailed, cartReference(cartId), { code });
  });
}
