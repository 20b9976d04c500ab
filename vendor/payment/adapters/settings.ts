/**
 * Settings of payment, read from the environment.
 */
import { extensionPoint, packageSettings, Type } from '@carton/runtime';
import type { PaymentAdapter } from './adapter.ts';
import { manualAdapter } from './manual.ts';

/** Adapters that other packages contribute, in dependency order. */
export const paymentAdapters = extensionPoint<PaymentAdapter>('payment.adapter');

/** The adapters of this package, which a box has if its settings name them. */
export const ownAdapters: readonly PaymentAdapter[] = [manualAdapter];

interface PaymentSettings {
  /** Names of adapters, in the order in which their methods are offered. */
  adapters: readonly string[];
  /** Seconds that a payment waits for its order. */
  sessionLifetime: number;
}

const properties = {
  PAYMENT_ADAPTERS: Type.String({
    default: '',
    description:
      'Names of payment adapters with commas between, the first one offered first: `manual` (bank transfer, cash on delivery), `stripe` and those of other packages; without one, every payment step is 503',
  }),
  PAYMENT_SESSION_LIFETIME: Type.Integer({
    minimum: 5,
    maximum: 604_800,
    default: 3600,
    description: 'Seconds after which a payment without an order is abandoned: voided or refunded',
  }),
};

export const paymentSettings = packageSettings(
  properties,
  ({ PAYMENT_ADAPTERS: adapters, PAYMENT_SESSION_LIFETIME: sessionLifetime }): PaymentSettings => ({
    adapters: namesIn(adapters),
    sessionLifetime,
  }),
  ({ adapters }, box) => {
    const known = [...ownAdapters, ...paymentAdapters.of(box)].map(({ name }) => name);
    const twice = known.find((name, at) => known.indexOf(name) !== at);
    if (twice !== undefined) throw new Error(`PAYMENT_ADAPTERS: two packages have an adapter named "${twice}"`);
    const unknown = adapters.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new Error(`PAYMENT_ADAPTERS names "${unknown}", which is not one of ${known.join(', ')}`);
    }
  },
);

function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}
