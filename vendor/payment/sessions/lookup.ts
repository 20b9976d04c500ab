/**
 * Looking up the payment of an order at its provider, which decides: reports may be late, or lost.
 */
import { lockOrder, type OrderState } from '@carton/order';
import type { TenantDatabase } from '@carton/runtime';
import { callProvider, type ProviderState } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import { removeUnusedFees } from '../fees/repricing.ts';
import { applyProviderState } from '../payments/bookkeeping.ts';
import { lockPayment, updatePayment } from '../payments/store.ts';
import { fetchReference } from './release.ts';
import { providerPaymentOf } from './state.ts';
import type { SessionRow } from './store.ts';

/** The session of an order's payment. */
export type OrderSession = SessionRow & { orderId: string };

/** Applies the provider's current state to an order's payment; not of one by hand. @throws as the provider does */
export async function refreshFromProvider(db: TenantDatabase, session: OrderSession): Promise<void> {
  const { id, provider, orderId } = session;
  const adapter = adapterOf(db, provider);
  if (!adapter || adapter.byHand) return;
  const started = await fetchReference(db, adapter, session);
  const state: ProviderState = started
    ? await callProvider(() => adapter.confirm(db, providerPaymentOf(started)))
    : { status: 'voided', captured: 0, refunded: 0 };
  await db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    const payment = await lockPayment(tx, id);
    // The report of a failed attempt was late: the shopper is at another.
    const isTriedAgain = order.status === 'pending' && payment.status === 'failed' && state.status === 'pending';
    if (isTriedAgain) await updatePayment(tx, id, { status: 'pending' });
    await applyProviderState(tx, order, payment, state);
    // The provider was away when it was asked for the payment, and has refused it now.
    if (!started) await removeUnusedFees(tx, order);
  });
}
