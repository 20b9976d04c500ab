/**
 * Compares the provider's ledger with the box's payments, to the minor unit.
 */
import type { LedgerEntry } from './ledger.ts';

/** A row of the box's table `payments`. */
export interface RecordedPayment {
  id: string;
  reference: string;
  status: string;
  capturedAmount: number;
  refundedAmount: number;
  disputedAmount: number;
}

/**
 * The mismatches, one line each: empty if no order was paid twice and no payment is without its order. For currencies
 * whose units are the same on both sides, and payments without a step in progress.
 */
export function findMismatches(ledger: readonly LedgerEntry[], recorded: readonly RecordedPayment[]): string[] {
  const mismatches: string[] = [];
  const entries = new Map(ledger.map((entry) => [entry.reference, entry]));
  for (const { id, reference, status, capturedAmount, refundedAmount, disputedAmount } of recorded) {
    const entry = entries.get(reference);
    if (!entry) mismatches.push(`payment ${id} is unknown to the provider`);
    else if (entry.captured !== capturedAmount || entry.refunded !== refundedAmount) {
      const sums = `${entry.captured} captured and ${entry.refunded} refunded`;
      mismatches.push(`payment ${id}: ${sums} at the provider, ${capturedAmount} and ${refundedAmount} in the box`);
    } else if (entry.disputed !== disputedAmount) {
      mismatches.push(`payment ${id}: ${entry.disputed} disputed at the provider, ${disputedAmount} in the box`);
    } else if (refundedAmount + disputedAmount > capturedAmount) {
      mismatches.push(`payment ${id}: more is refunded and disputed than the ${capturedAmount} captured`);
    } else if (entry.held > 0 && status !== 'authorized')
      mismatches.push(`payment ${id} is ${status} and ${entry.held} held`);
  }
  const known = new Set(recorded.map(({ reference }) => reference));
  for (const { reference, held, captured, refunded } of ledger) {
    if (known.has(reference)) continue;
    if (held > 0) mismatches.push(`${reference} holds ${held} and has no order`);
    if (captured > refunded) mismatches.push(`${reference} has captured ${captured - refunded} and has no order`);
  }
  const paid = Map.groupBy(
    // An order may be paid in parts; a cart is paid once.
    ledger.filter(({ captured, refunded, metadata }) => captured > refunded && metadata.cart_id !== undefined),
    ({ metadata }) => metadata.cart_id,
  );
  for (const [cart, twice] of paid)
    if (twice.length > 1) mismatches.push(`the cart ${cart} was paid ${twice.length} times`);
  return mismatches;
}
