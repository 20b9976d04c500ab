/**
 * Settings of Stripe, read from the environment: one account for the whole box, and accounts of single tenants. Payments
 * and taxes use the same accounts.
 */
import { findOwnAccount } from '@carton/core';
import { isAdapterNamed } from '@carton/payment';
import { packageSettings, readAccountsFile, type TenantDatabase, Type } from '@carton/runtime';

export interface StripeAccount {
  secretKey: string;
  /** Of the account's webhook endpoint; without it every webhook is rejected. */
  webhookSecret?: string;
  /** For the page that collects the card. */
  publishableKey?: string;
}

interface StripeSettings {
  /** For tenants without an account of their own. */
  common: StripeAccount | null;
  /** By the tenant's slug or id. */
  own: ReadonlyMap<string, StripeAccount>;
  /** Replaces the address of Stripe's API. */
  url: URL | null;
  /** Replaces it for taxes. */
  taxUrl: URL | null;
}

/** Accepted values, by the field names of STRIPE_ACCOUNTS. */
const patterns = { secretKey: /^(sk|rk)_\w+$/, webhookSecret: /^whsec_\w+$/, publishableKey: /^pk_\w+$/ };
const address = /^https?:\/\/[^/]+\/?$/;

const optional = (pattern: RegExp, description: string, more: { writeOnly?: true } = {}) =>
  Type.Optional(Type.String({ pattern: pattern.source, description, ...more }));

const properties = {
  STRIPE_SECRET_KEY: optional(patterns.secretKey, "Secret or restricted key of the box's account with Stripe", {
    writeOnly: true,
  }),
  STRIPE_WEBHOOK_SECRET: optional(patterns.webhookSecret, 'Signing secret of its webhook endpoint', {
    writeOnly: true,
  }),
  STRIPE_PUBLISHABLE_KEY: optional(
    patterns.publishableKey,
    'Passed to the page that collects the card, as `nextAction.publicKey`',
  ),
  STRIPE_ACCOUNTS: Type.Optional(
    Type.String({
      description:
        'A JSON file of mode 0600 with the accounts of single tenants, by slug or id: `{"<slug>": {"secretKey": …, "webhookSecret": …, "publishableKey": …}}`',
    }),
  ),
  STRIPE_API_URL: optional(address, "Replaces the address of Stripe's API: a gateway, or the simulator"),
  TAX_STRIPE_API_URL: optional(address, "Replaces the address of Stripe's API for taxes: a gateway, or the simulator"),
};

const urlOf = (text: string | undefined) => (text === undefined ? null : new URL(text));

/** Errors name the invalid setting, or the file and field, without its value. */
export const stripeSettings = packageSettings(
  properties,
  (values): StripeSettings => {
    const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = values;
    const { STRIPE_PUBLISHABLE_KEY: publishableKey, STRIPE_ACCOUNTS: file } = values;
    return {
      common: secretKey === undefined ? null : { secretKey, webhookSecret, publishableKey },
      own: file === undefined ? new Map() : ownAccountsIn(file),
      url: urlOf(values.STRIPE_API_URL),
      taxUrl: urlOf(values.TAX_STRIPE_API_URL),
    };
  },
  ({ common, own }, box) => {
    if (!common && own.size === 0 && isAdapterNamed(box, 'stripe')) {
      throw new Error('STRIPE_SECRET_KEY or STRIPE_ACCOUNTS is not set, and PAYMENT_ADAPTERS names stripe');
    }
  },
);

function ownAccountsIn(file: string): Map<string, StripeAccount> {
  return readAccountsFile('STRIPE_ACCOUNTS', file, patterns) as Map<string, StripeAccount>;
}

/** The account that receives the tenant's payments: its own, else the box's, else null. */
export async function accountOf(db: TenantDatabase): Promise<StripeAccount | null> {
  const { own, common } = stripeSettings.of(db);
  return (await findOwnAccount(db, own)) ?? common;
}
