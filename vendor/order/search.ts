/**
 * Lists of orders with filters that no single index serves in the order of the list: tag, amount, text, and states
 * within a period.
 *
 * A filter that few orders match yields their ids; the page is read from these. If many orders match every filter, the
 * list is scanned from the newest order until the page is full, but only so far: a page may have fewer items than its
 * limit, or none, and a cursor to go on with. What a page reads is bounded, however many orders there are.
 */
import { findStore } from '@carton/core';
import { decodeCursor, encodeCursor, type IntegrationPage, type TenantDatabase } from '@carton/runtime';
import { type AdminOrderQuery, fulfillmentStatuses, orderStatuses, paymentStatuses } from './schemas.ts';
import { type Condition, type OrderRow, orders } from './store.ts';
import { beginsWith, searchText } from './words.ts';

/** Matches up to which a filter yields its ids. */
const maxMatches = 300;
/** Pages of tables and indexes that one scan reads at most for each item of a page, approximately. */
const pagesPerItem = 40;
/** Pages that a subquery, or a row found through another table, reads. */
const pagesOfLookUp = 3;
/** Scans at most for one page. */
const maxScans = 10;

const choices = {
  status: orderStatuses,
  paymentStatus: paymentStatuses,
  fulfillmentStatus: fulfillmentStatuses,
  archived: [false, true],
} as const;
const stateColumns = ['status', 'payment_status', 'fulfillment_status', 'archived'];

type Filters = Omit<AdminOrderQuery, 'limit' | 'cursor' | 'updatedAfter' | 'externalId'>;

/** A page of orders, newest first. @throws invalid_request (400) for a cursor of another list */
export async function pageOfOrders(db: TenantDatabase, query: AdminOrderQuery): Promise<IntegrationPage<OrderRow>> {
  const { limit, cursor, externalId, updatedAfter, ...filters } = query;
  const { placedFrom, placedTo, memberId, tag, currency, totalMin, totalMax, q, ...known } = filters;
  const added = [placedFrom, placedTo, memberId, tag, currency, totalMin, totalMax, q];
  if (updatedAfter !== undefined || added.every((value) => value === undefined)) return orders.page(db, query);
  const text = q === undefined ? undefined : searchText(q) || undefined;
  const unit =
    totalMin === undefined && totalMax === undefined ? currency : (currency ?? (await findStore(db)).defaultCurrency);
  const selected: Filters = { ...filters, q: text, currency: unit };
  const conditions = conditionsOf(selected);
  const page = { limit, cursor, externalId };
  const isIdentified = [externalId, known.number, known.email, memberId].some((value) => value !== undefined);
  if (!isIdentified) {
    const search = { db, filters: selected, conditions, need: limit + 1, after: positionOf(cursor) };
    const found = await findCandidates(search);
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

function allOf(conditions: readonly Condition[]): Condition {
  const sql = conditions.map((condition) => condition.sql).join(' and ') || 'true';
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

const conditionTexts: Readonly<Partial<Record<keyof Filters, string>>> = {
  status: 'orders.status = ?',
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
            and order_tags.tag_key = lower(?) limit 1)`,
  q: `(select true from order_words
        where order_words.tenant_id = orders.tenant_id and order_words.order_id = orders.id and ${beginsWith} limit 1)`,
};

/** The conditions of these filters, all by default; the expensive ones come last. */
function conditionsOf(filters: Filters, names = Object.keys(conditionTexts) as (keyof Filters)[]): Condition[] {
  return names.flatMap((name) => {
    const value = filters[name];
    const sql = conditionTexts[name];
    if (value === undefined || sql === undefined) return [];
    return { sql, values: name === 'q' ? [value, value] : [name === 'tag' ? String(value).trim() : value] };
  });
}

interface Position {
  createdAt: string;
  id: string;
}

function positionOf(cursor: string | undefined): Position | null {
  if (cursor === undefined) return null;
  const [, createdAt, id] = decodeCursor(cursor, 'newest');
  return { createdAt: String(createdAt), id: String(id) };
}

interface Search {
  db: TenantDatabase;
  filters: Filters;
  conditions: readonly Condition[];
  /** Number of orders to find. */
  need: number;
  /** The orders after this position of the list. */
  after: Position | null;
}

/** Orders among which a page is. */
interface Candidates {
  ids: string[];
  /** The position up to which the list was scanned, if neither the page is full nor the list has ended. */
  end: Position | null;
}

/**
 * The ids of orders among which the page is: the first `need` matches, or all orders that one of the filters matches.
 * Null if the index of the list serves the filters.
 */
async function findCandidates(search: Search): Promise<Candidates | null> {
  const { filters } = search;
  const hasStates = Object.keys(choices).some((name) => filters[name as keyof Filters] !== undefined);
  const hasAmounts = filters.totalMin !== undefined || filters.totalMax !== undefined;
  const sets = [
    ...(hasStates ? [ofStates] : []),
    ...(filters.tag !== undefined ? [ofTag] : []),
    ...(hasAmounts ? [ofAmounts] : []),
    ...(filters.q !== undefined ? [ofWords] : []),
  ];
  if (sets.length === 0) {
    return filters.currency === undefined ? null : { ids: await ofCurrency(search, search.need), end: null };
  }
  const isOrdered = filters.currency === undefined && sets.length === 1 && sets[0] !== ofWords;
  if (isOrdered && sets[0]) return { ids: await sets[0](search, search.need), end: null };
  // Most stores have one currency, and no orders in another.
  const withCurrency = filters.currency !== undefined && !hasAmounts ? [someInCurrency, ...sets] : sets;
  for (const set of withCurrency) {
    const ids = await set(search, maxMatches);
    if (ids.length < maxMatches) return { ids, end: null };
  }
  return scan(search);
}

/** Runs a statement whose placeholders are `?`; the tenant is `$1`. */
function run<Row extends object>(db: TenantDatabase, { sql, values }: Condition): Promise<Row[]> {
  let count = 1;
  return db.query<Row>(
    sql.replaceAll('?', () => `$${++count}`),
    [...values],
  );
}

async function idsOf(db: TenantDatabase, statement: Condition): Promise<string[]> {
  return (await run<{ id: string }>(db, statement)).map(({ id }) => id);
}

/** The conditions of the period and the position, on columns of a table. */
function within({ filters, after }: Search, table: string, id: string): Condition {
  const period = conditionsOf(filters, ['placedFrom', 'placedTo']).map(({ sql, values }) => ({
    sql: sql.replace('orders.', `${table}.`),
    values,
  }));
  const position = after && {
    sql: `(${table}.created_at, ${table}.${id}) < (?::timestamptz, ?::uuid)`,
    values: [after.createdAt, after.id],
  };
  return allOf([...period, ...(position ? [position] : [])]);
}

/** Orders in the requested states: the newest, or some of them. */
function ofStates(search: Search, count: number): Promise<string[]> {
  const { db, filters } = search;
  const combinations = Object.entries(choices).reduce<(string | boolean)[][]>(
    (prefixes, [name, values]) => {
      const selected = filters[name as keyof typeof choices];
      const allowed: readonly (string | boolean)[] = selected === undefined ? values : [selected];
      return prefixes.flatMap((prefix) => allowed.map((value) => [...prefix, value]));
    },
    [[]],
  );
  const { sql, values } = within(search, 'orders', 'id');
  const isOrdered = count === search.need;
  const newestFirst = (table: string) => (isOrdered ? `order by ${table}.created_at desc, ${table}.id desc` : '');
  return idsOf(db, {
    sql: `
      select found.id
        from unnest(?::text[], ?::text[], ?::text[], ?::boolean[]) as choice (${stateColumns.join(', ')})
       cross join lateral (
         select id, created_at from orders
          where orders.tenant_id = $1 and ${stateColumns.map((name) => `orders.${name} = choice.${name}`).join(' and ')}
            and ${sql}
          ${newestFirst('orders')} limit ${count}) found
       ${newestFirst('found')} limit ${count}`,
    values: [...stateColumns.map((_, at) => combinations.map((combination) => combination[at])), ...values],
  });
}

/** The newest orders with the tag. */
function ofTag(search: Search, count: number): Promise<string[]> {
  const { sql, values } = within(search, 'order_tags', 'order_id');
  return idsOf(search.db, {
    sql: `
      select order_id as id from order_tags
       where order_tags.tenant_id = $1 and order_tags.tag_key = lower(?) and ${sql}
       order by created_at desc, order_id desc limit ${count}`,
    values: [String(search.filters.tag).trim(), ...values],
  });
}

/** Some orders with such a total. */
function ofAmounts({ db, filters }: Search, count: number): Promise<string[]> {
  const { sql, values } = allOf(conditionsOf(filters, ['currency', 'totalMin', 'totalMax']));
  return idsOf(db, {
    sql: `select id from orders where orders.tenant_id = $1 and ${sql} order by total_amount limit ${count}`,
    values,
  });
}

/** Some orders with such a word; an order with several is repeated. */
function ofWords({ db, filters }: Search, count: number): Promise<string[]> {
  return idsOf(db, {
    sql: `select order_id as id from order_words where tenant_id = $1 and ${beginsWith} limit ${count}`,
    values: [filters.q, filters.q],
  });
}

/** Some orders in the currency. */
function someInCurrency(search: Search, count: number): Promise<string[]> {
  const { sql, values } = within(search, 'orders', 'id');
  return idsOf(search.db, {
    sql: `select id from orders where orders.tenant_id = $1 and orders.currency = ? and ${sql} limit ${count}`,
    values: [search.filters.currency, ...values],
  });
}

/** The newest orders in the currency. */
function ofCurrency(search: Search, count: number): Promise<string[]> {
  const { sql, values } = listed(search, count);
  return idsOf(search.db, { sql: `select id from (${sql}) orders`, values });
}

/** The next orders of the list, or of those with the tag or in the currency, newest first: at most `count`. */
function listed(search: Search, count: number): Condition {
  const { tag, currency } = search.filters;
  if (tag !== undefined) {
    const { sql, values } = within(search, 'order_tags', 'order_id');
    return {
      sql: `select orders.* from (
              select order_id from order_tags
               where order_tags.tenant_id = $1 and order_tags.tag_key = lower(?) and ${sql}
               order by created_at desc, order_id desc limit ${count}) tagged
             cross join lateral (
              select * from orders where orders.tenant_id = $1 and orders.id = tagged.order_id offset 0) orders`,
      values: [tag.trim(), ...values],
    };
  }
  const { sql, values } = within(search, 'orders', 'id');
  if (currency !== undefined) {
    // Not an equality: only orders_currency has this order, even if nearly all orders are in one currency.
    return {
      sql: `select * from orders
             where orders.tenant_id = $1 and orders.currency >= ? and orders.currency <= ? and ${sql}
             order by currency desc, created_at desc, id desc limit ${count}`,
      values: [currency, currency, ...values],
    };
  }
  return {
    sql: `select * from orders
           where orders.tenant_id = $1 and ${sql}
           order by created_at desc, id desc limit ${count}`,
    values,
  };
}

/** The first matches of the list, found by scanning it as far as `maxScans` allow. */
async function scan(search: Search): Promise<Candidates> {
  const { db, filters, conditions, need } = search;
  const lookUps = Number(filters.tag !== undefined) + Number(filters.q !== undefined);
  const count = need * Math.floor(pagesPerItem / (1 + lookUps * pagesOfLookUp));
  const ids: string[] = [];
  let { after } = search;
  for (let scans = 0; scans < maxScans; scans++) {
    const part = listed({ ...search, after }, count);
    const { sql, values } = allOf(conditions);
    const matches = {
      sql: `select orders.id from (${part.sql}) orders where ${sql} limit ${need - ids.length}`,
      values: [...part.values, ...values],
    };
    ids.push(...(await idsOf(db, matches)));
    if (ids.length >= need) return { ids, end: null };
    const end = { sql: `select id, created_at from (${part.sql}) part offset ${count - 1}`, values: part.values };
    const [last] = await run<Position>(db, end);
    if (!last) return { ids, end: null };
    after = last;
  }
  return { ids, end: after };
}
