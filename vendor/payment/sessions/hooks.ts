/**
 * Hooks of other packages into the payment of a cart: checkout reserves stock when it starts and releases the stock
 * when it is abandoned. A payment that becomes an order's is not abandoned; the order takes over the reservation.
 *
 * Locks are taken in this order: cart, payment session, stock, order, tenders, payment. A checkout with a started
 * payment locks it (`lockStartedPayment`) before it takes stock.
 */
import {
  extensionPoint,
  type HasExtensions,
  type ProblemType,
  type RequestClient,
  type TenantDatabase,
} from '@carton/runtime';
import { adapterOf } from '../adapters/bound.ts';
import { paymentSettings } from '../adapters/settings.ts';
import { markAbandoned, type SessionRow } from './store.ts';

/** Who starts a payment of a cart. */
export interface Payer {
  sessionHash: string | null;
  /** As the shopper says, if known. */
  email: string | null;
  /** The client of the request; null if the box starts the payment. */
  client: Pick<RequestClient, 'address' | 'isShared'> | null;
}

/** A payment of a cart that starts or is resumed. */
export interface PaymentStart {
  cartId: string;
  sessionId: string;
  /** Until then it is abandoned only if another payment replaces it. */
  endsAt: Date;
  /** Whether its money is received by hand, some day after the order. */
  byHand: boolean;
  payer: Payer;
}

/** A payment of a cart whose order was not placed. */
export type AbandonedPayment = Pick<PaymentStart, 'cartId' | 'sessionId'>;

/** Runs in the transaction that starts a payment of a cart. */
export interface PaymentStartHook {
  /** What `start` throws. The payment does not start then, and an open one stays as it was. */
  problems: readonly ProblemType[];
  /**
   * Called when a payment starts, and again with the same ids and a later end whenever it is resumed. Must not call
   * another service over the network.
   */
  start(tx: TenantDatabase, payment: PaymentStart): Promise<void>;
}

/**
 * Called in the transaction that abandons a payment of a cart: it was replaced, it failed or expired, or its cart was
 * ordered otherwise. Undoes what the start hook did for this session; must be idempotent.
 */
export type PaymentAbandonHook = (tx: TenantDatabase, payment: AbandonedPayment) => Promise<void>;

export const paymentStartHooks = extensionPoint<PaymentStartHook>('payment.start-hook');
export const paymentAbandonHooks = extensionPoint<PaymentAbandonHook>('payment.abandon-hook');

/** What a box's start hooks throw, for the routes that start payments to declare. */
export function startHookProblems(box: HasExtensions): ProblemType[] {
  return paymentStartHooks.of(box).flatMap(({ problems }) => problems);
}

/** Runs the start hooks for a session, in the transaction that opens or resumes it. */
export async function runStartHooks(tx: TenantDatabase, session: SessionRow, payer: Payer): Promise<void> {
  const { id: sessionId, updatedAt, provider } = session;
  const cartId = session.cartId as string;
  const endsAt = new Date(Date.parse(updatedAt) + paymentSettings.of(tx).sessionLifetime * 1000);
  const byHand = adapterOf(tx, provider)?.byHand === true;
  for (const { start } of paymentStartHooks.of(tx)) await start(tx, { cartId, sessionId, endsAt, byHand, payer });
}

/**
 * Abandons an open session and runs the hooks. Returns it, or null if it is not open. The caller has one minute to
 * release it at the provider; then `reconcile` does.
 * @param unlessHeardOf seconds: a session updated within them is left open
 */
export async function abandonSession(
  tx: TenantDatabase,
  id: string,
  unlessHeardOf: number | null = null,
): Promise<SessionRow | null> {
  const session = await markAbandoned(tx, id, unlessHeardOf);
  if (session) {
    // Only sessions of carts are ever open.
    const cartId = session.cartId as string;
    for (const end of paymentAbandonHooks.of(tx)) await end(tx, { cartId, sessionId: id });
  }
  return session;
}
