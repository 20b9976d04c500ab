/**
 * Handles: names of resources in URLs, derived from titles.
 */
import anyAscii from 'any-ascii';
import { lockFor } from '../db/lock-for.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { defineInputForms } from '../http/input-forms.ts';
import { defineProblem } from '../http/problems.ts';
import { object, Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';
import { withLatinKana } from './kana.ts';

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for a name with the format of an id. */
export function looksLikeId(name: string): boolean {
  return uuid.test(name);
}

const pattern = '^[a-z0-9]+(-[a-z0-9]+)*$';
const stored = new RegExp(pattern);
const format = defineFormat('handle', 'a handle without the format of an id', (text) => !looksLikeId(text));
const maxLength = 120;

/** A handle as it is stored, from one that may be in another script: as a title in it gives it. Null for other texts. */
export function parseHandle(text: string): string | null {
  const handle = /\P{ASCII}/u.test(text) ? handleFromTitle(text, '') : text;
  return stored.test(handle) && handle.length <= maxLength && !looksLikeId(handle) ? handle : null;
}

const meaning = 'a handle: small letters from a to z, digits and single hyphens';

/** What the text would be as a handle; null if nothing in it can be one. */
function proposedHandle(text: string): string | null {
  const handle = handleFromTitle(text, '');
  return stored.test(handle) && !looksLikeId(handle) ? handle : null;
}

defineInputForms(format, {
  name: 'handle-in-any-script',
  meaning: (text) => `${meaning}, such as \`${proposedHandle(text) ?? 'blue-shirt'}\`, without the format of an id`,
  parse: parseHandle,
  maxLength,
  description: 'Small letters, digits and single hyphens. Letters of other scripts are written in Latin ones',
});

/**
 * Lower-case letters, digits and single hyphens. A handle with the format of an id is invalid, since it would be
 * ambiguous in URLs that accept both.
 */
export const Handle = Type.String({
  pattern,
  format,
  minLength: 1,
  maxLength,
  examples: ['blue-shirt'],
});

/** The parameters of a path that identifies a resource by its handle or its id. */
export function HandleOrId(example: string) {
  const handle = Type.String({ minLength: 1, maxLength: 120, description: 'Handle or id', examples: [example] });
  return object({ handle });
}

/** Defines the problem for a duplicate handle: `collection_handle_taken` (409). */
export function handleTakenBy(noun: string) {
  return defineProblem({ code: `${noun}_handle_taken`, status: 409, title: `Another ${noun} has this handle` });
}

/**
 * Derives a handle of at most 100 characters from a title in any script, as it is written in Latin letters; `fallback` for
 * a title without letters and digits.
 * @param locale of the store (BCP 47): in German, ä is ae
 */
export function handleFromTitle(title: string, fallback: string, locale = ''): string {
  // Composed: Hangul and voiced kana have other transliterations in parts.
  const words = title.normalize('NFKC').replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const german = /^de\b/i.test(locale)
    ? words.replaceAll(/[äöü]/gi, (letter) => umlauts[letter.toLowerCase()] ?? '')
    : words;
  const latin = withLatinKana(german)
    .replaceAll(/\P{ASCII}/gu, latinOf)
    .toLowerCase()
    .replaceAll(/-+/g, '-');
  return truncate(latin.replace(/^-/, '')) || fallback;
}

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** What is written for a letter, a mark or a digit: nothing for marks that Latin letters do not need. */
function latinOf(character: string): string {
  const letters = anyAscii(character).replaceAll(/[^A-Za-z0-9]/g, '');
  // Han characters are words, or nearly so, and one text of dozens of them would be hard to read.
  return /\p{Script=Han}/u.test(character) ? `-${letters}-` : letters;
}

/** The handle of a copy, not yet unique. */
export function handleOfCopy(handle: string): string {
  return `${truncate(handle)}-copy`;
}

/** Truncates a handle so that a number can be appended. */
function truncate(handle: string): string {
  return handle.slice(0, 100).replace(/-+$/, '');
}

/** Handles looked up in one query. */
const batch = 50;

/**
 * Returns the stem, or the stem with the lowest free number from 2 on. Takes a lock until the end of the transaction, so
 * that concurrent calls get different handles.
 * @param table has a column `handle`
 * @param among SQL condition for the rows to consider: `deleted_at is null`
 */
export async function freeHandle(tx: TenantDatabase, table: string, stem: string, among = 'true'): Promise<string> {
  await lockFor(tx, `${table}.handle`);
  for (let first = 1; ; first += batch) {
    const candidates = Array.from({ length: batch }, (_, index) => numbered(stem, first + index));
    const rows = await tx.query<{ handle: string }>(
      `select handle from ${table} where tenant_id = $1 and handle = any($2::text[]) and ${among}`,
      [candidates],
    );
    const used = new Set(rows.map(({ handle }) => handle));
    const free = candidates.find((handle) => !used.has(handle) && !looksLikeId(handle));
    if (free !== undefined) return free;
  }
}

function numbered(stem: string, number: number): string {
  return number === 1 ? stem : `${stem}-${number}`;
}
