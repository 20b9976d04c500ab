/**
 * Lists of orders with filters that no single index serves in the order of the list: tag, amount, text, and states
 * within a period.
 *
 * Most filters have a list of their own (lists-store.ts). The one that goes back farthest with the same number of orders
 * has the fewest: it is read from its newest order, and the other filters are tested, until the page is full, but only so
 * far. A page may have fewer items than its limit, or none, and a cursor to go on with. What a page reads is bounded,
 * however many orders there are.
 */
import { findStore } from '@carton/core';
import { decodeCursor, encodeCursor, type IntegrationPage, parseEmail, type TenantDatabase } from '@carton/runtime';
import { type Order, orderOf } from '../present.ts';
import { type OrderRow, orders } from '../store.ts';
import { listsOf, type OrderList, ofAll, type Part, type Search } from './lists-store.ts';
import { storedNumber } from './numbers.ts';
import type { AdminOrderQuery } from './schemas.ts';
import {
  type Filters,
  filterNames,
  lastOfPart,
  matchesAmong,
  matchesInPart,
  type Position,
  pageOfMatches,
} from './store.ts';
import { searchText } from './words-store.ts';

/** Parts of a list that are read at most for one page. */
const maxParts = 5;
/** Pages of tables and indexes that a part of all orders reads for each item of a page, approximately. */
const pagesPerItem = 40;
/** Pages that reading an order by its id takes. */
const pagesOfOrder = 4;
/** Pages that a search among the words of an order reads. */
const pagesOfLookUp = 3;

/** A page of orders, newest first. @throws invalid_request (400) for a cursor of another list */
export async function listOrders(db: TenantDatabase, query: AdminOrderQuery): Promise<IntegrationPage<Order>> {
  const page = await pageOfOrders(db, query);
  return { ...page, items: page.items.map(orderOf) };
}

async function pageOfOrders(db: TenantDatabase, asked: AdminOrderQuery): Promise<IntegrationPage<OrderRow>> {
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
  const page = { limit, cursor, externalId };
  const isIdentified = [externalId, known.number, known.email, memberId].some((value) => value !== undefined);
  if (!isIdentified) {
    const names = filterNames.filter((name) => selected[name] !== undefined && !isPeriod(name));
    const search = { db, filters: selected, names, need: limit + 1, after: positionOf(cursor) };
    const found = await findMatches(search);
    if (found !== null) {
      const { items, nextCursor } = await pageOfMatches(db, page, selected, found.ids);
      return {
        items,
        nextCursor: nextCursor ?? (found.end && encodeCursor(['newest', found.end.createdAt, found.end.id])),
      };
    }
  }
  return pageOfMatches(db, page, selected);
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

const isPeriod = (name: keyof Filters) => name === 'placedFrom' || name === 'placedTo';

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
    const rest = { filters: search.filters, names: untested, count: need - ids.length };
    ids.push(...(await matchesAmong(search.db, part.ids, rest)));
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

/** The first matches among all orders, or among those in the currency, read in parts. */
async function matchesAmongAll(search: Search): Promise<Matches> {
  const { db, filters, need } = search;
  const lookUps = Number(filters.tag !== undefined) + Number(filters.q !== undefined);
  const size = need * Math.floor(pagesPerItem / (1 + lookUps * pagesOfLookUp));
  const ids: string[] = [];
  let { after } = search;
  for (let parts = 0; parts < 2 * maxParts; parts++) {
    const part = { filters, after, size };
    ids.push(...(await matchesInPart(db, part, need - ids.length)));
    if (ids.length >= need) return { ids, end: null };
    const last = await lastOfPart(db, part);
    if (!last) return { ids, end: null };
    after = last;
  }
  return { ids, end: after };
}
