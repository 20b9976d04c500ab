/**
 * Holding what the provider says against what the box has recorded, payment by payment, to the unit.
 */
import type { LedgerEntry } from './ledger.ts';

/** A payment as it stands in the box's table `payments`. */
export interface RecordedPayment {
  id: string;
  reference: string;
  status: string;
  capturedAmount: number;
  refundedAmount: number;
}

/**
 * What does not agree, one line each; none when no order was paid twice and none was paid and forgotten. Of currencies
 * that both count in the same unit, and of payments that nobody is at any more.
 */
export function findMismatches(ledger: readonly LedgerEntry[], recorded: readonly RecordedPayment[]): string[] {
  const faults: string[] = [];
  const entries = new Map(ledger.map((entry) => [entry.reference, entry]));
  for (const { id, reference, status, capturedAmount, refundedAmount } of recorded) {
    const entry = entries.get(reference);
    if (!entry) faults.push(`payment ${id} is unknown to the provider`);
    else if (entry.captured !== capturedAmount || entry.refunded !== refundedAmount) {
      const sums = `${entry.captured} taken and ${entry.refunded} given back`;
      faults.push(`payment ${id}: ${sums} at the provider, ${capturedAmount} and ${refundedAmount} in the box`);
    } else if (entry.held > 0 && status !== 'authorized')
      faults.push(`payment ${id} is ${status} and ${entry.held} held`);
  }
  const known = new Set(recorded.map(({ reference }) => reference));
  for (const { reference, held, captured, refunded } of ledger) {
    if (known.has(reference)) continue;
    if (held > 0) faults.push(`${reference} holds ${held} and has no order`);
    if (captured > refunded) faults.push(`${reference} has taken ${captured - refunded} and has no order`);
  }
  const paid = Map.groupBy(
    // An order may be paid in parts; a cart is paid at once.
    ledger.filter(({ captured, refunded, metadata }) => captured > refunded && metadata.cart_id !== undefined),
    ({ metadata }) => metadata.cart_id,
  );
  for (const [cart, twice] of paid)
    if (twice.length > 1) faults.push(`the cart ${cart} was paid ${twice.length} times`);
  return faults;
}
