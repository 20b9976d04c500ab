/**
 * Which postal codes a country may have.
 */
import t from 'tap';
import { isPostalCode, otherCountryOfCode, postalForms, printedCode } from '../postal-codes.ts';
import { otherProvinceOfCode } from '../postal-provinces.ts';
import { writtenAddresses } from './written-addresses.ts';

t.test('codes of countries, in the forms in which people write them', async (t) => {
  const cases: [country: string, codes: string[], wrong: string[]][] = [
    ['DE', ['10115', ' 10115 ', 'D-10115', 'de-10115', '１０１１５'], ['ABCDE', '1011', '101155', 'EC1A 1BB']],
    ['GB', ['EC1A 1BB', 'ec1a1bb', 'BT9 5AB', 'M1 1AE', 'GIR 0AA'], ['12345', 'EC1A', 'QQ1 1']],
    ['US', ['62701', '94105-1234', '94105 1234', '941051234'], ['6270', 'ABCDE', '62701-12']],
    ['CA', ['H2Y 1G8', 'h2y1g8', 'H2Y-1G8'], ['H2Y', '12345', 'D1A 1A1']],
    ['NL', ['1015 CN', '1015CN', '1015 cn'], ['1015', 'CN1015']],
    ['FR', ['69003', '69 003', 'F-69003'], ['6900', 'ABCDE']],
    ['JP', ['810-0001', '8100001', '８１０－０００１'], ['810', '81-00001A']],
    ['SE', ['114 55', '11455', 'SE-114 55'], ['1145']],
    ['PL', ['31-146', '31146'], ['3114']],
    ['BR', ['01310-100', '01310100'], ['0131']],
    ['IE', ['T12 W8KP', 'D02X285'], ['12345']],
    ['IN', ['560038', '560 038'], ['56003']],
    ['PT', ['1100-048', '1100048'], ['11']],
    ['CH', ['8001', 'CH-8001'], ['80011']],
    ['XK', ['10000'], ['ABC']],
    ['SG', ['079903'], ['0799']],
    ['AT', ['A-6691', 'A 6691', 'AT-6691'], ['A-66911']],
    ['NL', ['NL 1011 AB', 'NL-1011AB'], ['NL 1011']],
    ['GB', ['GB EC1A 1BB', 'UK-EC1A 1BB'], ['GB EC1A']],
    ['IE', ['IE D02 X285'], []],
    ['DE', ['DE 10115', 'D 10115', 'DE10115'], ['DE 1011']],
    ['CH', ['CH 8001'], ['CH 800']],
    ['LV', ['LV-1010', '1010'], ['LV-10']],
    ['AD', ['AD500', '500'], ['AD50']],
    // Forms that the data lack.
    ['SV', ['1101', 'CP 1101'], ['11']],
    ['AZ', ['AZ 1000', 'AZ1000', 'AZ-1000', '1000'], ['AZ 10']],
    ['MD', ['MD2001', 'MD-2001', '2001'], ['MD20']],
    ['HT', ['HT6110', '6110'], ['HT61']],
    ['KH', ['120101', '12000'], ['1201']],
    ['PY', ['001001', '1001'], ['01']],
    ['KZ', ['A10A5F5', '050000'], ['A10']],
    ['SA', ['12345-6789', '12345'], ['1234']],
    ['EG', ['1181234', '11511', '١١٥١١', '۱۱۵۱۱'], ['115', '١١٥']],
    ['KR', ['03187', '110-110'], ['0318']],
    ['MM', ['1118101', '11181'], ['111']],
    ['MN', ['142000', '14200'], ['142']],
    ['TZ', ['111010'], ['11']],
    ['HN', ['HN1101', '11101'], ['11']],
    ['VE', ['1010-A', '1010'], ['10']],
    ['PA', ['0816-00000'], []],
    ['TH', ['10110', '๑๐๑๑๐'], ['๑๐๑๑']],
    // No codes are known.
    ['HK', ['999077', 'anything'], []],
    ['AG', ['anything'], []],
  ];
  for (const [country, codes, wrong] of cases) {
    for (const code of codes) t.ok(isPostalCode(country, code), `${country} ${code}`);
    for (const code of wrong) t.notOk(isPostalCode(country, code), `${country} ${code}`);
  }
  t.notOk(isPostalCode('DE', '1'.repeat(100_000)));
});

t.test('a letter or digit that no code has is not left out: the rest may be another code', async (t) => {
  const foreign = [
    ['GB', 'К', 'W15 1AA'],
    ['GB', 'Ζ', 'E1 0AA'],
    ['GB', 'İ', 'V1 1AA'],
    ['GB', 'I\u0301', 'V1 1AA'],
    ['GB', 'В', 'T9 5AB'],
    ['AR', 'С', '1425CLA'],
  ] as const;
  for (const [country, letter, rest] of foreign)
    t.equal(isPostalCode(country, `${letter}${rest}`), false, letter + rest);
  t.equal(isPostalCode('GB', 'BT1 1AA 漢'), false);
  t.equal(isPostalCode('GB', 'ＫＷ１５\u00a01AA'), true);
  t.equal(isPostalCode('JP', '〒900ー8570'), true);
});

t.test('the codes of all addresses of the table', async (t) => {
  const wrong = writtenAddresses.filter(([entered]) => {
    const [country = '', , , , , , , postalCode = ''] = entered.split('|');
    return postalCode.trim() !== '' && !isPostalCode(country, postalCode);
  });
  t.strictSame(wrong, []);
});

t.test('codes are compared without the country before them, and with it', async (t) => {
  const cases: [country: string, code: string, forms: string[]][] = [
    ['ES', 'ES-35001', ['35001', 'ES35001']],
    ['ES', ' 35001', ['35001']],
    ['AT', 'A-6691', ['6691', 'A6691']],
    ['DE', 'D 78266', ['78266', 'D78266']],
    ['NL', 'nl 1011 ab', ['1011AB', 'NL1011AB']],
    ['LV', 'LV-1010', ['1010', 'LV1010']],
    ['GB', 'BT1 5AB', ['BT15AB']],
    ['AR', 'C1425DKA', ['C1425DKA']],
    ['SZ', 'H100', ['H100']],
    ['DE', '-', []],
  ];
  for (const [country, code, forms] of cases) t.strictSame(postalForms(country, code), forms, `${country} ${code}`);
});

t.test('codes are stored in one form, with the country before them where it is a part of the code', async (t) => {
  const cases: [country: string, printed: string, ...written: string[]][] = [
    ['DE', '80331', 'D-80331', 'DE 80331', ' 80331 ', '８０３３１'],
    ['AT', '1010', 'A-1010', 'AT-1010', '1010'],
    ['CH', '8001', 'CH-8001', '8001'],
    ['FR', '75001', 'F-75001', '75 001', '75001'],
    ['LU', '1234', 'L-1234', 'LU-1234', '1234'],
    ['LV', 'LV-1010', 'LV-1010', 'lv1010', '1010'],
    ['LT', '01100', 'LT-01100', '01100'],
    ['SE', '114 55', 'SE-114 55', 'S-11455', '11455'],
    ['DK', '1050', 'DK-1050', '1050'],
    ['FI', '00100', 'FI-00100', 'FIN-00100', '00100'],
    ['PL', '00-001', 'PL-00-001', '00001'],
    ['AD', 'AD500', '500', 'AD 500'],
    ['AR', 'C1425DKA', 'c1425dka', 'C 1425 DKA'],
    ['GB', 'EC1A 1BB', 'ec1a1bb', 'GB-EC1A 1BB'],
    ['JE', 'JE2 3AB', 'je23ab'],
    ['CA', 'H2Y 1G8', 'h2y-1g8'],
    ['US', '94105-1234', '941051234', '94105 1234'],
    ['US', '94105', '94105'],
    ['JP', '100-0001', '〒１００－０００１', '1000001'],
    ['KR', '03187', '０３１８７'],
    // What is no code stays as it was written.
    ['DE', 'D-8033', 'D-8033'],
    ['GB', 'К1 1AA', 'К1 1AA'],
    ['HK', ' 999 ', ' 999 '],
  ];
  for (const [country, printed, ...written] of cases) {
    for (const code of written) t.equal(printedCode(country, code), printed, `${country} ${code}`);
  }
});

t.test(
  'British codes of Jersey and Guernsey are those of other countries, those of the Isle of Man of both',
  async (t) => {
    const codes = ['JE2 3AB', 'je23ab', 'GY1 1AA', 'IM1 1AA', 'EC1A 1BB', 'JE', 'GY1*'];
    t.strictSame(
      codes.map((code) => otherCountryOfCode('GB', code)),
      ['JE', 'JE', 'GG', null, null, null, null],
    );
    t.equal(otherCountryOfCode('JE', 'JE2 3AB'), null);
  },
);

t.test('a code in another province than the address names its own', async (t) => {
  const cases: [country: string, code: string, province: string, other: string | null][] = [
    ['ES', '28001', 'Barcelona', 'Madrid'],
    ['ES', 'E-28001', 'B', 'Madrid'],
    ['ES', '28001', 'Madrid', null],
    ['ES', '08001', 'Cataluña', null],
    ['ES', '08001', 'Andalucía', 'Barcelona'],
    ['ES', '28001', 'Atlantis', null],
    ['ES', '99999', 'Madrid', null],
    ['US', '94105', 'CA', null],
    ['US', '94105-1234', 'New York', 'California'],
    ['US', '06390', 'NY', null],
    ['CA', 'H2Y 1G8', 'QC', null],
    ['CA', 'h2y1g8', 'Ontario', 'Quebec'],
    ['CA', 'X0A 0H0', 'NU', null],
    ['CA', 'X1A 1A1', 'Nunavut', 'Northwest Territories'],
    ['DE', '10115', 'Bayern', null],
  ];
  for (const [country, code, province, other] of cases) {
    t.equal(otherProvinceOfCode(country, code, province), other, `${country} ${code} ${province}`);
  }
});
