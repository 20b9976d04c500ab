/**
 * Lists: `?limit=&cursor=` to `{ items, nextCursor }`. A cursor holds the position of the last item returned, so that
 * pages neither repeat nor skip rows while others are inserted and deleted.
 */
import { invalidRequest } from './problems.ts';
import { nullable, object, type TProperties, type TSchema, Type } from './schemas.ts';

export const defaultPageSize = 20;
export const maxPageSize = 100;
const exampleCursor = encodeCursor(['newest', '2026-03-01T12:00:00.000Z', '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001']);

/** The query of a list; `filters` adds its filters and sorts. */
export function pageQuery<T extends TProperties = Record<never, never>>(filters: T = {} as T) {
  return object({
    limit: Type.Integer({
      minimum: 1,
      maximum: maxPageSize,
      default: defaultPageSize,
      description: 'Maximum number of items on the page',
    }),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'The `nextCursor` of the previous page',
        examples: [exampleCursor],
      }),
    ),
    ...filters,
  });
}

/** The response of a list. */
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

/**
 * The position where a page ends: the name of the sort, the sort value and id of the last item, and optionally the time
 * at which the first page was read.
 */
export type CursorPosition = [sort: string, value: string | number, id: string, startedAt?: string];

export function encodeCursor(position: CursorPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Builds a page from its rows.
 * @param rows in the order of the list; more than `limit` if there is another page
 * @param positionOf returns the position of the page's last row
 */
export function pageOfRows<Item>(
  rows: readonly Item[],
  limit: number,
  positionOf: (last: Item) => CursorPosition,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}

function parseCursor(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** What a cursor names as its sort. `decodeCursor` checks the cursor. */
export function sortOfCursor(cursor: string): unknown {
  const position = parseCursor(cursor);
  return Array.isArray(position) ? position[0] : undefined;
}

/** @throws invalid_request (400) for a cursor of another list or sort, or an invalid one */
export function decodeCursor(cursor: string, sort: string): CursorPosition {
  const position = parseCursor(cursor);
  if (Array.isArray(position) && position[0] === sort && /^[0-9a-f-]{36}$/.test(String(position[2]))) {
    const { length } = position;
    const isValue = typeof position[1] === 'string' || Number.isSafeInteger(position[1]);
    if (isValue && (length === 3 || (length === 4 && isTime(position[3])))) return position as CursorPosition;
  }
  const detail = 'is not a cursor of this list and sort';
  throw invalidRequest(`cursor ${detail}`, { errors: [{ in: 'query', pointer: '/cursor', detail }] });
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
