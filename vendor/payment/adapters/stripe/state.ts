/**
 * Payment states from Stripe's objects.
 */
import type Stripe from 'stripe';
import type { ProviderState } from '../../adapter.ts';
import { fromStripe } from './amounts.ts';

/** The currency as the box writes it. */
export function currencyOf({ currency }: Pick<Stripe.PaymentIntent | Stripe.Charge, 'currency'>): string {
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
