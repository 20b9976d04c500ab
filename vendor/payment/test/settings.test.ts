/**
 * Settings of payment: which adapters are bound, in which order, and what stops the start.
 */
import { gatherExtensions } from '@carton/runtime/testing';
import t from 'tap';
import type { PaymentAdapter } from '../adapters/adapter.ts';
import { boundAdapters, noOperationAdapter } from '../adapters/bound.ts';
import { paymentAdapters, paymentSettings } from '../adapters/settings.ts';

const adapter = (name: string, onlyIfNamed?: boolean): PaymentAdapter => ({ ...noOperationAdapter, name, onlyIfNamed });

/** What the start of a box with these contributed adapters reads and checks. */
function start(environment: NodeJS.ProcessEnv, ...contributed: PaymentAdapter[]) {
  const contributions = contributed.map((each) => paymentAdapters.with(each));
  const box = { extensions: gatherExtensions([...contributions, paymentSettings.read(environment)]) };
  paymentSettings.check(box);
  return box;
}

t.test('adapters are bound in the order of the setting, then those that need not be named', async (t) => {
  const contributed = [adapter('acme'), adapter('stripe', true)];
  for (const [named, expected] of [
    ['', ['acme']],
    ['manual', ['manual', 'acme']],
    ['stripe, manual,stripe', ['stripe', 'manual', 'acme']],
    ['acme,stripe', ['acme', 'stripe']],
  ] as const) {
    const bound = boundAdapters(start({ PAYMENT_ADAPTERS: named }, ...contributed));
    t.strictSame(
      bound.map(({ name }) => name),
      expected,
    );
  }
  t.strictSame(boundAdapters(start({}, adapter('stripe', true))), [noOperationAdapter], 'not named');
  t.strictSame(boundAdapters(start({})), [noOperationAdapter]);
});

t.test('an error names the invalid setting', async (t) => {
  t.throws(() => start({ PAYMENT_ADAPTERS: 'manual,paypal' }, adapter('stripe', true)), {
    message: 'invalid setting: PAYMENT_ADAPTERS names "paypal", which is not one of manual, stripe',
  });
  t.throws(() => start({ PAYMENT_ADAPTERS: 'stripe' }), { message: /names "stripe", which is not one of manual$/ });
  t.throws(() => start({}, adapter('acme'), adapter('acme')), { message: /two packages have an adapter named "acme"/ });
  t.throws(() => start({}, adapter('manual')), { message: /two packages have an adapter named "manual"/ });
  t.throws(() => start({ PAYMENT_SESSION_LIFETIME: '1' }), { message: /PAYMENT_SESSION_LIFETIME must be >= 5/ });
});
