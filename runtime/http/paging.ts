/**
 * Lists: `?limit=&cursor=` to `{ items, nextCursor }`. A cursor holds the place of the last item seen,
 * so that a page stays right while rows come and go.
 */
import { invalidRequest } from './problems.ts';
import { nullable, object, type TProperties, type TSchema, Type } from './schemas.ts';

export const defaultPageSize = 20;
export const maxPageSize = 100;
const exampleCursor = encodeCursor(['newest', '2026-03-01T12:00:00.000Z', '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001']);

/** The query of a list; add declared filters and sorts with `filters`. */
export function pageQuery<T extends TProperties = Record<never, never>>(filters: T = {} as T) {
  return object({
    limit: Type.Integer({ minimum: 1, maximum: maxPageSize, default: defaultPageSize }),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'nextCursor of the page before',
        examples: [exampleCursor],
      }),
    ),
    ...filters,
  });
}

/** The answer of a list. */
export function pageOf<T extends TSchema>(item: T, name: string) {
  return object(
    { items: Type.Array(item), nextCursor: nullable(Type.String({ examples: [exampleCursor] })) },
    { $id: name },
  );
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** Where a page ended: the sort's name, the sort value and the id of its last item; when the first page was read. */
export type CursorPlace = [sort: string, value: string | number, id: string, began?: string];

export function encodeCursor(place: CursorPlace): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/**
 * A page of rows that were read for it.
 * @param rows in the order of the list, more than `limit` where there is another page
 * @param placeOf the place that the last row of the page has in the list
 */
export function pageOfRows<Item>(
  rows: readonly Item[],
  limit: number,
  placeOf: (last: Item) => CursorPlace,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(placeOf(last)) : null };
}

/** @throws invalid_request (400) for a cursor that this list did not give, or gave for another sort */
export function decodeCursor(cursor: string, sort: string): CursorPlace {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    // Falls to the refusal below.
  }
  if (Array.isArray(place) && place[0] === sort && /^[0-9a-f-]{36}$/.test(String(place[2]))) {
    const isValue = typeof place[1] === 'string' || Number.isSafeInteger(place[1]);
    if (isValue && (place.length === 3 || (place.length === 4 && isTime(place[3])))) return place as CursorPlace;
  }
  const detail = 'is not a cursor of this list with this sort';
  throw invalidRequest(`cursor ${detail}`, { errors: [{ in: 'query', pointer: '/cursor', detail }] });
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
