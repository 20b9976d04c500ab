/**
 * Addresses as their country writes them: the order of the lines, and the parts in them, from the npm package
 * `localized-address-format`, whose data are those of Google's libaddressinput; and what is in capital letters, from
 * `address-rules.ts`.
 */
import { type Address, formatAddress } from 'localized-address-format';
import { rulesOfAddresses } from './address-rules.ts';
import { countryName } from './country.ts';
import { folded } from './folding.ts';
import { bareCode, printedCode } from './postal-codes.ts';
import { coreName } from './province-words.ts';
import { isProvince, provinceKey, provinceName } from './provinces.ts';

/** The parts of an address; what is not known is null or absent. */
export interface PostalAddress {
  readonly name?: string | null;
  readonly company?: string | null;
  /** Street, house and what else is written in lines of its own. */
  readonly lines: readonly string[];
  readonly city?: string | null;
  readonly province?: string | null;
  readonly postalCode?: string | null;
}

type Script = 'local' | 'latin';
type Part = Exclude<keyof Address, 'addressLines' | 'postalCountry'>;

/** Whether addresses of a country have a part. */
export function hasPart(country: string, script: Script, part: Part): boolean {
  const probe = '\uFFFC';
  return formatAddress({ postalCountry: country, [part]: probe }, script).some((line) => line.includes(probe));
}

const isLatin = (text: string) => !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text);

/** In Latin letters, or in those of the country: as street and town are. */
function scriptOf({ lines, city }: PostalAddress): Script {
  return isLatin([...lines, city ?? ''].join(' ')) ? 'latin' : 'local';
}

/** A province as addresses have it: its code, or its name in place of a code, in the letters of the address. */
function writtenProvince(country: string, script: Script, province: string): string {
  const name = provinceName(country, province, script);
  if (name === null) return province;
  const key = provinceKey(country, province);
  if (rulesOfAddresses[country]?.provinceCodes) return key;
  const isCode = key === province.toUpperCase().replace(`${country}-`, '');
  return isCode || isLatin(name) !== isLatin(province) ? name : province;
}

/** Where the code of the country before a postal code is for mail from abroad only. */
const withoutPrefix = new Set(['CH', 'FI', 'HR', 'LI', 'MC', 'SE', 'SI']);

/** The postal code in the form of its country, without the country before it where the format adds that. */
function writtenCode(country: string, script: Script, postalCode: string): string {
  const probe = '\uFFFC';
  const line = formatAddress({ postalCountry: country, postalCode: probe }, script).find((each) =>
    each.includes(probe),
  );
  const isAdded = /[A-Z]/.test(line?.split(probe)[0] ?? '');
  const printed = printedCode(country, postalCode);
  return isAdded ? bareCode(country, printed) : printed;
}

/** Whether the province is that of the town with its name: Comunidad de Madrid, Cebu of Cebu City. */
function isSame(country: string, city: string, province: string): boolean {
  if (city === '' || province === '') return false;
  if (` ${folded(province)} `.includes(` ${folded(city)} `)) return true;
  if (isProvince(country, city)) return provinceKey(country, city) === provinceKey(country, province);
  return coreName(city)?.core === folded(province);
}

/** Empty lines and what was left between absent parts are removed. */
function trimmed(line: string): string {
  return line
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s,·-]+(?=\S)/, '')
    .replace(/(?<![\s,-])[\s,-]+$/, '');
}

/**
 * The lines of an address without its country.
 * @param country ISO 3166-1 alpha-2
 */
export function postalLines(country: string, address: PostalAddress): string[] {
  const script = scriptOf(address);
  const has = (part: Part) => hasPart(country, script, part);
  const { name, company, lines } = address;
  let city = address.city ?? '';
  let province = address.province ? writtenProvince(country, script, address.province) : '';
  let postalCode = address.postalCode ? writtenCode(country, script, address.postalCode) : '';
  const street = [...lines];
  const rest: string[] = [];
  // Streets in Japan begin with the town, and in countries without towns what is given for one may say more.
  if (!has('locality')) {
    const isCountry = folded(city) === folded(countryName(country));
    if (country === 'JP' && script === 'local') {
      street[0] = `${province}${city}${street[0] ?? ''}`;
      province = '';
    } else if (country === 'JP') street.push([street.pop(), city].filter(Boolean).join(', '));
    else if (has('administrativeArea') && !province) province = city;
    else if (city && !isCountry && folded(city) !== folded(province)) street.push(city);
    city = '';
  } else if (!city && !has('administrativeArea')) {
    city = province;
  }
  // The package knows no format of the country.
  const isUnknown = !has('postalCode') && !has('administrativeArea');
  if (isUnknown && postalCode && has('locality')) {
    city = [city, postalCode].filter(Boolean).join(' ');
    postalCode = '';
  }
  if (isUnknown && province && folded(province) !== folded(city)) rest.push(province);
  if (!has('postalCode') && postalCode) rest.push(postalCode);
  if (!rulesOfAddresses[country]?.provinceCodes && isSame(country, city, province)) province = '';
  // Without a postal code, only the province says which Frankfurt it is.
  const isLeftOut = !isUnknown && !has('administrativeArea') && folded(province) !== folded(city);
  const isNeeded = isLeftOut && province !== '' && city !== '' && postalCode === '';
  if (isNeeded) city = `${city}, ${province}`;
  const capitals = rulesOfAddresses[country]?.capitals ?? '';
  const inCapitals = (letter: string, text: string) => (capitals.includes(letter) ? text.toUpperCase() : text);
  const formatted = formatAddress(
    {
      postalCountry: country,
      name: name ?? '',
      organization: company ?? '',
      addressLines: street,
      locality: inCapitals('C', city),
      administrativeArea: inCapitals('S', province),
      postalCode: inCapitals('Z', postalCode),
    },
    script,
  );
  const written = withoutPrefix.has(country)
    ? formatted.map((line) => (line.endsWith(city) ? line.replace(/^[A-Z]{2}-(?=\d)/, '') : line))
    : formatted;
  return [...written.map(trimmed), ...rest].filter((line) => line !== '');
}
