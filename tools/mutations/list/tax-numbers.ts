/**
 * Mutations of the rules of tax numbers: who buys without tax, and who sees the number.
 */
import type { Mutation } from '../mutation.ts';

const sales = ['vendor/vies/test/reverse-charge.test.ts'];

export const taxNumbers: readonly Mutation[] = [
  {
    rule: 'A number that is not proved saves no tax',
    file: 'vendor/tax/numbers/exemptions.ts',
    text: "checkOf(read)?.status !== 'valid'",
    replacement: "checkOf(read)?.status === 'invalid'",
    tests: sales,
  },
  {
    rule: "A number of the store's own country saves no tax",
    file: 'vendor/tax/numbers/exemptions.ts',
    text: 'buyer === null || buyer === home',
    replacement: 'buyer === null',
    tests: sales,
  },
  {
    rule: 'Goods that stay in the country of the store have tax',
    file: 'vendor/tax/numbers/exemptions.ts',
    text: "place !== null && place !== home ? 'intra_community'",
    replacement: "place !== null ? 'intra_community'",
    tests: sales,
  },
  {
    rule: 'Goods that go to Great Britain have tax',
    file: 'vendor/tax/numbers/exemptions.ts',
    text: "northernIreland.test(postalCode ?? '') ? 'XI' : null",
    replacement: "'XI'",
    tests: sales,
  },
  {
    rule: 'A store sells without tax only if it has chosen to',
    file: 'vendor/tax/numbers/service.ts',
    text: 'if (!taxSettings.of(store).reverseCharge) return null;',
    replacement: '',
    tests: sales,
  },
  {
    rule: 'An answer about another tax number proves nothing',
    file: 'vendor/vies/check.ts',
    text: "throw new ServiceError('invalid', 'its answer is about another number');",
    replacement: '',
    tests: ['vendor/vies/test/check.test.ts'],
  },
  {
    rule: 'The tax that prices contain is taken off for a business',
    file: 'vendor/tax/sales/step.ts',
    text: 'amount: -amount, ...target',
    replacement: 'amount: -1, ...target',
    tests: ['vendor/vies/test/inclusive.test.ts'],
  },
  {
    rule: 'A member buys without tax only if staff have said why',
    file: 'vendor/member/store.ts',
    text: 'and members.tax_exempt is not null)',
    replacement: ')',
    tests: ['vendor/vies/test/exempt-members.test.ts'],
  },
  {
    rule: 'Only who placed an order sees its tax number',
    file: 'vendor/order/owners/masking.ts',
    text: 'taxNumber: taxNumber && mask,',
    replacement: 'taxNumber,',
    tests: ['vendor/order/test/masking.test.ts'],
  },
  {
    rule: 'Only who placed an order sees the tax number on its invoice',
    file: 'vendor/invoice/page/markup.ts',
    text: 'vatNumber: number, taxNumber: number',
    replacement: 'vatNumber: buyer.vatNumber, taxNumber: number',
    tests: sales,
  },
  {
    rule: 'An invoice without tax names the number that was proved, and no other that staff state',
    file: 'vendor/invoice/issuing/buyer-number.ts',
    text: 'if (readableNumber(stated) === proved) return proved;',
    replacement: 'if (readableNumber(stated) !== null) return readableNumber(stated);',
    tests: ['vendor/vies/test/stated-numbers.test.ts'],
  },
  {
    rule: 'Erasure removes the tax number from orders',
    file: 'vendor/order/persons-store.ts',
    text: 'phone = null, tax_number = null, notes',
    replacement: 'phone = null, notes',
    tests: ['vendor/vies/test/erasure.test.ts'],
  },
  {
    rule: 'Erasure removes the name of the business from orders',
    file: 'vendor/order/persons-store.ts',
    text: `tax_number_check = tax_number_check || '{"name": null, "address": null}',`,
    replacement: '',
    tests: ['vendor/vies/test/erasure.test.ts'],
  },
  {
    rule: 'Who tries many tax numbers has to wait',
    file: 'vendor/cart/details/service.ts',
    text: 'taxNumber ? await guardTaxNumber(db, session, client) : null',
    replacement: 'null as AttemptGuard | null',
    tests: sales,
  },
];
