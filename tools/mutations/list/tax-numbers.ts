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
    rule: 'An order that goes to an address in free text has tax',
    file: 'vendor/tax/sales/step.ts',
    text: 'draft.sale.hasTextAddress ? null : reverseChargeOf(draft, number, home)',
    replacement: 'reverseChargeOf(draft, number, home)',
    tests: ['vendor/vies/test/text-addresses.test.ts'],
  },
  {
    rule: 'Goods that go to Great Britain have tax',
    file: 'runtime/country/vat-territory.ts',
    text: "northernIreland.test(code) ? 'XI' : null",
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
    rule: 'Goods that go to a place outside the territory of VAT are no supply within it',
    file: 'runtime/country/vat-territory.ts',
    text: 'excluded.codes.test(code) ||',
    replacement: '',
    tests: ['vendor/vies/test/vat-territory.test.ts', 'runtime/country/test/vat-territory.test.ts'],
  },
  {
    rule: 'A store without a valid number of its own sells with tax',
    file: 'vendor/tax/numbers/service.ts',
    text: 'if (requester === null) return null;',
    replacement: '',
    tests: ['vendor/vies/test/seller-number.test.ts'],
  },
  {
    rule: 'A wrong VAT number of the store is refused',
    file: 'vendor/core/service.ts',
    text: "undefined : writtenTaxNumber(patch.vatNumber, '/vatNumber')",
    replacement: 'undefined : patch.vatNumber',
    tests: ['vendor/core/test/vat-number.test.ts'],
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
    text: 'taxNumber ? await guardTaxNumber(db, { session, client }) : null',
    replacement: 'null as Awaited<ReturnType<typeof guardTaxNumber>> | null',
    tests: sales,
  },
  {
    rule: 'Tax numbers of orders and members count where they are asked about',
    file: 'vendor/tax/numbers/service.ts',
    text: 'if (asker && !read.isKnown) await guardTaxNumber(db, asker);',
    replacement: 'if (asker && !read) await guardTaxNumber(db, asker);',
    tests: ['vendor/vies/test/limits.test.ts'],
  },
  {
    rule: 'A business reaches the minimum order by the prices of a consumer',
    file: 'vendor/cart/pricing/minimum-order.ts',
    text: 'discountedTotal, taxes);',
    replacement: 'discountedTotal, 0 * taxes);',
    tests: ['vendor/vies/test/inclusive.test.ts'],
  },
];
