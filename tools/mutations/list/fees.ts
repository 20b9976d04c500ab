/**
 * Mutations of the rules of fees that follow the choice of a payment method.
 */
import type { Mutation } from '../mutation.ts';

const invoice = ['vendor/invoice/test/added-charges.test.ts'];
const payment = ['vendor/payment/test/chosen-fees.test.ts'];

export const fees: readonly Mutation[] = [
  {
    rule: 'The fee of the payment method that is chosen afterwards is charged',
    file: 'vendor/payment/repricing.ts',
    text: 'add: added ? [{ ...added, taxes }] : [],',
    replacement: 'add: [],',
    tests: payment,
  },
  {
    rule: 'The fee of a method that was not paid by goes with the choice of another',
    file: 'vendor/payment/repricing.ts',
    text: 'remove: removed.map(({ code }) => code),',
    replacement: 'remove: [],',
    tests: payment,
  },
  {
    rule: 'A fee stays if its method has received money',
    file: 'vendor/payment/repricing.ts',
    text: 'payment.method === method && (payment.capturedAmount > 0 || holding.includes(payment))',
    replacement: 'payment.method === method && holding.includes(payment)',
    tests: payment,
  },
  {
    rule: 'A fee stays if its method holds an authorization',
    file: 'vendor/payment/repricing.ts',
    text: 'payment.method === method && (payment.capturedAmount > 0 || holding.includes(payment))',
    replacement: 'payment.method === method && payment.capturedAmount > 0',
    tests: payment,
  },
  {
    rule: 'A fee of which some was refunded stays',
    file: 'vendor/payment/repricing.ts',
    text: '&& charge.refunded?.amount === 0',
    replacement: '',
    tests: payment,
  },
  {
    rule: 'The removal of a fee leaves nothing owed to the shopper',
    file: 'vendor/payment/repricing.ts',
    text: 'if (without < 0) return debt.due;',
    replacement: '',
    tests: payment,
  },
  {
    rule: 'A paid order gets no fee',
    file: 'vendor/payment/repricing.ts',
    text: 'const wanted = without === 0 || isCharged ? null : chosen;',
    replacement: 'const wanted = isCharged ? null : chosen;',
    tests: payment,
  },
  {
    rule: 'The fee of a method is charged once',
    file: 'vendor/payment/repricing.ts',
    text: 'const wanted = without === 0 || isCharged ? null : chosen;',
    replacement: 'const wanted = without === 0 ? null : chosen;',
    tests: payment,
  },
  {
    rule: 'The fee of a refused payment is removed',
    file: 'vendor/payment/pay-later.ts',
    text: 'await removeUnusedFees(tx, order);',
    replacement: '',
    tests: payment,
  },
  {
    rule: 'A fee that is chosen afterwards is taxed',
    file: 'vendor/tax/index.ts',
    text: 'chargeTaxers.with(taxesOfCharge),',
    replacement: '',
    tests: ['vendor/checkout/test/chosen-fees.test.ts'],
  },
  {
    rule: 'A fee that is chosen afterwards is divided among the rates of the goods',
    file: 'vendor/tax/charges.ts',
    text: 'ofCategory === null ? partsOfCharge(charge, goods)',
    replacement: 'ofCategory === null ? [{ amount: charge, rates: goods[0]?.rates ?? [] }]',
    tests: ['vendor/checkout/test/chosen-fees.test.ts'],
  },
  {
    rule: 'A fee that is chosen afterwards has what the taxes of the sale grow by, if they are rounded in total',
    file: 'vendor/tax/charges.ts',
    text: "roundPer === 'total' ? roundedInTotal(order, own, { parts, others, included }) : own",
    replacement: 'own',
    tests: ['vendor/checkout/test/chosen-fees.test.ts'],
  },
  {
    rule: 'A tax within a fee adds nothing to the total of its order',
    file: 'vendor/order/recharging.ts',
    text: 'const onTop = (parts: readonly Taxes[]) => parts.filter(({ included }) => !included);',
    replacement: 'const onTop = (parts: readonly Taxes[]) => parts;',
    tests: ['vendor/checkout/test/chosen-fees.test.ts'],
  },
  {
    rule: 'A fee that is added after the invoice has an invoice of its own',
    file: 'vendor/invoice/follow.ts',
    text: 'if (own) await invoiceAdded(tx, order, await invoices.require(tx, own), documents);',
    replacement: '',
    tests: invoice,
  },
  {
    rule: 'A fee that is removed after the invoice has a credit note',
    file: 'vendor/invoice/follow.ts',
    text: 'await creditRemoved(tx, order, documents);',
    replacement: '',
    tests: invoice,
  },
  {
    rule: 'A fee that is removed and added again is another',
    file: 'vendor/invoice/charges.ts',
    text: ': line.chargeId === id;',
    replacement: ': true;',
    tests: invoice,
  },
  {
    rule: 'The credit note of a removed fee does not take the place of that of a refund',
    file: 'vendor/invoice/refund-credits.ts',
    text: 'return lines.filter((line) => isCharged(order, line));',
    replacement: 'return [...lines];',
    tests: invoice,
  },
  {
    rule: 'A refund of a fee is credited on the invoice of the fee',
    file: 'vendor/invoice/refund-credits.ts',
    text: 'for (const addition of additions) await creditAddition(tx, order, addition, all);',
    replacement: '',
    tests: invoice,
  },
  {
    rule: 'A corrected invoice leaves out what has an invoice of its own',
    file: 'vendor/invoice/issuing.ts',
    text: 'issueLocked(tx, orderId, request, (line) => isOnAddition(documents, line))',
    replacement: 'issueLocked(tx, orderId, request)',
    tests: invoice,
  },
  {
    rule: 'A cancellation credits each invoice of the order',
    file: 'vendor/invoice/follow.ts',
    text: 'for (const { invoice, left } of await documentsOf(tx, orderId)) {',
    replacement: 'for (const { invoice, left } of (await documentsOf(tx, orderId)).slice(0, 1)) {',
    tests: invoice,
  },
];
