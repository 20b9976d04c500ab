/**
 * The Stripe adapter. A payment is a payment intent, captured once the order exists. Calls that would create a second
 * intent or refund carry the box's id as idempotency key. Each intent carries the ids of payment and tenant in its
 * metadata; events without them are ignored.
 */
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
} from '@carton/payment';
import type { TenantDatabase } from '@carton/runtime';
import type Stripe from 'stripe';
import { refusalOf, stepOf, toStripe } from '../amounts.ts';
import { accountOf } from '../settings.ts';
import { callStripe, createOnce, loadStripe, openStripe } from './client.ts';
import { currencyOf, isDisputed, stateOfCharge, stateOfDispute, stateOfIntent } from './state.ts';

/** Seconds by which a webhook's timestamp may differ from the box's clock. */
const tolerance = 300;

const withCharge = { expand: ['latest_charge'] };

export const stripeAdapter: PaymentAdapter = {
  name: 'stripe',
  onlyIfNamed: true,

  async methods(db) {
    return (await accountOf(db)) ? ['card'] : [];
  },

  refusalOf,

  stepOf,

  async initiate(db, { id, cartId, orderId, amount }) {
    const { account } = await openStripe(db);
    // A retry must send the same parameters: Stripe rejects others under the same key.
    const intent = await callStripe(db, (stripe) =>
      createOnce(`initiate-${id}`, (key) =>
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

  // An intent is captured or canceled only once, with or without a key: a second attempt is refused, and its state
  // looked up. A key would replay the first response for a day, even if that was a server error.
  capture: (db, { payment, amount }) =>
    orCurrentState(db, payment, async (stripe) =>
      stateOfIntent(
        await stripe.paymentIntents.capture(payment.reference, { amount_to_capture: toStripe(amount), ...withCharge }),
      ),
    ),

  void: (db, { payment }) =>
    orCurrentState(db, payment, async (stripe) => stateOfIntent(await stripe.paymentIntents.cancel(payment.reference))),

  refund: (db, step) => orCurrentState(db, step.payment, (stripe) => refund(stripe, step)),

  readWebhook,
};

/** Stripe forgets idempotency keys after a day, so a refund created by an earlier attempt is looked for first. */
function refund(stripe: Stripe, { id, payment, amount }: ProviderStep): Promise<void> {
  const intent = { payment_intent: payment.reference };
  return createOnce(`refund-${id}`, async (key) => {
    const { data: refunds } = await stripe.refunds.list({ ...intent, limit: 100 });
    const isDone = refunds.some(({ metadata, status }) => metadata?.step_id === id && status !== 'failed');
    if (isDone) return;
    await stripe.refunds.create({ ...intent, amount: toStripe(amount), metadata: { step_id: id } }, key);
  });
}

async function retrieve(db: TenantDatabase, payment: ProviderPayment): Promise<ProviderState> {
  return stateOfIntent(await retrieveIntent(db, payment));
}

async function retrieveIntent(
  db: TenantDatabase,
  { reference, amount }: ProviderPayment,
): Promise<Stripe.PaymentIntent> {
  const intent = await callStripe(db, (stripe) => stripe.paymentIntents.retrieve(reference, withCharge));
  if (currencyOf(intent) !== amount.currency) throw new Error('Stripe has the payment in another currency');
  return intent;
}

/** Performs a step. When Stripe refuses it because the payment's state has changed, returns that state. */
async function orCurrentState(
  db: TenantDatabase,
  payment: ProviderPayment,
  step: (stripe: Stripe) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  try {
    return await callStripe(db, step);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const intent = await retrieveIntent(db, payment);
    const state = stateOfIntent(intent);
    if (state.status === 'voided' || state.captured > 0) return { ...state, isDisputed: isDisputed(intent) };
    throw error;
  }
}

async function readWebhook(
  db: TenantDatabase,
  { headers, body }: Parameters<PaymentAdapter['readWebhook']>[1],
): Promise<ProviderEvent> {
  const account = await accountOf(db);
  if (!account?.webhookSecret) throw webhookSignatureInvalid('No webhook secret is configured.');
  const { webhooks } = await loadStripe();
  const signature = String(headers['stripe-signature'] ?? '');
  let event: Stripe.Event;
  try {
    event = webhooks.constructEvent(Buffer.from(body), signature, account.webhookSecret, tolerance);
  } catch {
    throw webhookSignatureInvalid();
  }
  // The library rejects old timestamps, but accepts future ones.
  if (secondsAhead(signature) > tolerance) throw webhookSignatureInvalid('Its timestamp is in the future.');
  if (typeof event?.id !== 'string') throw webhookUnreadable('The event has no id.');
  try {
    const object = event.data?.object;
    if (isDispute(object)) return { id: event.id, dispute: stateOfDispute(object, event.created) };
    return { id: event.id, payment: paymentOf(db, object) };
  } catch {
    throw webhookUnreadable("The event's object cannot be read.");
  }
}

const isDispute = (object: Stripe.Event.Data.Object | undefined): object is Stripe.Dispute =>
  (object as Stripe.Dispute | undefined)?.object === 'dispute';

/** Seconds by which the signed timestamp (`t=<Unix seconds>`) is ahead of the box's clock. */
function secondsAhead(signature: string): number {
  const time = signature.split(',').findLast((part) => part.startsWith('t='));
  return Number(time?.slice(2)) - Date.now() / 1000;
}

/**
 * The box's payment that an event's object belongs to, undefined for any other. @throws TypeError for missing fields
 */
function paymentOf(db: TenantDatabase, object: Stripe.Event.Data.Object | undefined): ProviderEvent['payment'] {
  const resource = object as Stripe.PaymentIntent | Stripe.Charge | undefined;
  if (resource?.object !== 'payment_intent' && resource?.object !== 'charge') return undefined;
  const { payment_id: id, tenant_id: tenantId } = resource.metadata ?? {};
  if (id === undefined || tenantId !== db.tenantId) return undefined;
  const currency = currencyOf(resource);
  if (resource.object === 'payment_intent') {
    return { id, reference: resource.id, currency, state: stateOfIntent(resource) };
  }
  const { payment_intent: intent } = resource;
  const reference = typeof intent === 'string' ? intent : intent?.id;
  return { id, ...(reference && { reference }), currency, state: stateOfCharge(resource) };
}
