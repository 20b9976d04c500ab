/**
 * Currencies agree with ISO 4217: every code with a minor unit, and no other.
 */
import { codes, code as entryOf, publishDate } from 'currency-codes';
import t from 'tap';
import { isCurrency, minorUnitDigits } from '../minor-units.ts';

/** Minor unit "N.A." in the standard; the package has 0. */
const withoutMinorUnit = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Amendments since the list of the package. */
const withdrawn = ['ANG', 'BGN', 'CUC'];
const added = new Map([
  ['XAD', 2],
  ['XCG', 2],
]);

t.test('all currencies of the standard are known, with their digits', async (t) => {
  t.equal(publishDate, '2024-06-25', 'of another list, the amendments above are others');
  const listed = codes().filter((code) => !withoutMinorUnit.includes(code) && !withdrawn.includes(code));
  const expected = new Map([...listed.map((code) => [code, entryOf(code)?.digits] as const), ...added]);
  t.equal(expected.size, 165);
  for (const [code, digits] of expected) t.strictSame([isCurrency(code), minorUnitDigits(code)], [true, digits], code);
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const triples = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `${a}${b}${c}`)));
  t.strictSame(triples.filter(isCurrency), [...expected.keys()].sort(), 'no other code is a currency');
});

t.test('digits are those of the standard, not of everyday use', async (t) => {
  const differ = 'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR RSD SOS SYP YER';
  t.strictSame(
    differ.split(' ').map(minorUnitDigits),
    differ.split(' ').map(() => 2),
  );
  t.strictSame(['ISK', 'UGX', 'IQD', 'CLF'].map(minorUnitDigits), [0, 0, 3, 4]);
});

t.test('stored amounts may have a withdrawn currency', async (t) => {
  t.strictSame(['HRK', 'BGN', 'ZWL'].map(isCurrency), [false, false, false]);
  t.equal(minorUnitDigits('HRK'), 2);
});
