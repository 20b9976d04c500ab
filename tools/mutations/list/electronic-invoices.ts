/**
 * Mutations of the rules of electronic invoices and PDFs: their sums, what has no form in the standard, and who reads what.
 */
import type { Mutation } from '../mutation.ts';

const model = 'vendor/invoice/electronic/model.ts';
const sums = ['vendor/invoice/test/electronic-sums.test.ts'];
const ubl = ['vendor/invoice/test/ubl.test.ts'];

export const electronicInvoices: readonly Mutation[] = [
  {
    rule: 'What credits have paid is not to be paid again',
    file: model,
    text: 'payable: total - paid,',
    replacement: 'payable: total - paid - credit,',
    tests: [...sums, ...ubl],
  },
  {
    rule: 'What was received is not asked for again',
    file: 'vendor/invoice/issuing/payments.ts',
    text: 'return on === null ? null : { amount, on };',
    replacement: 'return on === null || amount > 0 ? null : { amount, on };',
    tests: ['vendor/invoice/test/paid.test.ts'],
  },
  {
    rule: 'Groups with the same rate are one to the standard',
    file: model,
    text: 'category.rate}`;',
    replacement: 'part.group}`;',
    tests: ubl,
  },
  {
    rule: 'A tax that is not its rate is refused',
    file: model,
    text: 'if (Math.abs(expected - tax) <= 10 ** minorUnitDigits(currency)) return;',
    replacement: 'if (Math.abs(expected - tax) <= 10 ** 9) return;',
    tests: ubl,
  },
  {
    rule: 'Several taxes on the same amount are refused, and not said as one',
    file: 'vendor/invoice/electronic/categories.ts',
    text: 'if (others.length > 0) {',
    replacement: 'if (others.length > 1) {',
    tests: [...sums, ...ubl],
  },
  {
    rule: 'Services outside the European Union are no export',
    file: 'vendor/invoice/page/untaxed.ts',
    text: "(service ? 'outside_union' : 'export')",
    replacement: "(service ? 'export' : 'export')",
    tests: [...ubl],
  },
  {
    rule: 'What is not taxed needs a reason',
    file: 'vendor/invoice/electronic/categories.ts',
    text: 'if (leaves) {',
    replacement: 'if (leaves || country !== null) {',
    tests: [...sums, ...ubl],
  },
  {
    rule: 'A discount within a price that includes tax is net',
    file: 'vendor/invoice/electronic/lines.ts',
    text: 'sum + (included ? scalePercent(rate ?? 0) : 0n)',
    replacement: 'sum + (included && rate === null ? 1n : 0n)',
    tests: ubl,
  },
  {
    rule: 'No text turns the text around it',
    file: 'vendor/invoice/electronic/xml.ts',
    text: '\\u202a-\\u202e\\u2066-\\u2069',
    replacement: '',
    tests: ubl,
  },
  {
    rule: 'A tax without a single rate is refused',
    file: 'vendor/invoice/electronic/categories.ts',
    text: 'if (tax && tax.rate === null) throw',
    replacement: 'if (tax && tax.label === null) throw',
    tests: ubl,
  },
  {
    rule: 'A seller without a VAT number says no VAT',
    file: 'vendor/invoice/electronic/categories.ts',
    text: 'if (!hasVatNumber && (tax || exemption !== null)) {',
    replacement: 'if (!hasVatNumber && exemption !== null) {',
    tests: ubl,
  },
  {
    rule: 'A tax that the buyer owes needs the VAT number of the buyer',
    file: model,
    text: 'if (buyer.vatNumber === null) throw',
    replacement: "if (buyer.vatNumber === '') throw",
    tests: ubl,
  },
  {
    rule: 'A price that cannot be divided is that of all units',
    file: 'vendor/invoice/electronic/lines.ts',
    text: 'price: Math.abs(divides ? before / quantity : before),',
    replacement: 'price: Math.abs(Math.round(before / quantity)),',
    tests: [...sums, ...ubl],
  },
  {
    rule: 'A document without goods has its charges as lines, and not twice',
    file: 'vendor/invoice/electronic/lines.ts',
    text: 'if (line.lineItemId !== null || !hasGoods) {',
    replacement: 'if (line.lineItemId !== null) {',
    tests: ubl,
  },
  {
    rule: 'The PDF of an order is masked for those who have not placed it',
    file: 'vendor/invoice/page/markup.ts',
    text: 'isPlacedBy(order, session) ? found : found.map((row) => maskInvoice(order, row))',
    replacement: 'isPlacedBy(order, session) ? found : found',
    tests: ['vendor/invoice/test/page.test.ts', 'vendor/invoice/test/pdf.test.ts'],
  },
  {
    rule: 'No text of a PDF turns the text around it',
    file: 'vendor/invoice/pdf/sheet.ts',
    text: "text.replaceAll(/[\\u202a-\\u202e\\u2066-\\u2069]/g, '')",
    replacement: 'text',
    tests: ['vendor/invoice/test/pdf.test.ts'],
  },
  {
    rule: 'What is prepaid is in both forms of an electronic invoice',
    file: 'vendor/invoice/electronic/cii.ts',
    text: 'totals.prepaid !== 0 &&',
    replacement: 'totals.prepaid < 0 &&',
    tests: ['vendor/invoice/test/factur-x.test.ts'],
  },
];
