/**
 * Releases the money of a payment whose order is never placed: a hold is voided, a captured amount refunded. The task
 * is committed (`payment_sessions.check_at`) before the provider is called, and ends only when the provider confirms
 * that nothing is left; until then `reconcile` retries it.
 */
import { money, type TenantDatabase } from '@carton/runtime';
import { callProvider, isRefusal, type PaymentAdapter, type ProviderState } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import type { PaymentRow } from '../payments/store.ts';
import { abandonSession } from './hooks.ts';
import { mergeState, providerPaymentOf } from './state.ts';
import { endChecks, findSession, lockSession, type SessionRow, type StartedSession, storeInitiated } from './store.ts';

/** Enough for a payment that is captured while it is being voided, and then has to be refunded. */
const maxSteps = 3;

/** Releases a session immediately. If that fails, `reconcile` does it later. */
export async function tryReleaseSession(db: TenantDatabase, session: SessionRow): Promise<void> {
  await releaseSession(db, session).catch(() => {});
}

/** Abandons a payment whose cart no longer exists, unless an order has it. */
export async function abandonPayment(db: TenantDatabase, { id }: { id: string }): Promise<void> {
  const session = await db.transaction((tx) => abandonSession(tx, id));
  if (session) await tryReleaseSession(db, session);
}

/** @throws payment_provider_failed (502) while the outcome at the provider is open */
export async function releaseSession(db: TenantDatabase, session: SessionRow): Promise<void> {
  const adapter = adapterOf(db, session.provider);
  if (!adapter) return;
  const started = await fetchReference(db, adapter, session);
  let state = session.state;
  for (let step = 0; started && step < maxSteps; step++) {
    const update = await refundOrVoid(db, adapter, { ...started, state });
    state = await db.transaction(async (tx) => {
      const locked = await lockSession(tx, session.id);
      return locked ? mergeState(tx, locked, update) : update;
    });
    if (isReleased(state)) break;
  }
  if (!started || isReleased(state)) await endChecks(db, session.id);
}

/**
 * The session with the provider's reference. If its response was lost, the provider may have created the payment, and
 * returns it again under the same id. Null when the provider refuses, so that there is no payment.
 */
export async function fetchReference(
  db: TenantDatabase,
  adapter: PaymentAdapter,
  session: SessionRow,
): Promise<StartedSession | null> {
  const { id, cartId, orderId, method, amount, currency, reference } = session;
  if (reference !== null) return { ...session, reference };
  try {
    const intent = {
      id,
      cartId,
      orderId: cartId === null ? orderId : null,
      method,
      amount: money(amount, currency),
      email: null,
    };
    const initiated = await callProvider(() => adapter.initiate(db, intent));
    await storeInitiated(db, session, initiated);
    return { ...session, ...initiated };
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** The provider's reference of an order's payment, or null, as in `fetchReference`. */
export async function referenceOf(
  db: TenantDatabase,
  adapter: PaymentAdapter,
  { id, reference }: PaymentRow,
): Promise<string | null> {
  if (reference !== null) return reference;
  const session = await findSession(db, id);
  return session && ((await fetchReference(db, adapter, session))?.reference ?? null);
}

/** Performs one step of the release; returns the payment's state after it. */
async function refundOrVoid(
  db: TenantDatabase,
  adapter: PaymentAdapter,
  session: StartedSession,
): Promise<ProviderState> {
  const { id, currency, state } = session;
  const payment = providerPaymentOf(session);
  const captured = money(state.captured - state.refunded, currency);
  try {
    if (captured.amount > 0) {
      const reported = await callProvider(() => adapter.refund(db, { id, payment, amount: captured }));
      return reported ?? { ...state, refunded: state.captured };
    }
    return (
      (await callProvider(() => adapter.void(db, { id, payment, amount: payment.amount }))) ?? {
        ...state,
        status: 'voided',
      }
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // Its state at the provider differs from the stored one.
    return callProvider(() => adapter.confirm(db, payment));
  }
}

function isReleased({ status, captured, refunded }: ProviderState): boolean {
  if (captured > refunded) return false;
  return captured > 0 || status === 'voided' || status === 'failed';
}
