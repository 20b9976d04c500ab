/**
 * Payments with Stripe: payment intents that are captured when the order stands. Where a second call would make a second
 * thing, an intent or a refund, the box's id is the idempotency key. With each intent go the ids of payment and
 * merchant: what carries others is none of ours.
 */
import type { TenantDatabase } from '@carton/runtime';
import type Stripe from 'stripe';
import {
  isRefusal,
  type PaymentAdapter,
  type ProviderEvent,
  type ProviderPayment,
  type ProviderState,
  type ProviderStep,
  type StepOutcome,
  webhookSignatureInvalid,
  webhookUnreadable,
} from '../../adapter.ts';
import { paymentSettings } from '../settings.ts';
import { toStripe } from './amounts.ts';
import { callStripe, loadStripe, onceFor, openStripe } from './client.ts';
import { accountOf } from './settings.ts';
import { stateOfCharge, stateOfIntent } from './state.ts';

/** Seconds that a call-back may be old, or its clock be ahead. */
const tolerance = 300;

const withCharge = { expand: ['latest_charge'] };

export const stripeAdapter: PaymentAdapter = {
  name: 'stripe',

  async methods(db) {
    return (await accountOf(db, paymentSettings.of(db).stripe)) ? ['card'] : [];
  },

  async initiate(db, { id, cartId, orderId, amount }) {
    const { account } = await openStripe(db);
    // Nothing in here may differ at a second try: under the same key Stripe then refuses it.
    const intent = await callStripe(db, (stripe) =>
      onceFor(`initiate-${id}`, (key) =>
        stripe.paymentIntents.create(
          {
            amount: toStripe(amount),
            currency: amount.currency.toLowerCase(),
            capture_method: 'manual',
            allowed_payment_method_types: ['card'],
            metadata: {
              payment_id: id,
              tenant_id: db.tenantId,
              ...(cartId !== null && { cart_id: cartId }),
              ...(orderId !== null && { order_id: orderId }),
            },
          },
          key,
        ),
      ),
    );
    const nextAction = {
      type: 'client_secret' as const,
      value: intent.client_secret as string,
      ...(account.publishableKey && { publicKey: account.publishableKey }),
    };
    return { reference: intent.id, nextAction };
  },

  confirm: retrieve,

  // An intent is captured once and canceled once, whatever the key: the second time is refused, and the truth looked up.
  // A key would keep the answer of a first try, a fault of the provider's too, for a day.
  capture: (db, { payment, amount }) =>
    orTheTruth(db, payment, async (stripe) =>
      stateOfIntent(
        await stripe.paymentIntents.capture(payment.reference, { amount_to_capture: toStripe(amount), ...withCharge }),
      ),
    ),

  void: (db, { payment }) =>
    orTheTruth(db, payment, async (stripe) => stateOfIntent(await stripe.paymentIntents.cancel(payment.reference))),

  refund: (db, step) => orTheTruth(db, step.payment, (stripe) => refund(stripe, step)),

  readWebhook,
};

/** Stripe forgets idempotency keys after a day, so a refund that may have been made earlier is looked for first. */
function refund(stripe: Stripe, { id, payment, amount }: ProviderStep): Promise<void> {
  const intent = { payment_intent: payment.reference };
  return onceFor(`refund-${id}`, async (key) => {
    const { data: refunds } = await stripe.refunds.list({ ...intent, limit: 100 });
    const isMade = refunds.some(({ metadata, status }) => metadata?.step_id === id && status !== 'failed');
    if (isMade) return;
    await stripe.refunds.create({ ...intent, amount: toStripe(amount), metadata: { step_id: id } }, key);
  });
}

async function retrieve(db: TenantDatabase, { reference }: ProviderPayment): Promise<ProviderState> {
  return stateOfIntent(await callStripe(db, (stripe) => stripe.paymentIntents.retrieve(reference, withCharge)));
}

/** Does a step. Where Stripe says no because the payment has moved on, what has become of it is the answer. */
async function orTheTruth(
  db: TenantDatabase,
  payment: ProviderPayment,
  step: (stripe: Stripe) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  try {
    return await callStripe(db, step);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const state = await retrieve(db, payment);
    if (state.status === 'voided' || state.captured > 0) return state;
    throw error;
  }
}

async function readWebhook(
  db: TenantDatabase,
  { headers, body }: Parameters<PaymentAdapter['readWebhook']>[1],
): Promise<ProviderEvent> {
  const account = await accountOf(db, paymentSettings.of(db).stripe);
  if (!account?.webhookSecret) throw webhookSignatureInvalid('No secret is set to check it with.');
  const { webhooks } = await loadStripe();
  const signature = String(headers['stripe-signature'] ?? '');
  let event: Stripe.Event;
  try {
    event = webhooks.constructEvent(Buffer.from(body), signature, account.webhookSecret, tolerance);
  } catch {
    throw webhookSignatureInvalid();
  }
  // The library refuses what is old, and takes what is still to come.
  if (secondsAhead(signature) > tolerance) throw webhookSignatureInvalid('Its time is yet to come.');
  if (typeof event?.id !== 'string') throw webhookUnreadable('It has no id.');
  try {
    return { id: event.id, payment: paymentOf(db, event.data?.object) };
  } catch {
    throw webhookUnreadable('What it says of its object cannot be read.');
  }
}

/** How far the time that was signed (`t=<seconds since 1970>`) is ahead of ours. */
function secondsAhead(signature: string): number {
  const time = signature.split(',').findLast((part) => part.startsWith('t='));
  return Number(time?.slice(2)) - Date.now() / 1000;
}

/** The payment of ours that an event's object is of; most are of none. @throws TypeError where parts are missing */
function paymentOf(db: TenantDatabase, given: Stripe.Event.Data.Object | undefined): ProviderEvent['payment'] {
  const thing = given as Stripe.PaymentIntent | Stripe.Charge | undefined;
  if (thing?.object !== 'payment_intent' && thing?.object !== 'charge') return undefined;
  const { payment_id: id, tenant_id: tenantId } = thing.metadata ?? {};
  if (id === undefined || tenantId !== db.tenantId) return undefined;
  return { id, state: thing.object === 'charge' ? stateOfCharge(thing) : stateOfIntent(thing) };
}
