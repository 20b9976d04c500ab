/**
 * The countries are exactly those of ISO 3166-1.
 */
import t from 'tap';
import { countryName, isCountry } from '../country.ts';

t.test('the list holds the 249 countries of ISO 3166-1, each with a name', async (t) => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry);
  t.equal(codes.length, 249);
  t.strictSame(
    codes.filter((code) => countryName(code) === code),
    [],
  );
  for (const code of ['DE', 'GB', 'CW', 'SS']) t.ok(isCountry(code), code);
  for (const code of ['EU', 'UK', 'SU', 'XX', 'de', '']) t.notOk(isCountry(code), code);
  t.equal(countryName('CH'), 'Switzerland');
});
