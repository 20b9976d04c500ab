/**
 * Stripe's own library, loaded with the first payment, and what its errors mean.
 */
import type { TenantDatabase } from '@carton/runtime';
import type Stripe from 'stripe';
import { paymentProviderFailed, paymentRefused } from '../../adapter.ts';
import { paymentSettings } from '../settings.ts';
import { accountOf, type StripeAccount } from './settings.ts';

/** Two tries of this long stay within the 20 seconds that an adapter has. */
const timeout = 8000;
/** So many faults in a row are enough for one call. */
const mostKeys = 10;

export const loadStripe = async () => (await import('stripe')).default;

const clients = new WeakMap<StripeAccount, Promise<Stripe>>();

/** @throws payment_refused (409) when the merchant has no account */
export async function openStripe(db: TenantDatabase): Promise<{ stripe: Stripe; account: StripeAccount }> {
  const accounts = paymentSettings.of(db).stripe;
  const account = await accountOf(db, accounts);
  if (!account) throw paymentRefused('The shop has no account with this provider.');
  const client = clients.get(account) ?? connect(account, accounts.url);
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
 * Calls Stripe. What it declines or cannot do is a definite no; a rate limit, a fault on its side and silence leave
 * open what was done.
 * @throws payment_refused (409), payment_provider_failed (502), and the library's own errors, which leave it open
 */
export async function callStripe<T>(db: TenantDatabase, call: (stripe: Stripe) => Promise<T>): Promise<T> {
  const { stripe } = await openStripe(db);
  try {
    return await call(stripe);
  } catch (error) {
    if (isDecline(error) || isNotPossible(error)) throw paymentRefused((error as Error).message);
    if (hasType(error, 'StripeAuthenticationError', 'StripePermissionError')) {
      throw paymentProviderFailed("It does not take the shop's credentials.");
    }
    throw error;
  }
}

/**
 * Makes something once for its name, which is the idempotency key. Stripe keeps under a key whatever came of it for a
 * day, a fault of its own too; only then is the next key of the name used. What a fault has made all the same is an
 * intent that nobody can pay, since its secret was told to nobody; what would move money has to look for it first.
 */
export async function onceFor<T>(name: string, make: (options: { idempotencyKey: string }) => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await make({ idempotencyKey: `${name}-${number}` });
    } catch (error) {
      if (number === mostKeys || !isKeptFault(error)) throw error;
    }
  }
}

function isKeptFault(error: unknown): boolean {
  const { statusCode, headers } = error as { statusCode?: number; headers?: Record<string, string> };
  return (statusCode ?? 0) >= 500 && headers?.['idempotent-replayed'] === 'true';
}

function isDecline(error: unknown): boolean {
  return hasType(error, 'StripeCardError');
}

/** Stripe has understood, and it cannot be done: wrong state, wrong amount, nothing of that name. */
function isNotPossible(error: unknown): boolean {
  return hasType(error, 'StripeInvalidRequestError') && (error as Stripe.errors.StripeError).code !== 'lock_timeout';
}

function hasType(error: unknown, ...types: string[]): boolean {
  return types.includes((error as { type?: string }).type ?? '');
}
