/**
 * Handles: names in addresses, made from titles.
 */
import { lockFor } from '../db/lock-for.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { defineProblem } from '../http/problems.ts';
import { object, Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for what reads as an id. */
export function looksLikeId(name: string): boolean {
  return uuid.test(name);
}

/** Lower case letters, digits and single hyphens. One that reads as an id would name two things in one address. */
export const Handle = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  format: defineFormat('handle', 'a handle; one that looks like an id is none', (text) => !looksLikeId(text)),
  minLength: 1,
  maxLength: 120,
  examples: ['blue-shirt'],
});

/** The parameters of a path that names one by its handle or its id. */
export function HandleOrId(example: string) {
  const handle = Type.String({ minLength: 1, maxLength: 120, description: 'Handle or id', examples: [example] });
  return object({ handle });
}

/** What a handle that is in use is refused with: `collection_handle_taken` (409). */
export function handleTakenBy(noun: string) {
  return defineProblem({ code: `${noun}_handle_taken`, status: 409, title: `Another ${noun} has this handle` });
}

/** A title in the letters of a handle, at most 100 of them; `otherwise` for a title without any. */
export function handleFromTitle(title: string, otherwise: string): string {
  const letters = title.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  return shortened(letters.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-/, '')) || otherwise;
}

/** The handle of a copy, before it is made unique. */
export function handleOfCopy(handle: string): string {
  return `${shortened(handle)}-copy`;
}

/** Cut so that a number still fits behind it. */
function shortened(handle: string): string {
  return handle.slice(0, 100).replace(/-+$/, '');
}

/** So many handles are looked up at once. */
const batch = 50;

/**
 * The stem, or the stem with the lowest number from 2 on that is not taken. Whoever asks next waits until the
 * transaction ends: two made from one title at once get different handles.
 * @param table has a column `handle`
 * @param among which of its rows count: `deleted_at is null`
 */
export async function freeHandle(tx: TenantDatabase, table: string, stem: string, among = 'true'): Promise<string> {
  await lockFor(tx, `${table}.handle`);
  for (let first = 1; ; first += batch) {
    const candidates = Array.from({ length: batch }, (_, index) => numbered(stem, first + index));
    const rows = await tx.query<{ handle: string }>(
      `select handle from ${table} where tenant_id = $1 and handle = any($2::text[]) and ${among}`,
      [candidates],
    );
    const taken = new Set(rows.map(({ handle }) => handle));
    const free = candidates.find((handle) => !taken.has(handle) && !looksLikeId(handle));
    if (free !== undefined) return free;
  }
}

function numbered(stem: string, number: number): string {
  return number === 1 ? stem : `${stem}-${number}`;
}
