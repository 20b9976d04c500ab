/**
 * The conditions of the filters of the list of orders, and the orders that meet them: among some, or among all in parts.
 */
import { type IntegrationPage, type TenantDatabase, tagKeysOf } from '@carton/runtime';
import { type Condition, hasStatus, type OrderRow, orders } from '../store.ts';
import type { AdminOrderQuery } from './schemas.ts';
import { beginsWith } from './words-store.ts';

export type Filters = Omit<AdminOrderQuery, 'limit' | 'cursor' | 'updatedAfter' | 'externalId'>;

/** A place in a list that is ordered newest first. */
export interface Position {
  createdAt: string;
  id: string;
}

/** True when all of them hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  const sql = conditions.map((condition) => condition.sql).join(' and ') || 'true';
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

/** Runs a statement whose placeholders are `?`; the tenant is `$1`. */
export function run<Row extends object>(db: TenantDatabase, { sql, values }: Condition): Promise<Row[]> {
  let count = 1;
  return db.query<Row>(
    sql.replaceAll('?', () => `$${++count}`),
    [...values],
  );
}

/** The conditions of the period and the position, on columns of a table. */
export function within(
  { placedFrom, placedTo }: Filters,
  after: Position | null,
  table: string,
  id: string,
): Condition {
  const conditions: Condition[] = [];
  if (placedFrom !== undefined) {
    conditions.push({ sql: `${table}.created_at >= ?::timestamptz`, values: [placedFrom] });
  }
  if (placedTo !== undefined) conditions.push({ sql: `${table}.created_at < ?::timestamptz`, values: [placedTo] });
  if (after) {
    const place = `(${table}.created_at, ${table}.${id})`;
    conditions.push({ sql: `${place} < (?::timestamptz, ?::uuid)`, values: [after.createdAt, after.id] });
  }
  return allOf(conditions);
}

const conditionTexts: Readonly<Partial<Record<keyof Filters, string>>> = {
  paymentStatus: 'orders.payment_status = ?',
  fulfillmentStatus: 'orders.fulfillment_status = ?',
  archived: 'orders.archived = ?',
  number: 'orders.number = ?',
  email: 'orders.email_key = lower(?)',
  memberId: 'orders.member_id = ?::uuid',
  placedFrom: 'orders.created_at >= ?::timestamptz',
  placedTo: 'orders.created_at < ?::timestamptz',
  currency: 'orders.currency = ?',
  totalMin: 'orders.total_amount >= ?::bigint',
  totalMax: 'orders.total_amount <= ?::bigint',
  // A subquery with a limit is evaluated order by order.
  tag: `(select true from order_tags
          where order_tags.tenant_id = orders.tenant_id and order_tags.order_id = orders.id
            and order_tags.tag_key = any(?::text[]) limit 1)`,
  q: `(select true from order_words
        where order_words.tenant_id = orders.tenant_id and order_words.order_id = orders.id and ${beginsWith} limit 1)`,
};

export const filterNames = ['status', ...Object.keys(conditionTexts)] as (keyof Filters)[];

/** The conditions of these filters, all by default; the expensive ones come last. */
function conditionsOf(filters: Filters, names: readonly (keyof Filters)[] = filterNames): Condition[] {
  return names.flatMap((name) => {
    if (name === 'status') return filters.status === undefined ? [] : hasStatus(filters.status);
    const value = filters[name];
    const sql = conditionTexts[name];
    if (value === undefined || sql === undefined) return [];
    return { sql, values: name === 'q' ? [value, value] : [name === 'tag' ? tagKeysOf(String(value)) : value] };
  });
}

/** A page of the orders that match the filters; with `ids`, of these orders only. */
export function pageOfMatches(
  db: TenantDatabase,
  page: Pick<AdminOrderQuery, 'limit' | 'cursor' | 'externalId'>,
  filters: Filters,
  ids?: readonly string[],
): Promise<IntegrationPage<OrderRow>> {
  const conditions = conditionsOf(filters);
  if (ids) conditions.push({ sql: 'orders.id = any(?::uuid[])', values: [ids] });
  return orders.page(db, { ...page, meets: allOf(conditions) });
}

/** The first of these orders that match the filters with these names, in their order. @param count how many at most */
export async function matchesAmong(
  db: TenantDatabase,
  ids: readonly string[],
  { filters, names, count }: { filters: Filters; names: readonly (keyof Filters)[]; count: number },
): Promise<string[]> {
  if (names.length === 0 || ids.length === 0) return ids.slice(0, count);
  const { sql, values } = allOf(conditionsOf(filters, names));
  // A subquery with an offset is evaluated order by order, until there are enough.
  const order = names.every((name) => name === 'tag' || name === 'q')
    ? '(select $1::uuid as tenant_id, listed.id)'
    : '(select * from orders where orders.tenant_id = $1 and orders.id = listed.id offset 0)';
  const found = await run<{ id: string }>(db, {
    sql: `
      select orders.id from unnest(?::uuid[]) as listed (id)
       cross join lateral ${order} orders where ${sql} limit ${count}`,
    values: [ids, ...values],
  });
  return found.map(({ id }) => id);
}

/** The next orders of all, or those in the currency, newest first, with at most `size` items. */
interface PartOfAll {
  filters: Filters;
  after: Position | null;
  size: number;
}

/** The first orders of a part that match the filters. @param count how many at most */
export async function matchesInPart(db: TenantDatabase, part: PartOfAll, count: number): Promise<string[]> {
  const { sql, values } = allOf(conditionsOf(part.filters));
  const read = partOfAll(part);
  const found = await run<{ id: string }>(db, {
    sql: `select orders.id from (select * ${read.sql}) orders where ${sql} limit ${count}`,
    values: [...read.values, ...values],
  });
  return found.map(({ id }) => id);
}

/** The position of the last order of a part; null if the part has fewer orders than its size, so that no other follows. */
export async function lastOfPart(db: TenantDatabase, part: PartOfAll): Promise<Position | null> {
  const { sql, values } = partOfAll(part);
  const [last] = await run<Position>(db, {
    sql: `select id, created_at from (select id, created_at, currency ${sql}) part offset ${part.size - 1}`,
    values,
  });
  return last ?? null;
}

/** What follows `select`. */
function partOfAll({ filters, after, size }: PartOfAll): Condition {
  const { sql, values } = within(filters, after, 'orders', 'id');
  const { currency } = filters;
  if (currency === undefined) {
    const text = `from orders where orders.tenant_id = $1 and ${sql} order by created_at desc, id desc limit ${size}`;
    return { sql: text, values };
  }
  // Not an equality: only orders_currency has this order, even if nearly all orders are in one currency. The index
  // orders_total lacks the status; otherwise it might be sorted instead.
  return {
    sql: `from orders
         where orders.tenant_id = $1 and orders.currency >= ? and orders.currency <= ? and orders.status <> ''
           and ${sql}
         order by currency desc, created_at desc, id desc limit ${size}`,
    values: [currency, currency, ...values],
  };
}
