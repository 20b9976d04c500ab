/**
 * Paths of redirects in one form, so that each address has one redirect and loops are found.
 */
import { isCampaignParameter, isOnlyCampaignParameter } from '@carton/runtime';

/** The length of a path in this form, so that it fits into an index. */
export const maximumPath = 1000;

/** What browsers drop or take for a slash: `/\evil.example` leads to another host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects control characters.
const misleading = /[\u0000-\u001f\u007f\\]/;
/** A host that no path contains. */
const base = 'https://store.invalid';

/** What a redirect leads from. */
export interface Address {
  /** In the form in which paths are compared. */
  path: string;
  /** With the query in the form in which queries are compared; the path alone if there is none. */
  address: string;
  /**
   * The addresses whose redirect is its own, in the order in which they count: with its complete query, with fewer and
   * fewer of its parameters, and the path alone, which is for all queries.
   */
  found: readonly string[];
}

export interface ParsedPath extends Address {
  /** The fragment, with `#`; empty if there is none. */
  fragment: string;
  /** Query and fragment, with `?` and `#`; empty if there are none. */
  suffix: string;
}

/**
 * A path with single slashes, without `.` and `..`, without a slash at its end, and with what must be percent-encoded in
 * UTF-8 and capital letters. Null for text that is not an absolute path, and for one that would lead to another host.
 */
export function parsePath(text: string): ParsedPath | null {
  if (!text.startsWith('/') || text.startsWith('//') || misleading.test(text)) return null;
  const url = URL.parse(text.normalize('NFC'), base);
  if (url?.origin !== base) return null;
  const encoded = url.pathname.replaceAll(/(%[0-9a-f]{2})+/gi, normalizeEscapes);
  // Once more, since dots may have been encoded.
  const resolved = URL.parse(encoded.replaceAll(/\/{2,}/g, '/'), base);
  const path = resolved?.pathname.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '') ?? '';
  if (path === '' || path.length > maximumPath || resolved?.origin !== base) return null;
  const parameters = parametersOf(url.search);
  const addressWith = (kept: readonly Parameter[]) =>
    kept.length === 0 ? path : `${path}?${kept.map(({ text }) => text).join('&')}`;
  const own = parameters.filter(({ name }) => !isOnlyCampaignParameter(name));
  const found = [parameters, ...partsOf(own)].map(addressWith);
  return {
    path,
    address: addressWith(own),
    found: [...new Set(found)],
    fragment: url.hash,
    suffix: url.search + url.hash,
  };
}

interface Parameter {
  name: string;
  /** Name and value. */
  text: string;
}

/**
 * The parameters that pages of other systems differ in (`/index.php?id=5`), in the order of their names and with what needs
 * it percent-encoded. Browsers send `a b` as `a+b` or `a%20b`.
 */
function parametersOf(search: string): Parameter[] {
  return search
    .slice(1)
    .split('&')
    .map((each) => each.split(/=(.*)/s, 2).map(normalizePart))
    .map(([name = '', value = '']) => ({ name, text: value === '' ? name : `${name}=${value}` }))
    .filter(({ name }) => name !== '')
    .toSorted((one, other) => (one.text < other.text ? -1 : 1));
}

/** Of more parameters, only the first count one by one: all parts of eight are 256 addresses, which one statement finds. */
const maximumParameters = 8;

/** All, and each part of them: those with more parameters first, of as many the longer ones, and none at the end. */
function partsOf(parameters: readonly Parameter[]): Parameter[][] {
  // What campaigns may append tells pages apart less often than the rest.
  const mayBeMark = ({ name }: Parameter) => Number(isCampaignParameter(name));
  const counted = new Set(
    parameters.toSorted((one, other) => mayBeMark(one) - mayBeMark(other)).slice(0, maximumParameters),
  );
  const parts = parameters
    .filter((parameter) => counted.has(parameter))
    .reduce<Parameter[][]>((all, parameter) => all.flatMap((part) => [part, [...part, parameter]]), [[]]);
  const lengthOf = (part: Parameter[]) => part.reduce((sum, { text }) => sum + text.length, 0);
  const isMarked = (part: Parameter[]) => part.reduce((sum, parameter) => sum + mayBeMark(parameter), 0);
  const ordered = parts.toSorted(
    (one, other) => other.length - one.length || isMarked(one) - isMarked(other) || lengthOf(other) - lengthOf(one),
  );
  return [[...parameters], ...ordered];
}

function normalizePart(text: string): string {
  const escaped = text.replaceAll('+', '%20');
  try {
    // Left as they are, since they need no encoding in a query, and addresses are easier to read so.
    return encodeURIComponent(decodeURIComponent(escaped).normalize('NFC')).replaceAll(
      /%(?:2F|3A|2C|40)/g,
      decodeURIComponent,
    );
  } catch {
    return escaped.replaceAll(/%[0-9a-f]{2}/gi, (each) => each.toUpperCase());
  }
}

/** Encodes what needs it, and nothing else. Bytes that are not UTF-8 stay encoded. */
function normalizeEscapes(escapes: string): string {
  try {
    return [...decodeURIComponent(escapes).normalize('NFC')].map(encodeURIComponent).join('');
  } catch {
    return escapes.toUpperCase();
  }
}
