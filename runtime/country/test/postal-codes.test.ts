/**
 * Which postal codes a country may have.
 */
import t from 'tap';
import { isPostalCode } from '../postal-codes.ts';
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

t.test('the codes of all addresses of the table', async (t) => {
  const wrong = writtenAddresses.filter(([entered]) => {
    const [country = '', , , , , , , postalCode = ''] = entered.split('|');
    return postalCode.trim() !== '' && !isPostalCode(country, postalCode);
  });
  t.strictSame(wrong, []);
});
