/**
 * Mutations of the rules of what providers of payments report.
 */
import type { Mutation } from '../mutation.ts';

export const providers: readonly Mutation[] = [
  {
    rule: 'A report of a provider is in the currency of the payment',
    file: 'vendor/payment/webhooks.ts',
    text: 'currency !== undefined && currency !== session.currency',
    replacement: "currency === ''",
    tests: ['vendor/payment/test/stripe.test.ts'],
  },
  {
    rule: 'A report of a provider is about the payment that the box has started',
    file: 'vendor/payment/webhooks.ts',
    text: 'session.reference === null || reference === session.reference',
    replacement: "session.reference === null || reference !== ''",
    tests: ['vendor/payment/test/stripe.test.ts'],
  },
];
