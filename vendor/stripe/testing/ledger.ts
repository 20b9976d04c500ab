/**
 * The money that moved at the provider, payment by payment.
 */
import type { Account, Intent } from './account.ts';

export interface LedgerEntry {
  reference: string;
  status: Intent['status'];
  /** As sent with the intent. */
  metadata: Record<string, string>;
  currency: string;
  amount: number;
  /** Authorized, and neither captured nor released. */
  held: number;
  captured: number;
  refunded: number;
  /** Taken back by disputes, or held while they are open. */
  disputed: number;
  /** Calls that would have moved money a second time if the provider had allowed it. */
  duplicates: number;
}

/** @param duplicates by reference */
export function ledgerOf(account: Account, duplicates: ReadonlyMap<string, number>): LedgerEntry[] {
  const refunded = new Map<string, number>();
  for (const { payment_intent: id, amount } of account.refunds) refunded.set(id, (refunded.get(id) ?? 0) + amount);
  const disputed = new Map<string, number>();
  for (const { payment_intent: id, balance_transactions: movements } of account.disputes) {
    disputed.set(
      id,
      movements.reduce((sum, { amount }) => sum - amount, disputed.get(id) ?? 0),
    );
  }
  return [...account.intents.values()].map((intent) => ({
    reference: intent.id,
    status: intent.status,
    metadata: intent.metadata,
    currency: intent.currency,
    amount: intent.amount,
    held: intent.amount_capturable,
    captured: intent.amount_received,
    refunded: refunded.get(intent.id) ?? 0,
    disputed: disputed.get(intent.id) ?? 0,
    duplicates: duplicates.get(intent.id) ?? 0,
  }));
}
