/**
 * Mutations of the rules of amounts that providers cannot move.
 */
import type { Mutation } from '../mutation.ts';

const tests = ['vendor/checkout/test/amounts.test.ts'];

export const amounts: readonly Mutation[] = [
  {
    rule: 'A method that cannot charge what is left to pay is not listed',
    file: 'vendor/payment/sessions.ts',
    text: 'due === null || refusalOfMethod(db, method, due) === null',
    replacement: 'true',
    tests,
  },
  {
    rule: 'A preview tells that its method cannot charge the amount',
    file: 'vendor/checkout/steps.ts',
    text: 'if (refusal === null) return [];',
    replacement: 'if (refusal !== undefined) return [];',
    tests,
  },
  {
    rule: 'No payment of a cart starts with an amount that the provider cannot charge',
    file: 'vendor/payment/sessions.ts',
    text: '  requireCharge(db, method, amount);',
    replacement: '',
    tests,
  },
  {
    rule: 'No payment of an order starts with an amount that the provider cannot charge',
    file: 'vendor/payment/pay-later.ts',
    text: '  if (due > 0) requireCharge(tx, method, money(due, order.currency));',
    replacement: '',
    tests,
  },
  {
    rule: 'A part that the provider cannot move is refused before it is stored',
    file: 'vendor/payment/steps.ts',
    text: 'if (refusal) throw paymentRefused(refusal);',
    replacement: '',
    tests,
  },
  {
    rule: 'Stripe charges no less than its least amount',
    file: 'vendor/payment/adapters/stripe/amounts.ts',
    text: 'if (amount < least)',
    replacement: 'if (amount < 0)',
    tests,
  },
  {
    rule: 'Stripe charges no more than its greatest amount',
    file: 'vendor/payment/adapters/stripe/amounts.ts',
    text: 'if (amount <= most ||',
    replacement: 'if (amount > 0 ||',
    tests,
  },
];
