/**
 * Which postal codes a country may have.
 */
import t from 'tap';
import { isPostalCode, postalForms } from '../postal-codes.ts';
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
