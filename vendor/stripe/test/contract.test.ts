/**
 * The adapter and the tax provider keep what all of their kind must, with the simulators of Stripe's API.
 */
import { paymentAdapters } from '@carton/payment';
import { testPaymentAdapter } from '@carton/payment/testing';
import {
  openStripeTenant,
  Shopper,
  sign,
  startTaxService,
  taxServiceSettings,
  webhookSecret,
} from '@carton/stripe/testing';
import { taxProviders } from '@carton/tax';
import { testTaxProvider } from '@carton/tax/testing';
import t from 'tap';
import { packages } from './helpers.ts';

const service = await startTaxService();
t.teardown(() => service.stop());
const { box, simulator } = await openStripeTenant(t, { packages }, taxServiceSettings(service));
const account = simulator.account();
const browser = new Shopper(simulator.url);
const named = <T extends { name: string }>(all: readonly T[]) => all.find(({ name }) => name === 'stripe') as T;

t.test('of a payment adapter', (t) => {
  testPaymentAdapter(t, {
    ...{ adapter: named(paymentAdapters.of(box.box.database)), db: box.db },
    authorize: ({ nextAction }) => browser.pay(nextAction?.value as string),
    report({ reference }) {
      const data = { object: account.find(reference) };
      const created = Math.floor(Date.now() / 1000);
      const event = { id: 'evt_1', object: 'event', type: 'payment_intent.amount_capturable_updated', created, data };
      const body = JSON.stringify(event);
      return { headers: { 'stripe-signature': sign(body, webhookSecret) }, body: Buffer.from(body) };
    },
  });
  t.end();
});

t.test('of a tax provider', (t) => {
  const address = { country: 'DE', province: null, postalCode: '10115', city: 'Berlin', line1: '1 Way' };
  testTaxProvider(t, { provider: named(taxProviders.of(box.box.database)), db: box.db, address });
  t.end();
});
