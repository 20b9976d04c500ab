/**
 * The accounts with Stripe: one for all merchants of the box, and those that merchants have of their own.
 */
import { readFileSync, statSync } from 'node:fs';
import { findOwnSlug } from '@carton/core';
import { type Static, type TenantDatabase, type TObject, Type } from '@carton/runtime';

export interface StripeAccount {
  secretKey: string;
  /** Of the account's webhook endpoint; without it every call-back is refused. */
  webhookSecret?: string;
  /** For the page that takes the card. */
  publishableKey?: string;
}

export interface StripeAccounts {
  /** For merchants without one of their own. */
  common: StripeAccount | null;
  /** By the slug or the id of the merchant. */
  own: ReadonlyMap<string, StripeAccount>;
  /** Another address than Stripe's. */
  url: URL | null;
}

/** What a setting must look like; also the fields of STRIPE_ACCOUNTS. */
const forms = { secretKey: /^(sk|rk)_\w+$/, webhookSecret: /^whsec_\w+$/, publishableKey: /^pk_\w+$/ };

const optional = (pattern: RegExp, description: string) =>
  Type.Optional(Type.String({ pattern: pattern.source, description }));

export const stripeProperties = {
  STRIPE_SECRET_KEY: optional(forms.secretKey, "Secret or restricted key of the box's account with Stripe"),
  STRIPE_WEBHOOK_SECRET: optional(forms.webhookSecret, 'Signing secret of its webhook endpoint'),
  STRIPE_PUBLISHABLE_KEY: optional(
    forms.publishableKey,
    'Handed to the page that takes the card, as `nextAction.publicKey`',
  ),
  STRIPE_ACCOUNTS: Type.Optional(
    Type.String({
      description:
        'A JSON file of mode 0600 with accounts that merchants have of their own, by slug or id: `{"<slug>": {"secretKey": …, "webhookSecret": …, "publishableKey": …}}`',
    }),
  ),
  STRIPE_API_URL: optional(/^https?:\/\/[^/]+\/?$/, 'Where to reach Stripe: a gateway, or the simulator of tests'),
};

/** @throws Error that names the setting, or the file and the part of it, that is wrong; never its secrets */
export function readStripeAccounts(values: Static<TObject<typeof stripeProperties>>): StripeAccounts {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = values;
  const { STRIPE_PUBLISHABLE_KEY: publishableKey, STRIPE_ACCOUNTS: file, STRIPE_API_URL: url } = values;
  return {
    common: secretKey === undefined ? null : { secretKey, webhookSecret, publishableKey },
    own: file === undefined ? new Map() : readAccountsFile(file),
    url: url === undefined ? null : new URL(url),
  };
}

function readAccountsFile(file: string): Map<string, StripeAccount> {
  const wrong = (what: string) => new Error(`STRIPE_ACCOUNTS: ${file} ${what}`);
  let content: unknown;
  let mode: number;
  try {
    mode = statSync(file).mode;
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // What a parser quotes could be a secret.
    throw wrong(error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${(error as Error).message}`);
  }
  if ((mode & 0o077) !== 0) throw wrong('can be read by others: chmod 600 it');
  if (!isRecord(content)) throw wrong('must hold an object, with an account for each merchant');
  for (const [merchant, account] of Object.entries(content)) {
    if (!isRecord(account)) throw wrong(`must hold an object for ${merchant}`);
    const unknown = Object.keys(account).find((name) => !(name in forms));
    if (unknown !== undefined) throw wrong(`says "${unknown}" of ${merchant}, which means nothing`);
    for (const [name, form] of Object.entries(forms)) {
      const value = account[name];
      const fits = value === undefined ? name !== 'secretKey' : typeof value === 'string' && form.test(value);
      if (!fits) throw wrong(`must give ${merchant} a ${name} like ${form.source}`);
    }
  }
  return new Map(Object.entries(content as Record<string, StripeAccount>));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The account that the merchant is paid by: its own, else the box's; null when there is neither. */
export async function accountOf(db: TenantDatabase, { own, common }: StripeAccounts): Promise<StripeAccount | null> {
  if (own.size === 0) return common;
  return own.get(db.tenantId) ?? own.get(await findOwnSlug(db)) ?? common;
}
