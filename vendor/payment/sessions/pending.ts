/**
 * Pending orders, which wait for their payment. The authorization places them (`applyProviderState`); here they are
 * placed or canceled where no report of a provider does it: the payment was refused or given up, the time is over, the
 * shopper pays by hand, or another release has recorded the payment.
 *
 * The provider is asked first, and without locks. The decision is made while the order is locked, so that an
 * authorization is recorded either before it, and the order placed, or after it, and voided.
 */
import {
  cancelPending,
  chargedOf,
  findDuePending,
  findOrder,
  lockOrder,
  type OrderState,
  placePending,
} from '@carton/order';
import type { TenantDatabase } from '@carton/runtime';
import { adapterOf } from '../adapters/bound.ts';
import { type PaymentRow, paymentsOfOrder, sumHeld } from '../payments/store.ts';
import { tenderOf } from '../tenders/tender.ts';
import { type OrderSession, refreshFromProvider } from './lookup.ts';
import { findSession } from './store.ts';

/** How long a provider that does not answer delays the end of an order, in milliseconds. */
const patience = 24 * 60 * 60 * 1000;

/**
 * Places or cancels a pending order if its payments say so; a no-op for any other.
 * @param isOver whether it is canceled if it has no payment by now
 * @throws as the provider does
 */
export async function settlePending(db: TenantDatabase, orderId: string, isOver = false): Promise<void> {
  const order = await findOrder(db, orderId);
  if (order?.status !== 'pending') return;
  const isLongOver = order.payBy !== null && Date.parse(order.payBy) < Date.now() - patience;
  await lookUp(db, orderId, isOver).catch((error) => {
    if (!isLongOver) throw error;
  });
  const decide = async (tx: TenantDatabase): Promise<'place' | 'wait' | 'cancel'> => {
    const locked = await lockOrder(tx, orderId);
    if (locked?.status !== 'pending') return 'wait';
    const payments = await paymentsOfOrder(tx, orderId);
    // Staff who work with a former release may have shipped it.
    const isAccepted = locked.fulfillmentStatus !== 'unfulfilled' || isPaidByHand(tx, payments);
    if (isAccepted || (await sumHeld(tx, orderId)) >= chargedOf(locked)) {
      await placePending(tx, locked);
      return 'place';
    }
    return isOver || isGivenUp(tx, payments) ? 'cancel' : 'wait';
  };
  if ((await db.transaction(decide)) !== 'cancel') return;
  const reason = isOver ? 'Not paid in time' : 'The payment was not completed';
  await cancelPending(db, orderId, reason, (tx) => isStillUnpaid(tx, orderId, isOver));
}

/** Of an order that is being canceled and locked: whether no payment has arrived since the decision. */
async function isStillUnpaid(tx: TenantDatabase, orderId: string, isOver: boolean): Promise<boolean> {
  const [order, payments] = [(await lockOrder(tx, orderId)) as OrderState, await paymentsOfOrder(tx, orderId)];
  if (isPaidByHand(tx, payments)) return false;
  // A canceled order is charged nothing.
  if ((await sumHeld(tx, orderId)) >= chargedOf({ ...order, status: 'pending' })) return false;
  return isOver || isGivenUp(tx, payments);
}

/** Asks providers for payments that failed, as the report may be old; of an order whose time is over, for all open ones. */
async function lookUp(db: TenantDatabase, orderId: string, isOver: boolean): Promise<void> {
  for (const { id, status } of await paymentsOfOrder(db, orderId)) {
    if (status !== 'failed' && !(isOver && status === 'pending')) continue;
    const session = await findSession(db, id);
    if (session) await refreshFromProvider(db, session as OrderSession);
  }
}

/** Whether the shopper pays by hand, such as by bank transfer: the order waits for staff then, not for a provider. */
function isPaidByHand(db: TenantDatabase, payments: readonly PaymentRow[]): boolean {
  return payments.some(({ status, provider }) => status === 'pending' && adapterOf(db, provider)?.byHand === true);
}

/** Whether no payment of a provider can still succeed. */
function isGivenUp(db: TenantDatabase, payments: readonly PaymentRow[]): boolean {
  return payments
    .filter(({ provider }) => !tenderOf(db, provider))
    .every(({ status }) => status === 'failed' || status === 'voided');
}

/** Settles the pending orders whose time is over. A provider that does not answer is asked again in a later run. */
export async function settleDuePending(db: TenantDatabase): Promise<void> {
  for (const { id, isOver } of await findDuePending(db)) await settlePending(db, id, isOver).catch(() => {});
}
