/**
 * Addresses are written as their country writes them, and need what it has.
 */
import t from 'tap';
import { hasPostalCodes, needsCity } from '../address-needs.ts';
import { isCountry } from '../country.ts';
import { postalLines } from '../postal-lines.ts';
import { writtenAddresses } from './written-addresses.ts';

/** An address of the table. */
function addressOf(entered: string) {
  const [country = '', name, company, line1, line2, city, province, postalCode] = entered
    .split('|')
    .map((part) => part.trim());
  const lines = [line1, line2].flatMap((line) => line || []);
  return { country, address: { name, company, lines, city, province, postalCode } };
}

t.test('more than 100 addresses of more than 40 countries', async (t) => {
  t.ok(writtenAddresses.length >= 100);
  t.ok(new Set(writtenAddresses.map(([entered]) => addressOf(entered).country)).size >= 40);
  for (const [entered, lines] of writtenAddresses) {
    const { country, address } = addressOf(entered);
    t.equal(postalLines(country, address).join(' / '), lines, entered);
  }
});

t.test('nothing that was entered is lost, but for what the country does not write', async (t) => {
  for (const [entered] of writtenAddresses) {
    const { country, address } = addressOf(entered);
    const written = postalLines(country, address).join(' ').toLowerCase();
    const { name, company, lines, postalCode } = address;
    for (const part of [name, company, ...lines, postalCode?.replace(/^(CH|FI)-/, '')]) {
      if (part) t.ok(written.includes(part.toLowerCase()), `${entered}: ${part}`);
    }
  }
});

t.test('every country writes a name, a street and a town', async (t) => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const countries = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry);
  const lost = countries.filter((country) => {
    const address = { name: 'Ada', company: 'Acme', lines: ['Way 1', 'Floor 2'], city: 'Oldtown', postalCode: '12345' };
    const lines = postalLines(country, address).join(' ').toLowerCase();
    // 123 45 in Sweden
    const written = lines.replaceAll(/(?<=\d)[ -](?=\d)/g, '');
    return !['ada', 'acme', 'way 1', 'floor 2', 'oldtown', '12345'].every((part) => written.includes(part));
  });
  t.strictSame(lost, []);
  const blank = countries.filter((country) =>
    postalLines(country, { lines: ['Way 1'] }).some((line) => !/[\p{L}\p{N}]/u.test(line)),
  );
  t.strictSame(blank, [], 'lines of punctuation');
});

t.test('what an address needs', async (t) => {
  for (const country of ['SG', 'VA', 'MC', 'GI', 'HK', 'NR', 'AE', 'MO', 'SM']) t.notOk(needsCity(country), country);
  for (const country of ['DE', 'US', 'FR', 'XK', 'GH', 'IN', 'LU']) t.ok(needsCity(country), country);
  for (const country of ['HK', 'AE', 'AG', 'AO', 'BS', 'QA', 'MO', 'UG', 'ZW'])
    t.notOk(hasPostalCodes(country), country);
  for (const country of ['DE', 'US', 'IE', 'SG', 'XK', 'VA', 'IN', 'BR']) t.ok(hasPostalCodes(country), country);
});

t.test('where the post has no province, it tells towns of one name apart if no postal code does', async (t) => {
  const lines = (country: string, city: string, province: string, postalCode: string | null = null) =>
    postalLines(country, { lines: ['1 Way'], city, province, postalCode });
  t.strictSame(lines('DE', 'Frankfurt', 'Brandenburg'), ['1 Way', 'Frankfurt, Brandenburg']);
  t.strictSame(lines('DE', 'Frankfurt', 'BB'), ['1 Way', 'Frankfurt, Brandenburg']);
  t.strictSame(lines('DE', 'Frankfurt', 'Brandenburg', '15230'), ['1 Way', '15230 Frankfurt']);
  t.strictSame(lines('DE', 'Berlin', 'Berlin'), ['1 Way', 'Berlin']);
  t.strictSame(lines('DE', 'Berlin', ''), ['1 Way', 'Berlin']);
  t.strictSame(lines('US', 'Springfield', 'IL'), ['1 Way', 'Springfield, IL']);
});

t.test('postal codes are printed in the form of their country, with its prefix once', async (t) => {
  const cases: [country: string, line: string, ...codes: string[]][] = [
    ['LU', 'L-1111 Town', 'L1111', 'L 1111', 'L-1111', '1111', 'LU-1111', 'lu1111'],
    ['MD', 'MD-2001 Town', 'MD2001', 'MD-2001', 'MD 2001', '2001'],
    ['AZ', 'AZ 1000 Town', 'AZ1000', 'AZ 1000', 'AZ-1000', '1000'],
    ['LT', 'LT-10309 Town', 'LT10309', 'LT-10309', '10309'],
    ['SE', '111 22 Town', 'SE11122', 'SE-111 22', '11122', '111 22', 'S-11122'],
    ['FI', '00100 Town', 'FI00100', 'FI-00100', '00100'],
    ['AX', 'AX-22100 Town / ÅLAND', 'AX22100', 'AX-22100', '22100', 'FI22100'],
    ['GB', 'TOWN / SW1A 2AA', 'SW1A2AA', 'sw1a 2aa', 'GB-SW1A2AA', 'ＳＷ１Ａ２ＡＡ'],
    ['JE', 'TOWN / JERSEY / JE2 3AB', 'je23ab', 'JE2 3AB'],
    ['CA', 'Town H2X 1Y4', 'h2x1y4', 'H2X-1Y4', 'H2X 1Y4'],
    ['NL', '1012 AB Town', '1012ab', '1012 AB', 'NL-1012AB'],
    ['IE', 'Town / D02 AF30', 'd02af30', 'D02 AF30'],
    ['PL', '31-146 Town', '31146', '31-146'],
    ['PT', '1100-048 Town', '1100048', '1100-048'],
    ['CZ', '110 00 Town', '11000', '110 00'],
    ['BR', 'TOWN / 01310-100', '01310100', '01310-100'],
    ['US', 'Town 94105-1234', '941051234', '94105-1234', '94105 1234'],
    ['US', 'Town 94105', '94105'],
    // As they are written, where the form is not known, or it is no code of the country.
    ['GB', 'TOWN / 12345X', '12345X'],
    ['DE', '10115 Town', '10115', ' 10115 '],
    ['IN', 'Town 560038', '560 038', '560038'],
    ['NL', 'ABC Town', 'ABC'],
  ];
  for (const [country, line, ...codes] of cases) {
    for (const postalCode of codes) {
      const [, ...written] = postalLines(country, { lines: ['Way 1'], city: 'Town', postalCode });
      t.equal(written.join(' / '), line, `${country} ${postalCode}`);
    }
  }
});

t.test('an address of punctuation is written soon', async (t) => {
  const [line = ''] = postalLines('DE', { lines: [`${', '.repeat(500_000)}Way 1`] });
  t.equal(line.trim(), 'Way 1');
});
