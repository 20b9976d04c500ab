/**
 * The countries are exactly those of ISO 3166-1 and Kosovo, and are recognised by their codes and names.
 */
import t from 'tap';
import { requestSchema } from '../../http/input-forms.ts';
import { object, Type } from '../../http/schemas.ts';
import { validate } from '../../http/validation.ts';
import { Country, countryName, isCountry } from '../country.ts';
import { countryCodeOf } from '../names.ts';

t.test('the list holds the 249 countries of ISO 3166-1 and Kosovo, each with a name', async (t) => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry);
  t.equal(codes.length, 250);
  t.strictSame(
    codes.filter((code) => countryName(code) === code),
    [],
  );
  for (const code of ['DE', 'GB', 'CW', 'SS', 'XK']) t.ok(isCountry(code), code);
  for (const code of ['EU', 'UK', 'SU', 'XX', 'de', '']) t.notOk(isCountry(code), code);
  t.equal(countryName('CH'), 'Switzerland');
});

t.test('codes in any case and names in many languages are recognised', async (t) => {
  const cases: [code: string | null, ...texts: string[]][] = [
    ['ES', 'ES', 'es', ' ES ', 'ESP', 'esp', 'Spain', 'SPAIN', 'España', 'Espana', 'Spanien', 'スペイン'],
    ['DE', 'Deutschland', 'Allemagne', 'germany', 'Германия', '276', '２７６', 'BRD'],
    ['US', 'USA', 'U.S.A.', 'United States', 'United States of America', 'Vereinigte Staaten', 'the united states'],
    ['GB', 'UK', 'GBR', 'England', 'Great Britain', 'Scotland', 'United Kingdom'],
    ['NL', 'Holland', 'The Netherlands', 'Pays-Bas'],
    ['CI', "Côte d'Ivoire", 'Côte d’Ivoire', 'Ivory Coast'],
    ['IN', 'India', 'भारत'],
    ['TR', 'Turkey', 'Türkiye'],
    ['GR', 'EL', 'el', 'Greece'],
    ['DE', 'ＤＥ', '\u200eDE', 'D\u200bE', '\u200bGermany'],
    ['XK', 'xk', 'XKX', 'Kosovo', 'Kosova', 'Косово'],
    ['HK', '香港', 'Hongkong', 'Hong Kong'],
    ['MO', '澳門', '澳门', 'Macau'],
    ['TH', 'ประเทศไทย', 'ไทย'],
    ['US', 'アメリカ', 'アメリカ合衆国', 'EE.UU.', 'EE. UU.', 'EEUU', 'ee uu', 'ΗΠΑ', 'США', 'E.U.A.', '美國'],
    [
      'GB',
      'Großbritannien',
      'GROSSBRITANNIEN',
      'Gran Bretaña',
      'Grande-Bretagne',
      'U.K.',
      'U. K.',
      'Англия',
      'イギリス',
    ],
    ['GR', 'Ελλάς', 'Ελλάδα', 'ΕΛΛΑΔΑ', 'Hellas'],
    ['AE', 'UAE', 'U.A.E.', 'ОАЭ'],
    ['RU', 'РФ', 'Россия', 'Russian Federation'],
    ['KR', 'Republic of Korea', 'Korea, Republic of', 'South Korea', '한국'],
    ['KP', "Democratic People's Republic of Korea", 'North Korea'],
    ['AT', 'OESTERREICH', 'Oesterreich', 'Österreich', 'Osterreich'],
    ['ZA', 'Suedafrika'],
    ['TZ', 'United Republic of Tanzania'],
    [null, 'E.U.', 'E U', '36', '1', '000', '1276', 'Nga', 'Nigeri', 'Korea', 'U.', '...'],
    [null, '', ' ', 'XX', 'EU', 'ABCD', 'Atlantis', 'Kongo', 'toString', '__proto__', 'S'.repeat(200)],
  ];
  for (const [code, ...texts] of cases) for (const text of texts) t.equal(countryCodeOf(text), code, text);
});

t.test('every country is recognised by its code and its English name', async (t) => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry);
  t.strictSame(
    codes.filter((code) => countryCodeOf(code.toLowerCase()) !== code || countryCodeOf(countryName(code)) !== code),
    [],
  );
});

t.test(
  'a name in any language of CLDR is that country or refused; names that are codes of others are the codes',
  async (t) => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const pairs = letters.flatMap((first) => letters.map((second) => first + second));
    const languages = Intl.DisplayNames.supportedLocalesOf([
      ...[...pairs, ...pairs.flatMap((pair) => letters.map((letter) => pair + letter))],
      ...['zh-Hant', 'sr-Latn', 'uz-Cyrl', 'pt-PT', 'es-MX', 'fr-CA'],
    ]);
    t.ok(languages.length > 200, 'has the data of many languages');
    const codes = pairs.map((pair) => pair.toUpperCase()).filter(isCountry);
    const wrong = new Set<string>();
    for (const language of languages) {
      for (const style of ['long', 'short'] as const) {
        const display = new Intl.DisplayNames([language], { type: 'region', style, fallback: 'none' });
        for (const code of codes) {
          const name = display.of(code);
          const found = name === undefined ? null : countryCodeOf(name);
          if (found !== null && found !== code) wrong.add(`${name} (${code}) ${found}`);
        }
      }
    }
    const initials = [
      'A.S (US) AS',
      'AS (US) AS',
      'GT (GB) GT',
      'KM (GB) KM',
      'R.U. (GB) RU',
      'RU (GB) RU',
      'SA (US) SA',
    ];
    t.strictSame([...wrong].sort(), [...initials, 'SJ (US) SJ']);
  },
);

t.test('requests take every form, wherever a schema has a country, and responses the code alone', async (t) => {
  const body = object({ country: Country, list: Type.Array(Country), none: Type.Optional(Country) }, { $id: 'Places' });
  const schema = requestSchema(body);
  t.strictSame(validate(schema, { country: 'Spain', list: ['deu', 'FR'] }, 'body'), {
    country: 'ES',
    list: ['DE', 'FR'],
  });
  t.throws(() => validate(schema, { country: 'Atlantis', list: [] }, 'body'), {
    message: 'body /country: must be a country: its code of ISO 3166-1, or its name',
  });
  t.throws(() => validate(body, { country: 'Spain', list: [] }, 'body'), { message: /ISO 3166-1 alpha-2/ });
  t.equal(requestSchema(body), schema, 'a schema is converted once');
  t.equal(requestSchema(schema), schema);
  const other = object({ name: Type.String() });
  t.equal(requestSchema(other), other);
});
