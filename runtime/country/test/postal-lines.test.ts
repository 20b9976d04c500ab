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
    const written = postalLines(country, address).join(' ').toLowerCase();
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

t.test('an address of punctuation is written soon', async (t) => {
  const [line = ''] = postalLines('DE', { lines: [`${', '.repeat(500_000)}Way 1`] });
  t.equal(line.trim(), 'Way 1');
});
