/**
 * Settings of payment, read from the environment.
 */
import { packageSettings, Type } from '@carton/runtime';
import { readStripeAccounts, type StripeAccounts, stripeProperties } from './stripe/settings.ts';

const adapterNames = ['manual', 'stripe'] as const;
export type AdapterName = (typeof adapterNames)[number];

interface PaymentSettings {
  /** In the order in which their methods are offered. */
  adapters: readonly AdapterName[];
  /** Seconds that a payment waits for its order. */
  sessionLifetime: number;
  stripe: StripeAccounts;
}

const properties = {
  PAYMENT_ADAPTERS: Type.String({
    default: '',
    description:
      'Payment adapters, the first one offered first: `manual` (bank transfer, cash on delivery), `stripe`, or both with a comma between; without one, every payment step is 503',
  }),
  PAYMENT_SESSION_LIFETIME: Type.Integer({
    minimum: 5,
    maximum: 604_800,
    default: 3600,
    description: 'Seconds after which a payment without an order is abandoned: voided or refunded',
  }),
  ...stripeProperties,
};

export const paymentSettings = packageSettings(properties, (values): PaymentSettings => {
  const adapters = adaptersNamed(values.PAYMENT_ADAPTERS);
  const stripe = readStripeAccounts(values);
  if (adapters.includes('stripe') && !stripe.common && stripe.own.size === 0) {
    throw new Error('STRIPE_SECRET_KEY or STRIPE_ACCOUNTS is not set, and PAYMENT_ADAPTERS names stripe');
  }
  return { adapters, sessionLifetime: values.PAYMENT_SESSION_LIFETIME, stripe };
});

function adaptersNamed(text: string): AdapterName[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => name !== '' && !adapterNames.includes(name as AdapterName));
  if (unknown !== undefined) {
    throw new Error(`PAYMENT_ADAPTERS names "${unknown}", which is not one of ${adapterNames.join(', ')}`);
  }
  return [...new Set(names.filter((name) => name !== ''))] as AdapterName[];
}
