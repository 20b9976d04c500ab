/**
 * Tax numbers: the one form in which a number is stored, however it is written, and the forms of countries.
 */
import t from 'tap';
import type { Problem } from '../../http/problems.ts';
import { exactly } from '../../testing/exactly.ts';
import { prefixOfTaxNumber, writtenTaxNumber } from '../tax-numbers.ts';

const stored = (text: string) => writtenTaxNumber(text, '/taxNumber');

/** A number with right check digits of each country whose form is known. */
const right = [
  ...['ATU13585627', 'BE0411905847', 'BG301004503', 'CHE123456788MWST', 'CY10259033P', 'CZ29042291', 'DE136695976'],
  ...['DK13585628', 'EE100931558', 'EL094259216', 'ESB58378431', 'FI20774740', 'FR40303265045', 'GB802311782'],
  ...['HR33392005961', 'HU12892312', 'IE6388047V', 'IT00743110157', 'LT119511515', 'LU15027442', 'LV40003521600'],
  ...['MT11679112', 'NL123456782B90', 'PL8567346215', 'PT501964843', 'RO18547290', 'SE556188840401', 'SI50223054'],
  ...['SK4030000007', 'XI802311782'],
];

t.test('a number of each known country is stored as it is, and known by its letters', async (t) => {
  for (const number of right) {
    t.equal(stored(number), number);
    t.equal(prefixOfTaxNumber(number), number.slice(0, 2));
  }
  t.equal(new Set(right.map((number) => number.slice(0, 2))).size, 30);
});

t.test('a number is stored in one form, however it is written', async (t) => {
  for (const written of [
    'fr 40 303 265 045',
    'FR-40.303.265.045',
    'ＦＲ４０３０３２６５０４５',
    ' FR40\u200b303265045\n',
  ]) {
    t.equal(stored(written), 'FR40303265045', written);
  }
  for (const written of ['GR 094259216', 'gr094259216', 'el 094 259 216']) t.equal(stored(written), 'EL094259216');
  t.equal(stored('xi 802 3117 82'), 'XI802311782');
});

t.test('a Swiss number is one, whatever its language', async (t) => {
  for (const suffix of ['', ' MWST', ' TVA', 'IVA', ' tpv']) {
    t.equal(stored(`CHE-116.281.710${suffix}`), 'CHE116281710MWST', suffix);
  }
});

t.test('letters that look alike, two codes of Greece, and Belgian numbers without a zero', async (t) => {
  // Cyrillic А and Т, full-width letters, Greek Α and Τ.
  for (const written of ['АТU13585627', 'ＡＴＵ１３５８５６２７', 'ΑΤU13585627']) {
    t.equal(stored(written), 'ATU13585627', written);
  }
  t.equal(faultOf('АТU13585628')?.type.status, 400, 'a wrong one is no text of another country');
  t.equal(stored('GREL094259216'), 'EL094259216');
  t.equal(stored('BE 411.905.847'), 'BE0411905847');
});

t.test('a number of another country is stored as it is written', async (t) => {
  for (const number of ['12-3456789', 'NO974760673MVA', '51 824 753 556', 'T1234567890123']) {
    t.equal(stored(` ${number} `), number);
    t.equal(prefixOfTaxNumber(number), null);
  }
});

t.test('no number differs from what was not sent', async (t) => {
  t.equal(writtenTaxNumber(undefined, '/taxNumber'), undefined);
  for (const none of [null, '', ' \t']) t.equal(writtenTaxNumber(none, '/taxNumber'), null);
});

function faultOf(text: string): Problem | null {
  try {
    writtenTaxNumber(text, '/customer/taxNumber');
    return null;
  } catch (error) {
    return error as Problem;
  }
}

t.test('a wrong number is refused with the form of its country', async (t) => {
  const cases: [text: string, form: RegExp][] = [
    ['DE136695977', /DE999999999/],
    ['DE13669597', /DE999999999/],
    ['FR 40 303 265 046', /FRXX999999999/],
    ['GR094259217', /EL999999999/],
    ['XI123', /XI999999999/],
    ['IT', /IT99999999999/],
  ];
  for (const [text, detail] of cases) {
    const fault = faultOf(text);
    t.equal(fault?.type.status, 400, text);
    t.match(fault?.errors, exactly([{ in: 'body', pointer: '/customer/taxNumber', detail }]), text);
  }
});
