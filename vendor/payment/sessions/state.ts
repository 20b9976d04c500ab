/**
 * The state of a payment as its provider has reported it, which a session keeps until an order has the payment.
 */
import { money, type TenantDatabase } from '@carton/runtime';
import type { ProviderPayment, ProviderState } from '../adapters/adapter.ts';
import { type SessionRow, type StartedSession, storeState } from './store.ts';

export function providerPaymentOf({ id, reference, method, amount, currency }: StartedSession): ProviderPayment {
  return { id, reference, method, amount: money(amount, currency) };
}

const order: readonly ProviderState['status'][] = ['pending', 'failed', 'authorized', 'captured', 'voided'];

/** Merges a reported state into a locked session, ignoring what is older than the stored state. Returns the result. */
export async function mergeState(
  tx: TenantDatabase,
  { id, state }: SessionRow,
  update: ProviderState,
): Promise<ProviderState> {
  const merged: ProviderState = {
    status: order.indexOf(update.status) > order.indexOf(state.status) ? update.status : state.status,
    captured: Math.max(state.captured, update.captured),
    refunded: Math.max(state.refunded, update.refunded),
  };
  await storeState(tx, id, merged);
  return merged;
}
