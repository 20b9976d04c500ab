/**
 * Each source of names of provinces has a name at the same code, and the usual spellings are among them.
 */
import { iso31662 } from 'iso-3166';
import t from 'tap';
import data from '../data/provinces.json' with { type: 'json' };
import { folded } from '../folding.ts';
import { likeness } from '../likeness.ts';
import { isProvince, provinceLine, provincesOf } from '../provinces.ts';

const additions: Readonly<Record<string, { parent?: string; names?: string[] }>> = data;
const countries = Map.groupBy(iso31662, ({ code }) => code.slice(0, 2));

t.test('usual spellings in the languages of the country', async (t) => {
  const cases: [country: string, line: string, ...texts: string[]][] = [
    ['IR', '10', 'Isfahan', 'اصفهان', 'استان اصفهان', 'Eşfahān'],
    ['IR', '23', 'Tehran', 'تهران', 'Tehrān', '23'],
    ['IR', '03', 'East Azerbaijan', 'آذربایجان شرقی'],
    ['IR', '25', 'Qom', 'قم'],
    ['IR', '02', 'Mazandaran', 'مازندران'],
    ['IR', '07', 'Fars', 'فارس'],
    ['IR', '08', 'Kerman', 'کرمان', 'كرمان'],
    ['IR', '09', 'Razavi Khorasan', 'خراسان رضوی'],
    ['IR', '30', 'Alborz', 'البرز'],
    ['IR', '28', 'North Khorasan'],
    ['KZ', '75', 'Almaty', 'Алматы', 'ALA'],
    ['KZ', '19', 'Almaty Region', 'Алматы облысы'],
    ['KZ', '11', 'Akmola', 'AKM'],
    ['MA', '02', 'Oriental'],
    ['GR', 'M', 'Κρήτη', 'ΚΡΗΤΗ', 'Kriti', 'Crete'],
    ['GR', 'J', 'Πελοπόννησος', 'ΠΕΛΟΠΟΝΝΗΣΟΣ', 'Peloponnese'],
    ['GR', 'H', 'Στερεά Ελλάδα'],
    ['GR', 'L', 'Νότιο Αιγαίο'],
    ['GR', 'D', 'Ήπειρος'],
    ['AE', 'AZ', 'أبو ظبي', 'ابوظبي', 'Abu Dhabi'],
    ['SA', '04', 'الشرقية', 'المنطقة الشرقية'],
    ['SA', '03', 'المدينة', 'المدينة المنورة'],
    ['PL', '14', 'woj. mazowieckie', 'województwo mazowieckie'],
    ['CN', 'GD', '廣東', '广东', '廣東省'],
    ['CN', 'CQ', '重慶', '重庆市'],
    ['GE', 'AJ', 'აჭარა'],
    ['ES', 'PV', 'Euskadi'],
    ['ES', 'NA NC', 'Nafarroa', 'Navarra'],
    ['JP', '40', 'Hukuoka', 'Fukuoka'],
  ];
  for (const [country, line, ...texts] of cases) {
    for (const text of texts) {
      t.ok(isProvince(country, text), `${country} ${text}`);
      t.equal(provinceLine(country, text).join(' '), line, `${country} ${text}`);
    }
  }
});

t.test('prefectures of Japan are known without what they are, and by their usual names', async (t) => {
  for (const { code } of provincesOf('JP')) {
    const written = additions[code]?.names?.find((name) => /[県府都]$/u.test(name));
    if (written === undefined) continue;
    for (const name of [written, written.slice(0, -1)]) t.equal(`JP-${provinceLine('JP', name)[0]}`, code, name);
  }
  const names = new Map(provincesOf('JP').map(({ code, name }) => [code, name]));
  t.strictSame(
    ['JP-40', 'JP-12', 'JP-07', 'JP-02'].map((code) => names.get(code)),
    ['Fukuoka', 'Chiba', 'Fukushima', 'Aomori'],
  );
});

/** The parts of a name that may be the same in another source. */
const partsOf = (name: string) =>
  [name, ...name.split(/[,/[\]()]/)].map((part) => folded(part)).filter((part) => part !== '');

/** How alike the names of two sources are; one that contains the other is the same. */
const nearness = (one: string, other: string) =>
  Math.max(
    0,
    ...partsOf(one).flatMap((each) =>
      partsOf(other).map((more) => (each.includes(more) || more.includes(each) ? 1 : likeness(each, more))),
    ),
  );

t.test('no source has the names of a country at the codes of others', async (t) => {
  const latin = (code: string) => (additions[code]?.names ?? []).filter((each) => /\p{Script=Latin}{3}/u.test(each));
  // Of Samtskhe and Samegrelo, say, one name resembles both; a province without its own name has lost it to another code.
  const isLost = ({ code, name }: { code: string; name: string }) =>
    latin(code).length > 0 && latin(code).every((each) => nearness(name, each) < 0.5);
  const wrong = [...countries].flatMap(([, provinces]) => {
    const lost = provinces.filter(isLost);
    return lost.flatMap(({ code, name }) =>
      latin(code).flatMap((each) => {
        const other = lost.find((province) => province.code !== code && nearness(province.name, each) > 0.8);
        return other ? [`${code} ${name}: ${each} is ${other.code} ${other.name}`] : [];
      }),
    );
  });
  // Provinces beside one of nearly the same name, such as a county and its town.
  const beside = 'CD-HL GB-NLN GB-NYK GB-SGC LT-AL LT-KL LT-KU LT-PN LT-SA LT-TE LT-UT MK-304'.split(' ');
  t.strictSame(
    wrong.filter((each) => !beside.some((code) => each.startsWith(`${code} `))),
    [],
  );
});

t.test('no name leads to two provinces that do not share it in the standard', async (t) => {
  const shared = [...countries].flatMap(([country, group]) => {
    const entries = group.flatMap(({ code }) => (additions[code]?.names ?? []).map((name) => [folded(name), code]));
    const codes = [...Map.groupBy(entries, ([name]) => name)].map(
      ([name, each]) => [name, [...new Set(each.map(([, code = '']) => code))]] as const,
    );
    return codes.flatMap(([name, [one = '', ...others]]) => {
      const lineOf = (code: string) => provinceLine(country, code).map((key) => `${country}-${key}`);
      const isOther = others.some((other) => !lineOf(one).includes(other) && !lineOf(other).includes(one));
      return isOther ? [`${country} ${name}: ${[one, ...others].join(' ')}`] : [];
    });
  });
  // Places that share a name, or that another language of the country spells alike.
  t.strictSame(
    shared.map((each) => each.slice(0, 2)),
    ['CN', 'SC', 'TW', 'TW', 'YE'],
  );
});
