/**
 * Giving up a payment that no order comes of: what is held of the shopper's money is let go, what was taken is given
 * back. That it has to be done is committed before the provider is called (`payment_sessions.check_at`), and forgotten
 * only once the provider has answered that nothing is left; until then `reconcile` tries again.
 */
import { money, type TenantDatabase } from '@carton/runtime';
import { ask, isRefusal, type PaymentAdapter, type ProviderState } from './adapter.ts';
import { adapterOf } from './bound.ts';
import { abandonSession } from './session-hooks.ts';
import {
  type BegunSession,
  endChecks,
  findSession,
  keepInitiated,
  keepState,
  lockSession,
  providerPaymentOf,
  type SessionRow,
} from './session-store.ts';
import type { PaymentRow } from './store.ts';

/** Enough for one that was captured as it was to be voided, and then has to be paid back. */
const mostSteps = 3;

/** Lets the provider know at once that no order comes of a session. What fails is done later by `reconcile`. */
export async function release(db: TenantDatabase, session: SessionRow): Promise<void> {
  await letGo(db, session).catch(() => {});
}

/** Gives a begun payment up that no order took over, since its cart is gone. */
export async function abandonPayment(db: TenantDatabase, { id }: { id: string }): Promise<void> {
  const session = await db.transaction((tx) => abandonSession(tx, id));
  if (session) await release(db, session);
}

/** @throws payment_provider_failed (502) as long as the provider leaves open what it did */
export async function letGo(db: TenantDatabase, session: SessionRow): Promise<void> {
  const adapter = adapterOf(db, session.provider);
  if (!adapter) return;
  const begun = await learnReference(db, adapter, session);
  let state = session.state;
  for (let step = 0; begun && step < mostSteps; step++) {
    const news = await giveBack(db, adapter, { ...begun, state });
    state = await db.transaction(async (tx) => {
      const locked = await lockSession(tx, session.id);
      return locked ? keepState(tx, locked, news) : news;
    });
    if (isOver(state)) break;
  }
  if (!begun || isOver(state)) await endChecks(db, session.id);
}

/**
 * The session with the provider's name for it. When no answer has told it, the provider may have begun the payment all
 * the same, and tells it again under the same id. Null when the provider refuses, so that there is none.
 */
export async function learnReference(
  db: TenantDatabase,
  adapter: PaymentAdapter,
  session: SessionRow,
): Promise<BegunSession | null> {
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
    const initiated = await ask(() => adapter.initiate(db, intent));
    await keepInitiated(db, session, initiated);
    return { ...session, ...initiated };
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** The provider's name for a payment of an order, as `learnReference`. */
export async function referenceOf(
  db: TenantDatabase,
  adapter: PaymentAdapter,
  { id, reference }: PaymentRow,
): Promise<string | null> {
  if (reference !== null) return reference;
  const session = await findSession(db, id);
  return session && ((await learnReference(db, adapter, session))?.reference ?? null);
}

/** One step towards nothing being left; answers what is true of the payment then. */
async function giveBack(db: TenantDatabase, adapter: PaymentAdapter, session: BegunSession): Promise<ProviderState> {
  const { id, currency, state } = session;
  const payment = providerPaymentOf(session);
  const taken = money(state.captured - state.refunded, currency);
  try {
    if (taken.amount > 0) {
      const told = await ask(() => adapter.refund(db, { id, payment, amount: taken }));
      return told ?? { ...state, refunded: state.captured };
    }
    return (
      (await ask(() => adapter.void(db, { id, payment, amount: payment.amount }))) ?? { ...state, status: 'voided' }
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // It has become something else than was known here.
    return ask(() => adapter.confirm(db, payment));
  }
}

function isOver({ status, captured, refunded }: ProviderState): boolean {
  if (captured > refunded) return false;
  return captured > 0 || status === 'voided' || status === 'failed';
}
