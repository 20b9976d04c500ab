/**
 * Stripe's library, loaded with the first payment, and the meaning of its errors.
 */
import { paymentProviderFailed, paymentRefused } from '@carton/payment';
import type { TenantDatabase } from '@carton/runtime';
import type Stripe from 'stripe';
import { accountOf, type StripeAccount, stripeSettings } from '../settings.ts';

/** Milliseconds. Two attempts fit into the 20 seconds that an adapter has. */
const timeout = 8000;
/** Attempts with new keys before a call fails. */
const maxKeys = 10;

export const loadStripe = async () => (await import('stripe')).default;

const clients = new WeakMap<StripeAccount, Promise<Stripe>>();

/** @throws payment_refused (409) when the tenant has no account */
export async function openStripe(db: TenantDatabase): Promise<{ stripe: Stripe; account: StripeAccount }> {
  const account = await accountOf(db);
  if (!account) throw paymentRefused('The store has no account with this provider.');
  const client = clients.get(account) ?? connect(account, stripeSettings.of(db).url);
  clients.set(account, client);
  return { stripe: await client, account };
}

async function connect({ secretKey }: StripeAccount, url: URL | null): Promise<Stripe> {
  const StripeClient = await loadStripe();
  return new StripeClient(secretKey, {
    timeout,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port || (url.protocol === 'http:' ? 80 : 443),
      protocol: url.protocol === 'http:' ? 'http' : 'https',
    }),
  });
}

/**
 * Calls Stripe. A declined card and an invalid request are definite refusals; a rate limit, a server error and a
 * timeout leave the outcome open.
 * @throws payment_refused (409), payment_provider_failed (502), and the library's own errors, which leave it open
 */
export async function callStripe<T>(db: TenantDatabase, call: (stripe: Stripe) => Promise<T>): Promise<T> {
  const { stripe } = await openStripe(db);
  try {
    return await call(stripe);
  } catch (error) {
    if (isDecline(error) || isImpossible(error)) throw paymentRefused((error as Error).message);
    if (hasType(error, 'StripeAuthenticationError', 'StripePermissionError')) {
      throw paymentProviderFailed("The provider rejects the store's credentials.");
    }
    throw error;
  }
}

/**
 * Creates something once per name, which is the idempotency key. Stripe replays the first response to a key for a day,
 * even if it was a server error; only then is the next key of that name used. An intent that a failed request created
 * nevertheless cannot be paid, because nobody knows its secret; a call that would move money must look for an earlier
 * result first.
 */
export async function createOnce<T>(
  name: string,
  make: (options: { idempotencyKey: string }) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await make({ idempotencyKey: `${name}-${number}` });
    } catch (error) {
      if (number === maxKeys || !isReplayedFault(error)) throw error;
    }
  }
}

function isReplayedFault(error: unknown): boolean {
  const { statusCode, headers } = error as { statusCode?: number; headers?: Record<string, string> };
  return (statusCode ?? 0) >= 500 && headers?.['idempotent-replayed'] === 'true';
}

function isDecline(error: unknown): boolean {
  return hasType(error, 'StripeCardError');
}

/** Stripe understood the request and cannot fulfil it: wrong state, wrong amount, unknown id. */
function isImpossible(error: unknown): boolean {
  return hasType(error, 'StripeInvalidRequestError') && (error as Stripe.errors.StripeError).code !== 'lock_timeout';
}

function hasType(error: unknown, ...types: string[]): boolean {
  return types.includes((error as { type?: string }).type ?? '');
}
