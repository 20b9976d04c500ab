/**
 * Electronic invoices of random sales keep the rules of EN 16931 and have the sums of the order, and so do their credit
 * notes. What the standard has no form for is refused, and nothing else is.
 */
import { Problem } from '@carton/runtime';
import fc from 'fast-check';
import t from 'tap';
import { type ContentLine, type InvoiceContent, sumsByGroup, totalsOf } from '../content.ts';
import { costOfUnits, creditAmount, creditCharges, leftOf } from '../credit-notes/shares.ts';
import { electronicOf, type Issued } from '../electronic/model.ts';
import { ublOf } from '../electronic/ubl.ts';
import { document } from './documents.ts';
import { at, brokenRules, hundredths, parseXml } from './en16931.ts';
import { contentOf, rowsOf, saleFields } from './sales.ts';

type Rates = Parameters<typeof rowsOf>[0]['lines'][number]['rates'];

const runs = 3000;
const sales = fc.record({
  ...saleFields,
  // Most sales have one tax on a line, and none on the whole.
  lines: fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 12 }),
      total: fc.oneof(fc.nat(20), fc.nat(100_000), fc.nat(10 ** 10)),
      rates: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom<Rates[]>([0], [5], [7], [9.975], [19], [20]) },
        { weight: 1, arbitrary: fc.constantFrom<Rates[]>([], [5, 9.975]) },
      ),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  orderTax: fc.constantFrom(0, 0, 0, 0, 0, 0, 3),
  part: fc.nat(1000),
  units: fc.boolean(),
});

/** The problem of a document; null if it can be said. */
function problemOf(issued: Issued): string | null {
  try {
    electronicOf(issued);
    return null;
  } catch (error) {
    if (!(error instanceof Problem) || error.type.status !== 409) throw error;
    return error.message;
  }
}

function requireThat(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Whether the document has amounts of only one tax each, near to its rate. */
function isSayable({ taxGroups, lines }: InvoiceContent): boolean {
  const used = new Set(lines.flatMap(({ parts }) => parts.map(({ group }) => group)));
  if ([...used].some((group) => taxGroups[group]?.length !== 1)) return false;
  const sums = new Map<number, { net: number; tax: number }>();
  for (const { taxes, net, tax } of sumsByGroup({ taxGroups, lines })) {
    const rate = taxes[0]?.rate ?? 0;
    const known = sums.get(rate) ?? { net: 0, tax: 0 };
    sums.set(rate, { net: known.net + net, tax: known.tax + tax });
  }
  return [...sums].every(([rate, { net, tax }]) => Math.abs(Math.round((net * rate) / 100) - tax) <= 100);
}

t.test('sums of random sales', async (t) => {
  const seen = { said: 0, refused: 0, credits: 0, rounded: 0, allowances: 0, charges: 0, notes: 0, notesRefused: 0 };
  const check = ({ part, units, ...sale }: Parameters<typeof rowsOf>[0] & { part: number; units: boolean }) => {
    const content = { ...document().content, ...contentOf(rowsOf(sale)) };
    const invoice = { ...document(), content };
    const refusal = problemOf(invoice);
    requireThat((refusal === null) === isSayable(content), `refused: ${refusal}`);
    if (refusal !== null) return seen.refused++;
    compare(invoice);
    seen.said++;
    const { credit, rounding } = totalsOf(content.lines);
    if (credit < 0) seen.credits++;
    if (rounding !== 0) seen.rounded++;
    if (content.lines.some(({ discount }) => discount < 0)) seen.allowances++;
    if (content.lines.some(({ lineItemId, parts }) => lineItemId === null && parts.some(({ net }) => net > 0)))
      seen.charges++;
    const amount = Math.floor((totalsOf(content.lines).total * part) / 1000);
    const [first] = content.lines as [ContentLine];
    const credited = units
      ? creditCharges(content.lines, [costOfUnits(first, first, 1)])
      : amount > 0
        ? creditAmount(leftOf(content.lines, []), amount)
        : [];
    if (credited.length === 0) return seen.notes;
    const corrects = { number: 'INV-1', issuedOn: '2026-11-22' };
    const note = {
      ...invoice,
      kind: 'credit_note',
      content: { ...content, lines: credited, corrects },
    } as const;
    const refusedNote = problemOf(note);
    requireThat((refusedNote === null) === isSayable(note.content), `refused note: ${refusedNote}`);
    if (refusedNote !== null) return seen.notesRefused++;
    compare(note);
    return seen.notes++;
  };
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(sales, (sale) => void check(sale)),
      { numRuns: runs },
    ),
  );
  t.comment(seen);
  t.strictSame(
    Object.entries(seen).filter(([what, count]) => what !== 'notesRefused' && count < runs / 20),
    [],
    'every kind was seen',
  );
});

/** Compares a document in UBL with the sums of its lines, in cents. */
function compare(issued: Issued): void {
  const xml = ublOf(electronicOf(issued));
  const broken = brokenRules(xml);
  requireThat(broken.length === 0, `${broken.join()} in ${xml}`);
  const [, root] = parseXml(xml);
  const amount = (path: string) => at(root, path).reduce((sum, { text }) => sum + hundredths(text), 0);
  const { net, tax, gross, credit, rounding, total } = totalsOf(issued.content.lines);
  const expected = {
    TaxExclusiveAmount: net,
    TaxInclusiveAmount: gross,
    PrepaidAmount: -credit,
    PayableRoundingAmount: rounding,
    PayableAmount: total,
  };
  for (const [name, each] of Object.entries(expected)) {
    const actual = amount(`LegalMonetaryTotal/${name}`);
    requireThat(actual === each + 0, `${name} is ${actual} of ${each}`);
  }
  requireThat(amount('TaxTotal/TaxAmount') === tax, 'the tax');
}
