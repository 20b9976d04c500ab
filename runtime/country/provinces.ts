/**
 * Provinces: the subdivisions of ISO 3166-2, with what contains them, recognised by their codes and by their names.
 *
 * Names are those of the standard, in English, and in the languages of the country; `scripts/country-data/write.ts` says where
 * they come from. A province is stored and compared as its key: its code without the country, `BY` for `DE-BY`.
 */
import { iso31662 } from 'iso-3166';
import more from './data/provinces.json' with { type: 'json' };
import { cleaned, folded } from './folding.ts';
import { missingProvinces } from './missing-provinces.ts';
import { countryCodeOf } from './names.ts';
import { otherNamesOf } from './other-provinces.ts';
import { coreName, kindsOf } from './province-words.ts';

export interface Province {
  /** ISO 3166-2 */
  readonly code: string;
  /** In a language of the country. */
  readonly name: string;
  /** The code of the province that contains it; null at the top level. */
  readonly parent: string | null;
}

const additions: Readonly<Record<string, { parent?: string; names?: string[] }>> = more;
const collator = new Intl.Collator('en');
let groups: ReadonlyMap<string, readonly Province[]> | null = null;
const sorted = new Map<string, readonly Province[]>();

/** The provinces of a country by name; empty for a country without any. */
export function provincesOf(country: string): readonly Province[] {
  let provinces = sorted.get(country);
  if (provinces === undefined) {
    provinces = unsorted(country)
      .map((province) => ({ ...province, name: usualName(province) }))
      .toSorted((one, other) => collator.compare(one.name, other.name));
    sorted.set(country, provinces);
  }
  return provinces;
}

/** In Japan that of the CLDR, since the standard spells names as few people do: `Fukuoka` for `Hukuoka`. */
function usualName({ code, name }: Province): string {
  const usual = code.startsWith('JP-') ? additions[code]?.names?.find((each) => /^\p{Script=Latin}/u.test(each)) : null;
  return usual ?? name;
}

function unsorted(country: string): readonly Province[] {
  groups ??= Map.groupBy(
    [...iso31662, ...missingProvinces].map(({ code, name, parent }): Province => {
      // The parent of a top-level province is the country.
      return { code, name, parent: additions[code]?.parent ?? (parent.includes('-') ? parent : null) };
    }),
    ({ code }) => code.slice(0, 2),
  );
  return groups.get(country) ?? [];
}

/** The names of a province: that of the standard, the parts of one in several languages, and the others. */
function namesOf({ code, name }: Province): string[] {
  const parts = name.split(/[,/[\]()]/).flatMap((part) => part.trim() || []);
  // Madrid, Comunidad de
  const turned = parts.length === 2 ? [`${parts[1]} ${parts[0]}`] : [];
  // Prague, Hlavní město
  const more = (additions[code]?.names ?? []).flatMap((each) => [each, each.replace(/(?<=\S)\s*[,([].*$/, '')]);
  return [...new Set([name, ...parts, ...turned, ...more, ...otherNamesOf(code.slice(0, 2), code.slice(3))])];
}

/** The folded name with initials as one word: `us virgin islands`. */
const nameKey = (name: string) => folded(name).replaceAll(/(?<=(?:^| )\p{L}) (?=\p{L}(?: |$))/gu, '');

/** The name without a word such as province, if it has one. */
const coreKey = (name: string) => nameKey(coreName(name)?.core ?? name);

const withoutSpaces = (key: string) => key.replaceAll(' ', '');

/** With the letters that stand for an umlaut where there is none: `Thueringen`. */
const withDigraphs = (name: string) =>
  name.normalize('NFC').replaceAll(/[äöü]/gi, (letter) => `${letter.normalize('NFD')[0]}e`);

/** Keys by folded name: several for a name that provinces share. */
type Keys = ReadonlyMap<string, readonly string[]>;

interface Index {
  /** The key of a province with those of all that contain it, the smallest first. */
  lines: ReadonlyMap<string, readonly string[]>;
  /** The key of the only province that a province contains, which is as large. */
  onlyParts: ReadonlyMap<string, string>;
  names: ReadonlyMap<string, readonly string[]>;
  /** By names, of which the earlier win: those of the list of others, those of the standard, and all. */
  exact: readonly Keys[];
  /** By all names without spaces. */
  closed: Keys;
  /** By all names without words such as province. */
  cores: Keys;
  /** What each province is said to be, where a word says so of what may also lie in one. */
  kinds: ReadonlyMap<string, ReadonlySet<string>>;
}

const indexes = new Map<string, Index>();

function indexOf(country: string): Index {
  const index = indexes.get(country) ?? newIndex(country);
  indexes.set(country, index);
  return index;
}

function newIndex(country: string): Index {
  const provinces = new Map(unsorted(country).map((province) => [province.code, province]));
  const keyOf = (code: string) => code.slice(country.length + 1);
  const lineOf = (code: string): string[] => {
    const parent = provinces.get(code)?.parent ?? null;
    return [keyOf(code), ...(parent === null ? [] : lineOf(parent))];
  };
  const lines = new Map([...provinces.keys()].map((code) => [keyOf(code), lineOf(code)]));
  const parts = Map.groupBy(provinces.values(), ({ parent }) => parent);
  const onlyParts = new Map(
    [...parts].flatMap(([parent, [part, ...more]]): [string, string][] =>
      parent === null || part === undefined || more.length > 0 ? [] : [[keyOf(parent), keyOf(part.code)]],
    ),
  );
  const names = new Map([...provinces.values()].map((province) => [keyOf(province.code), namesOf(province)]));
  const all = [...names].flatMap(([key, own]) => own.map((name) => ({ key, name })));
  const official = [...provinces.values()].map(({ code, name }) => ({ key: keyOf(code), name }));
  const preferred = [...names.keys()].flatMap((key) => otherNamesOf(country, key).map((name) => ({ key, name })));
  const spelled = all.flatMap(({ key, name }) => [name, withDigraphs(name)].map((each) => ({ key, name: each })));
  const by = (form: (name: string) => string, entries: typeof all) =>
    keysByName(
      entries.map(({ key, name }) => [form(name), key]),
      lines,
    );
  return {
    ...{ lines, onlyParts, names },
    exact: [preferred, official, spelled].map((entries) => by(nameKey, entries)),
    closed: by((name) => withoutSpaces(nameKey(name)), spelled),
    cores: by(coreKey, all),
    kinds: new Map([...names].map(([key, own]) => [key, kindsOf(`${country}-${key}`, own)])),
  };
}

/**
 * Of provinces that contain each other, a name that they share (Madrid) is that of the smallest, which is in the others.
 */
function keysByName(entries: readonly [name: string, key: string][], lines: Index['lines']): Keys {
  const named = Map.groupBy(entries, ([name]) => name);
  named.delete('');
  return new Map(
    [...named].map(([name, group]) => {
      const keys = [...new Set(group.map(([, key]) => key))];
      const smallest = keys.find((key) => keys.every((other) => lines.get(key)?.includes(other)));
      return [name, smallest === undefined ? keys : [smallest]];
    }),
  );
}

/** The form in which a text that is no known province is stored and compared. */
const writtenKey = (province: string) => cleaned(province).normalize('NFC').toUpperCase();

/** That of earlier releases. */
const formerKey = (province: string) => province.normalize('NFC').trim().toUpperCase();

/** The keys of the provinces that a text may mean: none if it is not known, several for a shared name. */
function meantKeys(country: string, province: string): readonly string[] {
  const text = cleaned(province);
  const whole = namedKeys(country, text);
  return whole.length > 0 ? whole : keysOfParts(country, text);
}

/** The keys of the provinces of a code or a name. Codes come first. */
function namedKeys(country: string, province: string): readonly string[] {
  const { lines, exact, closed } = indexOf(country);
  const written = writtenKey(province);
  const prefix = `${country}-`;
  const code = written.startsWith(prefix) && written.length > prefix.length ? written.slice(prefix.length) : written;
  // D.C.; 1 in Japan
  const codes = [code, code.replaceAll('.', ''), /^\d$/.test(code) ? `0${code}` : code];
  const found = codes.find((each) => lines.has(each));
  if (found !== undefined) return [found];
  const name = nameKey(province);
  return (
    exact.find((names) => names.has(name))?.get(name) ??
    closed.get(withoutSpaces(name)) ??
    keysOfCore(country, province)
  );
}

/** A town that has the name of a province may lie in another: only of provinces that are towns, the word is dropped. */
function keysOfCore(country: string, province: string): readonly string[] {
  const { cores, kinds } = indexOf(country);
  const dropped = coreName(province)?.kinds ?? [];
  const keys = cores.get(coreKey(province)) ?? [];
  return keys.filter((key) => dropped.every((kind) => kinds.get(key)?.has(kind)));
}

/** The longest text that may be a name beside a code or a country. */
const maxParts = 100;

/** What is before and after each mark that divides a code from a name, or a name from the country. */
function* partsOf(text: string): Iterable<[one: string, other: string]> {
  const [, name, inside] = /^([^()]+)\(([^()]+)\)$/.exec(text) ?? [];
  if (name !== undefined && inside !== undefined) yield [name, inside];
  for (const { index } of text.matchAll(/[-,/|–—]/g)) yield [text.slice(0, index), text.slice(index + 1)];
}

/** The provinces of `Québec (QC)`, `QC - Québec` and `California, USA`: those that both parts mean. */
function keysOfParts(country: string, text: string): readonly string[] {
  if (text.length > maxParts) return [];
  for (const [one, other] of partsOf(text)) {
    if ([one, other].some((part) => part.trim() === '')) continue;
    const [keys, others] = [namedKeys(country, one), namedKeys(country, other)];
    const both = keys.filter((key) => others.includes(key));
    if (both.length > 0) return both;
    if (keys.length > 0 && countryCodeOf(other) === country) return keys;
  }
  return [];
}

/**
 * The form in which provinces are stored and compared: in Canada, `qc`, `CA-QC` and `Québec` are `QC`, in Japan `Fukuoka`
 * and `福岡県` are `40`. Anything else is compared as it is written.
 * @param country ISO 3166-1 alpha-2; undefined if unknown
 */
export function provinceKey(country: string | undefined, province: string): string {
  const written = writtenKey(province);
  if (country === undefined) return written;
  const prefix = `${country}-`;
  const [known, ...others] = meantKeys(country, province);
  if (known !== undefined && others.length === 0) return known;
  return written.startsWith(prefix) && written.length > prefix.length ? written.slice(prefix.length) : written;
}

/** The keys of the provinces of this code or name: several for a shared name. */
export function provincesMeant(country: string, province: string): readonly string[] {
  return meantKeys(country, province);
}

/** All names of the provinces of a country, by their keys. */
export function provinceNames(country: string): ReadonlyMap<string, readonly string[]> {
  return indexOf(country).names;
}

/** Whether a country has a province of this code or name, or several of this name. */
export function isProvince(country: string, province: string): boolean {
  return meantKeys(country, province).length > 0;
}

/** The key of a province, or of the only one in it: `M` for the community `MD`. */
function smallestKey({ onlyParts }: Index, key: string): string {
  let smallest = key;
  for (let part = onlyParts.get(key); part !== undefined; part = onlyParts.get(part)) smallest = part;
  return smallest;
}

/**
 * The keys of a province and of all provinces that contain it, the smallest first. One that contains a single province is
 * that province: the line of `MD` in Spain is that of `M`.
 */
export function provinceLine(country: string, province: string): readonly string[] {
  const key = provinceKey(country, province);
  const index = indexOf(country);
  return index.lines.get(smallestKey(index, key)) ?? [key];
}

/** The keys of which the text may mean one, without deciding which: those in a province, and those of a shared name. */
function undecidedKeys(country: string, province: string): readonly string[] {
  const index = indexOf(country);
  const meant = meantKeys(country, province).map((key) => smallestKey(index, key));
  const shared = meant.length > 1 ? meant.flatMap((key) => index.lines.get(key) ?? []) : [];
  const inside = [...index.lines].flatMap(([key, [, ...above]]) =>
    meant.some((each) => above.includes(each)) ? key : [],
  );
  return [...new Set([...shared, ...inside])];
}

/**
 * Whether something that is stored for `stored` may hold for an address in the province, and the province does not say:
 * it contains that of `stored`, or several have its name.
 */
export function isUndecided(country: string, province: string, stored: string): boolean {
  return undecidedKeys(country, province).includes(provinceKey(country, stored));
}

/**
 * All values under which something may be stored for a province, for one that contains it or for one in it: their keys, and
 * their names, which earlier releases did not recognise and stored as they were written.
 */
export function storedProvinces(country: string, province: string): string[] {
  const { names } = indexOf(country);
  const keys = [...provinceLine(country, province), ...undecidedKeys(country, province)];
  const spelled = keys.flatMap((key) => [key, ...(names.get(key) ?? []).map(formerKey)]);
  return [...new Set([...spelled, writtenKey(province), formerKey(province)])];
}

/**
 * Where in the line of a province something holds that is stored for `stored`: 0 for the province itself, more for one that
 * contains it; -1 for another.
 */
export function levelOf(country: string, line: readonly string[], stored: string): number {
  return line.indexOf(provinceKey(country, stored));
}

/**
 * The name of a province in Latin letters or in those of the country; null for an unknown province. Where names are written
 * in other letters, that in Latin ones is the English name.
 */
export function provinceName(country: string, province: string, script: 'local' | 'latin'): string | null {
  const [key, ...others] = meantKeys(country, province);
  if (key === undefined || others.length > 0) return null;
  const names = indexOf(country).names.get(key) ?? [];
  const isLatin = (name: string) => /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+$/u.test(name);
  const local = names.find((name) => !isLatin(name));
  if (local !== undefined && script === 'local') return local;
  const english = additions[`${country}-${key}`]?.names?.find(isLatin);
  const [official = ''] = names;
  // Madrid, Comunidad de
  const [, first, second] = /^([^,]+), ([^,]+)$/.exec(official) ?? [];
  const own = second === undefined ? official : `${second} ${first}`;
  return local === undefined ? own : (english ?? own);
}
