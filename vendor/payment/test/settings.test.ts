/**
 * Settings of payment: which adapters are bound, and what stops the start.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatherExtensions } from '@carton/runtime/testing';
import t from 'tap';
import { boundAdapters, noOperationAdapter } from '../adapters/bound.ts';
import { paymentSettings } from '../adapters/settings.ts';

const start = (environment: NodeJS.ProcessEnv) => ({
  extensions: gatherExtensions([paymentSettings.read(environment)]),
});
const folder = t.testdir();
const slug = 'linen-house';

/** Writes a file for STRIPE_ACCOUNTS; returns its path. */
function accounts(content: unknown, mode = 0o600): string {
  const file = join(folder, 'accounts.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(file, mode);
  return file;
}

t.test('adapters are bound in the order of the setting', async (t) => {
  const key = { STRIPE_SECRET_KEY: 'sk_test_1' };
  for (const [named, expected] of [
    ['', []],
    ['manual', ['manual']],
    ['stripe, manual,stripe', ['stripe', 'manual']],
  ] as const) {
    const bound = boundAdapters(start({ ...key, PAYMENT_ADAPTERS: named }));
    t.strictSame(
      bound.filter((adapter) => adapter !== noOperationAdapter).map(({ name }) => name),
      expected,
    );
  }
});

t.test('an error names the invalid setting, but no secret', async (t) => {
  const stripe = { PAYMENT_ADAPTERS: 'stripe' };
  const own = { secretKey: 'sk_live_secret', webhookSecret: 'whsec_secret' };
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ PAYMENT_ADAPTERS: 'manual,paypal' }, /PAYMENT_ADAPTERS names "paypal", which is not one of manual, stripe/],
    [stripe, /STRIPE_SECRET_KEY or STRIPE_ACCOUNTS is not set/],
    [{ ...stripe, STRIPE_SECRET_KEY: 'secret' }, /STRIPE_SECRET_KEY must match pattern/],
    [{ STRIPE_API_URL: 'ftp://secret' }, /STRIPE_API_URL must match/],
    [{ PAYMENT_SESSION_LIFETIME: '1' }, /PAYMENT_SESSION_LIFETIME must be >= 5/],
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
  const { stripe } = paymentSettings.of(
    start({ STRIPE_SECRET_KEY: 'sk_box', STRIPE_ACCOUNTS: accounts({ [slug]: own }) }),
  );
  t.match(stripe, { common: { secretKey: 'sk_box' }, url: null });
  t.strictSame([...stripe.own], [[slug, own]]);
});
