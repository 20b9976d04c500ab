/**
 * What other packages do while a payment of a cart is under way: stock is promised as it begins, and let go as it is
 * given up. What becomes an order is not given up; the order takes over what was promised.
 *
 * Rows are locked in this order: cart, payment session, stock, order, tenders, payment. A checkout that has begun a
 * payment locks it (`lockBegunPayment`) before it takes stock.
 */
import { extensionPoint, type HasExtensions, type ProblemType, type TenantDatabase } from '@carton/runtime';
import { paymentSettings } from './adapters/settings.ts';
import { giveUpSession, type SessionRow } from './session-store.ts';

/** A payment of a cart that begins, or is taken up again. */
export interface PaymentStart {
  cartId: string;
  sessionId: string;
  /** Until then it is not given up unless another takes its place. */
  endsAt: Date;
}

/** A payment of a cart that no order came of. */
export type AbandonedPayment = Pick<PaymentStart, 'cartId' | 'sessionId'>;

/** Something to be done in the transaction that begins a payment of a cart. */
export interface PaymentStartHook {
  /** What `begin` throws. Then the payment is not begun, and one that was open stays as it is. */
  problems: readonly ProblemType[];
  /**
   * Called as a payment begins, and each time it is taken up again, with the same ids and a later end. Never calls
   * another service over the network.
   */
  begin(tx: TenantDatabase, payment: PaymentStart): Promise<void>;
}

/**
 * Called in the transaction that gives a payment of a cart up: another takes its place, it failed, its time is over, or
 * its cart was ordered otherwise. Undoes what the beginning has done for this session, and nothing twice.
 */
export type PaymentAbandonHook = (tx: TenantDatabase, payment: AbandonedPayment) => Promise<void>;

export const paymentStartHooks = extensionPoint<PaymentStartHook>('payment.start-hook');
export const paymentAbandonHooks = extensionPoint<PaymentAbandonHook>('payment.abandon-hook');

/** What the beginnings of a box throw, for the routes that begin payments to declare. */
export function startHookProblems(box: HasExtensions): ProblemType[] {
  return paymentStartHooks.of(box).flatMap(({ problems }) => problems);
}

/** Has done what a session brings along that begins or goes on, in its transaction. */
export async function runStartHooks(tx: TenantDatabase, session: SessionRow): Promise<void> {
  const { id: sessionId, updatedAt } = session;
  const cartId = session.cartId as string;
  const endsAt = new Date(Date.parse(updatedAt) + paymentSettings.of(tx).sessionLifetime * 1000);
  for (const { begin } of paymentStartHooks.of(tx)) await begin(tx, { cartId, sessionId, endsAt });
}

/**
 * Gives up a session that is open, with what it has brought along; answers it, null when it is not open. Whoever does it
 * has a minute to let the provider know; then `reconcile` does.
 * @param unlessHeardOf seconds: one that was heard of since stays
 */
export async function abandonSession(
  tx: TenantDatabase,
  id: string,
  unlessHeardOf: number | null = null,
): Promise<SessionRow | null> {
  const session = await giveUpSession(tx, id, unlessHeardOf);
  if (session) {
    // Those of orders are never open.
    const cartId = session.cartId as string;
    for (const end of paymentAbandonHooks.of(tx)) await end(tx, { cartId, sessionId: id });
  }
  return session;
}
