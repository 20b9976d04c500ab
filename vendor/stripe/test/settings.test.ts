/**
 * Settings of Stripe: its accounts, and what stops the start.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import payment from '@carton/payment';
import { gatherExtensions } from '@carton/runtime/testing';
import t from 'tap';
import stripe from '../index.ts';
import { stripeSettings } from '../settings.ts';

/** What the start of a box with payments and Stripe reads and checks. */
function start(environment: NodeJS.ProcessEnv) {
  const packages = [payment, stripe];
  const settings = packages.flatMap((loaded) => loaded.settings?.read(environment) ?? []);
  const box = { extensions: gatherExtensions([...packages.flatMap((loaded) => loaded.extends ?? []), ...settings]) };
  for (const loaded of packages) loaded.settings?.check(box);
  return box;
}

const folder = t.testdir();
const slug = 'linen-house';

/** Writes a file for STRIPE_ACCOUNTS; returns its path. */
function accounts(content: unknown, mode = 0o600): string {
  const file = join(folder, 'accounts.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(file, mode);
  return file;
}

t.test('an error names the invalid setting, but no secret', async (t) => {
  const named = { PAYMENT_ADAPTERS: 'manual,stripe' };
  const own = { secretKey: 'sk_live_secret', webhookSecret: 'whsec_secret' };
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ PAYMENT_ADAPTERS: 'manual,paypal' }, /PAYMENT_ADAPTERS names "paypal", which is not one of manual, stripe/],
    [named, /STRIPE_SECRET_KEY or STRIPE_ACCOUNTS is not set/],
    [{ ...named, STRIPE_SECRET_KEY: 'secret' }, /STRIPE_SECRET_KEY must match pattern/],
    [{ STRIPE_API_URL: 'ftp://secret' }, /STRIPE_API_URL must match/],
    [{ TAX_STRIPE_API_URL: 'ftp://secret' }, /TAX_STRIPE_API_URL must match/],
    [{ STRIPE_ACCOUNTS: join(folder, 'none.json') }, /STRIPE_ACCOUNTS: .*none.json cannot be read/],
    [{ STRIPE_ACCOUNTS: accounts({ [slug]: own }, 0o640) }, /can be read by others: chmod 600 it/],
  ];
  for (const [environment, message] of cases) t.throws(() => start(environment), { message });
  for (const [content, message] of [
    ['{"secretKey": sk_live_secret}', /is not JSON$/],
    [[own], /must hold an object with an account for each tenant/],
    [{ [slug]: 'sk_live_secret' }, /must hold an object for linen-house/],
    [{ [slug]: { ...own, secrets: 1 } }, /has an unknown field "secrets" for linen-house/],
    [{ [slug]: { webhookSecret: 'whsec_secret' } }, /must have a secretKey for linen-house that matches/],
    [{ [slug]: { ...own, publishableKey: 7 } }, /must have a publishableKey for linen-house that matches/],
  ] as const) {
    const environment = { STRIPE_ACCOUNTS: accounts(content) };
    t.throws(() => start(environment), { message });
    try {
      start(environment);
    } catch (error) {
      t.notMatch((error as Error).message, /_secret/);
    }
  }
});

t.test('a tenant uses its own account', async (t) => {
  const own = { secretKey: 'sk_live_own' };
  const box = start({ STRIPE_SECRET_KEY: 'sk_box', STRIPE_ACCOUNTS: accounts({ [slug]: own }) });
  const settings = stripeSettings.of(box);
  t.match(settings, { common: { secretKey: 'sk_box' }, url: null, taxUrl: null });
  t.strictSame([...settings.own], [[slug, own]]);
});

t.test('without Stripe among the adapters no account is needed', async (t) => {
  for (const PAYMENT_ADAPTERS of ['', 'manual'])
    t.match(stripeSettings.of(start({ PAYMENT_ADAPTERS })), { common: null });
});
