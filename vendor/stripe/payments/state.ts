/**
 * Payment states from Stripe's objects.
 */
import type { ProviderState, ReportedDispute } from '@carton/payment';
import type Stripe from 'stripe';
import { fromStripe } from '../amounts.ts';

/** The currency as the box writes it. */
export function currencyOf({ currency }: { currency: string }): string {
  return currency.toUpperCase();
}

/** The state of a payment intent. Refunds are known only if its latest charge is expanded. */
export function stateOfIntent(intent: Stripe.PaymentIntent): ProviderState {
  const { latest_charge: charge, amount_received: received } = intent;
  return {
    status: statusOf(intent),
    captured: fromStripe(received, currencyOf(intent)),
    refunded: charge !== null && typeof charge === 'object' ? refundedOf(charge) : 0,
  };
}

/** Whether the expanded charge of an intent was ever disputed. */
export function isDisputed({ latest_charge: charge }: Stripe.PaymentIntent): boolean {
  return charge !== null && typeof charge === 'object' && charge.disputed;
}

function statusOf({ status, last_payment_error: error }: Stripe.PaymentIntent): ProviderState['status'] {
  if (status === 'requires_capture') return 'authorized';
  if (status === 'succeeded') return 'captured';
  if (status === 'canceled') return 'voided';
  return status === 'requires_payment_method' && error ? 'failed' : 'pending';
}

/** The state that a charge implies. An uncaptured charge implies none: its intent does. */
export function stateOfCharge(charge: Stripe.Charge): ProviderState {
  if (!charge.captured) return { status: 'pending', captured: 0, refunded: 0 };
  const captured = fromStripe(charge.amount_captured, currencyOf(charge));
  return { status: 'captured', captured, refunded: refundedOf(charge) };
}

/** The refunded amount. Stripe also counts what was authorized and never captured as refunded; no money moved there. */
function refundedOf(charge: Stripe.Charge): number {
  const { amount, amount_captured: captured, amount_refunded: refunded } = charge;
  return fromStripe(Math.max(0, refunded - (amount - captured)), currencyOf(charge));
}

/** The state of a dispute; undefined if it names no payment intent. @param seconds when it had this state, Unix time */
export function stateOfDispute(dispute: Stripe.Dispute, seconds: number): ReportedDispute | undefined {
  const { id, payment_intent: intent, balance_transactions: movements, evidence_details: evidence } = dispute;
  const paymentReference = typeof intent === 'string' ? intent : intent?.id;
  if (!paymentReference) return undefined;
  const currency = currencyOf(dispute);
  const amount = fromStripe(dispute.amount, currency);
  const status = statusOfDispute(dispute);
  // The movements are in the currency of the account; an inquiry has none.
  const isWithdrawn = movements.reduce((sum, movement) => sum + movement.amount, 0) < 0;
  const needsResponse = /needs_response$/.test(dispute.status);
  return {
    reference: id,
    paymentReference,
    currency,
    amount,
    status,
    withdrawn: status === 'lost' || (status !== 'won' && isWithdrawn) ? amount : 0,
    isRefundable: dispute.is_charge_refundable,
    reason: dispute.reason || null,
    respondBy: needsResponse && evidence.due_by ? isoOf(evidence.due_by) : null,
    reportedAt: isoOf(seconds),
  };
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

function statusOfDispute({ status }: Stripe.Dispute): ReportedDispute['status'] {
  if (status === 'won') return 'won';
  if (status === 'lost') return 'lost';
  if (status === 'warning_closed' || status === 'prevented') return 'closed';
  return status.startsWith('warning') ? 'inquiry' : 'open';
}
