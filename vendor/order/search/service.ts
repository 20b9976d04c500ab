/**
 * Lists of orders with filters that no single index serves in the order of the list: tag, amount, text, and states
 * within a period.
 *
 * Most filters have a list of their own (search-lists.ts). The one that goes back farthest with the same number of orders
 * has the fewest: it is read from its newest order, and the other filters are tested, until the page is full, but only so
 * far. A page may have fewer items than its limit, or none, and a cursor to go on with. What a page reads is bounded,
 * however many orders there are.
 */
import { findStore } from '@carton/core';
import {
  decodeCursor,
  encodeCursor,
  type IntegrationPage,
  parseEmail,
  type TenantDatabase,
  tagKeysOf,
} from '@carton/runtime';
import type { AdminOrderQuery } from '../schemas.ts';
import { type Condition, hasStatus, type OrderRow, orders } from '../store.ts';
import {
  allOf,
  type Filters,
  listsOf,
  type OrderList,
  ofAll,
  type Part,
  type Position,
  run,
  type Search,
  within,
} from './lists-store.ts';
import { storedNumber } from './numbers.ts';
import { beginsWith, searchText } from './words-store.ts';

/** Parts of a list that are read at most for one page. */
const maxParts = 5;
/** Pages of tables and indexes that a part of all orders reads for each item of a page, approximately. */
const pagesPerItem = 40;
/** Pages that reading an order by its id takes. */
const pagesOfOrder = 4;
/** Pages that a search among the words of an order reads. */
const pagesOfLookUp = 3;

/** A page of orders, newest first. @throws invalid_request (400) for a cursor of another list */
export async function pageOfOrders(db: TenantDatabase, asked: AdminOrderQuery): Promise<IntegrationPage<OrderRow>> {
  const query = await asStored(db, asked);
  const { limit, cursor, externalId, updatedAfter, ...filters } = query;
  const { placedFrom, placedTo, memberId, tag, currency, totalMin, totalMax, q, ...known } = filters;
  const added = [placedFrom, placedTo, memberId, tag, currency, totalMin, totalMax, q];
  // The columns of states do not tell placed orders from pending ones.
  const isOfColumns = known.status !== 'placed' && known.status !== 'pending';
  if (updatedAfter !== undefined || (isOfColumns && added.every((value) => value === undefined))) {
    return orders.page(db, query);
  }
  const text = q === undefined ? undefined : (await searchText(db, q)) || undefined;
  const unit =
    totalMin === undefined && totalMax === undefined ? currency : (currency ?? (await findStore(db)).defaultCurrency);
  const selected: Filters = { ...filters, q: text, currency: unit };
  const conditions = conditionsOf(selected);
  const page = { limit, cursor, externalId };
  const isIdentified = [externalId, known.number, known.email, memberId].some((value) => value !== undefined);
  if (!isIdentified) {
    const names = filterNames.filter((name) => selected[name] !== undefined && !isPeriod(name));
    const search = { db, filters: selected, names, need: limit + 1, after: positionOf(cursor) };
    const found = await findMatches(search);
    if (found !== null) {
      conditions.push({ sql: 'orders.id = any(?::uuid[])', values: [found.ids] });
      const { items, nextCursor } = await orders.page(db, { ...page, meets: allOf(conditions) });
      return {
        items,
        nextCursor: nextCursor ?? (found.end && encodeCursor(['newest', found.end.createdAt, found.end.id])),
      };
    }
  }
  return orders.page(db, { ...page, meets: allOf(conditions) });
}

/** The query with the number and the address as they are stored. */
async function asStored(db: TenantDatabase, query: AdminOrderQuery): Promise<AdminOrderQuery> {
  const { number, email } = query;
  return {
    ...query,
    ...(number !== undefined && { number: await storedNumber(db, number) }),
    ...(email !== undefined && { email: parseEmail(email) ?? email }),
  };
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

const isPeriod = (name: keyof Filters) => name === 'placedFrom' || name === 'placedTo';
const filterNames = ['status', ...Object.keys(conditionTexts)] as (keyof Filters)[];

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

function positionOf(cursor: string | undefined): Position | null {
  if (cursor === undefined) return null;
  const [, createdAt, id] = decodeCursor(cursor, 'newest');
  return { createdAt: String(createdAt), id: String(id) };
}

type Matches = Pick<Part, 'ids' | 'end'>;

/**
 * The newest orders that match the filters: as many as needed, or those up to `end`. Null if there is no filter but the
 * period, which the index of all orders serves.
 */
async function findMatches(search: Search): Promise<Matches | null> {
  const { names, need } = search;
  if (names.length === 0) return null;
  const rarest = await rarestOf(await listsOf(search), search.after);
  if (!rarest) return matchesAmongAll(search);
  const { list } = rarest;
  const untested = names.filter((name) => !list.serves.includes(name));
  if (untested.length > 0 && rarest.part.end && (await isCommon(search, rarest, untested))) {
    return matchesAmongAll({ ...search, after: rarest.after });
  }
  const ids: string[] = [];
  let { part } = rarest;
  for (let parts = 1; ; parts++) {
    ids.push(...(await matchesAmong(search, part.ids, untested, need - ids.length)));
    if (ids.length >= need || part.end === null) return { ids, end: null };
    if (parts === maxParts) return { ids, end: part.end };
    part = await list.next(part.end);
  }
}

/** A list, and its first part after a position. */
interface ReadList {
  list: OrderList;
  after: Position | null;
  part: Part;
}

/** The list with the fewest orders; null without a list. */
async function rarestOf(lists: readonly OrderList[], after: Position | null): Promise<ReadList | null> {
  const read: ReadList[] = [];
  for (const list of lists) {
    const part = await list.next(after);
    if (part.end === null) return { list, after, part };
    read.push({ list, after, part });
  }
  // No match is newer than the first order of each list: archived orders, for example, begin months ago.
  const start = oldest(read.map(({ part }) => part.start));
  for (const each of read) {
    if (!start) break;
    each.after = { ...start, id: lastId };
    if (isOlder(start, each.part.end)) each.part = await each.list.next(each.after);
  }
  return read.reduce<ReadList | null>(
    (rarest, each) => (rarest && !isOlder(each.part.end, rarest.part.end) ? rarest : each),
    null,
  );
}

/** Whether reading all orders takes less work than reading the ids of a list and then each order. */
async function isCommon(search: Search, { list, after, part }: ReadList, untested: Search['names']): Promise<boolean> {
  // Most stores have one currency, and a currency has an index of its own.
  if (list.serves.join() === 'currency') return true;
  if (!part.end || untested.some((name) => name === 'tag' || name === 'q')) return false;
  const all = await ofAll(search).next(after);
  const span = ({ start, end, ids }: Part) =>
    start && end ? (Date.parse(start.createdAt) - Date.parse(end.createdAt)) / ids.length : 0;
  return all.end !== null && span(part) < pagesOfOrder * 2 * span(all);
}

/** Comes after all other ids. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Whether a position is older than another; the end of a list, null, is the oldest. */
function isOlder(one: Position | null, other: Position | null): boolean {
  return other !== null && (one === null || one.createdAt < other.createdAt);
}

function oldest(positions: readonly (Position | null)[]): Position | null {
  return positions.reduce(
    (found, position) => (position && (!found || isOlder(position, found)) ? position : found),
    null,
  );
}

/** The first of these orders that match the filters, in their order. */
async function matchesAmong(
  { db, filters }: Search,
  ids: readonly string[],
  names: Search['names'],
  count: number,
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

/** The first matches among all orders, or among those in the currency, read in parts. */
async function matchesAmongAll(search: Search): Promise<Matches> {
  const { db, filters, need } = search;
  const lookUps = Number(filters.tag !== undefined) + Number(filters.q !== undefined);
  const size = need * Math.floor(pagesPerItem / (1 + lookUps * pagesOfLookUp));
  const { sql, values } = allOf(conditionsOf(filters));
  const ids: string[] = [];
  let { after } = search;
  for (let parts = 0; parts < 2 * maxParts; parts++) {
    const part = partOfAll(filters, after, size);
    const matches = await run<{ id: string }>(db, {
      sql: `select orders.id from (select * ${part.sql}) orders where ${sql} limit ${need - ids.length}`,
      values: [...part.values, ...values],
    });
    ids.push(...matches.map(({ id }) => id));
    if (ids.length >= need) return { ids, end: null };
    const [last] = await run<Position>(db, {
      sql: `select id, created_at from (select id, created_at, currency ${part.sql}) part offset ${size - 1}`,
      values: part.values,
    });
    if (!last) return { ids, end: null };
    after = last;
  }
  return { ids, end: after };
}

/** The next orders, or those in the currency, newest first: what follows `select`. */
function partOfAll(filters: Filters, after: Position | null, size: number): Condition {
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
