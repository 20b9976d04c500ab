/**
 * The store's account with Stripe, for packages that use other parts of Stripe's API, such as its taxes.
 */
import { findOwnAccount } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { paymentSettings } from '../settings.ts';

export interface StripeApiAccount {
  secretKey: string;
  /** Of Stripe's API, or of what replaces it (`STRIPE_API_URL`). */
  apiUrl: URL;
  /** Whether other stores of the box use it too. */
  isCommon: boolean;
}

/** The account in which the store is paid, whether or not Stripe is among the payment adapters; null without one. */
export async function findStripeAccount(db: TenantDatabase): Promise<StripeApiAccount | null> {
  const { common, own, url } = paymentSettings.of(db).stripe;
  const account = await findOwnAccount(db, own);
  const secretKey = (account ?? common)?.secretKey;
  return secretKey ? { secretKey, apiUrl: url ?? new URL('https://api.stripe.com'), isCommon: !account } : null;
}
