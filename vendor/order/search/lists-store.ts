/**
 * The lists of orders that an index holds newest first: those in some states, with a tag, with a word, in a currency or
 * with a total. Each is read in parts, from the index alone.
 */
import { isOneWord, type TenantDatabase, tagKeysOf } from '@carton/runtime';
import { fulfillmentStatuses, paymentStatuses, storedStatuses } from '../schemas.ts';
import { type Condition, hasStatus } from '../store.ts';
import { allOf, type Filters, type Position, run, within } from './store.ts';
import { beginsWith, wordBeginning, wordNotAfter } from './words-store.ts';

/** Orders in a part of a list. */
const partSize = 300;
/** Rows that a part reads of each combination of states. */
const streamSize = 75;
/** Different words up to which a text has a list that merges theirs. */
const maxWords = 40;
/** Rows that a part reads of the streams of all words, approximately. */
const rowsOfWords = 600;
/** Rows up to which a range of an index, of totals or of words, has a list, which is sorted. */
const maxSorted = 1000;

const choices = {
  status: storedStatuses,
  paymentStatus: paymentStatuses,
  fulfillmentStatus: fulfillmentStatuses,
  archived: [false, true],
} as const;
const columnOf: Readonly<Record<keyof typeof choices, string>> = {
  status: 'status',
  paymentStatus: 'payment_status',
  fulfillmentStatus: 'fulfillment_status',
  archived: 'archived',
};

/** Successive orders of a list, newest first. */
export interface Part {
  ids: string[];
  /** The position of the first order. */
  start: Position | null;
  /** The position up to which the list was read; null at its end. */
  end: Position | null;
}

export interface OrderList {
  /** The filters that all of its orders match. */
  serves: (keyof Filters)[];
  /** The next orders after a position. */
  next(after: Position | null): Promise<Part>;
}

export interface Search {
  db: TenantDatabase;
  /** A filter by total has a currency. */
  filters: Filters;
  /** The filters that are set, without the period. */
  names: readonly (keyof Filters)[];
  /** Number of orders to find. */
  need: number;
  /** The orders after this position. */
  after: Position | null;
}

/** The lists of the filters, as far as they have one. */
export async function listsOf(search: Search): Promise<OrderList[]> {
  const { filters } = search;
  const hasStates = Object.keys(choices).some((name) => filters[name as keyof Filters] !== undefined);
  const lists = [
    hasStates && ofStates(search),
    filters.tag !== undefined && ofTag(search),
    filters.q !== undefined && (await ofWords(search)),
    (filters.totalMin !== undefined || filters.totalMax !== undefined) && (await ofTotals(search)),
    filters.currency !== undefined && ofCurrency(search),
  ];
  return lists.filter((list) => typeof list === 'object' && list !== null);
}

/** Rows of an index that are ordered newest first, for each row of `choice`. */
interface Streams {
  serves: (keyof Filters)[];
  /** One row for each stream: `unnest(?::text[]) as choice (word_from)`. */
  choice: Condition;
  /** The table, or a subquery, and its column with the order's id. */
  table: { name: string; source?: Condition; id: string };
  condition: Condition;
  /** Columns by which the index is ordered before `created_at`, if the condition is not an equality. */
  orderedBy?: string;
  size?: number;
}

const single: Condition = { sql: 'unnest(array[1]) as choice (number)', values: [] };
const none: Condition = { sql: 'true', values: [] };

/** The list that merges streams. */
function merged({ db, filters, names, need }: Search, streams: Streams): OrderList {
  const { serves, choice, table, condition, orderedBy, size = streamSize } = streams;
  const isComplete = names.every((name) => serves.includes(name));
  const count = isComplete ? need : Math.max(size, need);
  const source = table.source ?? { sql: table.name, values: [] };
  return {
    serves,
    async next(after) {
      const inside = within(filters, after, table.name, table.id);
      const order = `created_at desc, ${table.id} desc`;
      // A stream that was not read to its end says nothing of the time before its last row.
      const rows = await run<Position & { continues: boolean | null }>(db, {
        sql: `
          with listed as materialized (
            select found.id, found.created_at, found.place
              from ${choice.sql}
             cross join lateral (
               select part.${table.id} as id, part.created_at,
                      row_number() over (order by part.created_at desc, part.${table.id} desc) as place
                 from (select ${table.id}, created_at from ${source.sql}
                        where tenant_id = $1 and ${condition.sql} and ${inside.sql}
                        order by ${orderedBy ? `${orderedBy}, ` : ''}${order} limit ${count}) part) found
          ), ended as (
            select created_at, id from listed where place = ${count} order by created_at desc, id desc limit 1
          )
          select distinct created_at, id, (select true from ended) as continues from listed
           where (created_at, id) >= all (select created_at, id from ended)
           order by created_at desc, id desc limit ${partSize + 1}`,
        values: [...choice.values, ...source.values, ...condition.values, ...inside.values],
      });
      const part = rows.slice(0, partSize);
      const last = part.at(-1);
      const continues = last && (last.continues || rows.length > partSize);
      return {
        ids: part.map(({ id }) => id),
        start: part[0] ? { createdAt: part[0].createdAt, id: part[0].id } : null,
        end: continues ? { createdAt: last.createdAt, id: last.id } : null,
      };
    },
  };
}

function ofStates(search: Search): OrderList {
  const { filters } = search;
  const { status } = filters;
  // Pending orders are stored as placed. The index of all states does not tell the two apart: each has one of its own.
  const isIndexed = status === 'placed' || status === 'pending';
  const names = (Object.keys(choices) as (keyof typeof choices)[]).filter((name) => name !== 'status' || !isIndexed);
  const combinations = names.reduce<(string | boolean)[][]>(
    (prefixes, name) => {
      const selected = filters[name];
      const allowed: readonly (string | boolean)[] = selected === undefined ? choices[name] : [selected];
      return prefixes.flatMap((prefix) => allowed.map((value) => [...prefix, value]));
    },
    [[]],
  );
  const columns = names.map((name) => columnOf[name]);
  const arrays = names.map((name) => (name === 'archived' ? '?::boolean[]' : '?::text[]'));
  return merged(search, {
    serves: Object.keys(choices) as (keyof typeof choices)[],
    choice: {
      sql: `unnest(${arrays.join(', ')}) as choice (${columns.join(', ')})`,
      values: columns.map((_, at) => combinations.map((combination) => combination[at])),
    },
    table: { name: 'orders', id: 'id' },
    condition: allOf([
      ...columns.map((name) => ({ sql: `orders.${name} = choice.${name}`, values: [] })),
      ...(isIndexed ? [hasStatus(status)] : []),
    ]),
  });
}

function ofTag(search: Search): OrderList {
  return merged(search, {
    serves: ['tag'],
    choice: { sql: 'unnest(?::text[]) as choice (tag_key)', values: [tagKeysOf(String(search.filters.tag))] },
    table: { name: 'order_tags', id: 'order_id' },
    condition: { sql: 'order_tags.tag_key = choice.tag_key', values: [] },
    size: partSize,
  });
}

/** All orders. */
export function ofAll(search: Search): OrderList {
  return merged(search, {
    serves: [],
    choice: single,
    table: { name: 'orders', id: 'id' },
    condition: none,
    size: partSize,
  });
}

function ofCurrency(search: Search): OrderList {
  const { currency } = search.filters;
  return merged(search, {
    serves: ['currency'],
    choice: single,
    table: { name: 'orders', id: 'id' },
    // Not an equality: only orders_currency has this order, even if nearly all orders are in one currency.
    condition: { sql: 'orders.currency >= ? and orders.currency <= ?', values: [currency, currency] },
    orderedBy: 'currency desc',
    size: partSize,
  });
}

const nextWord = (after: string, before: string) => `
  select word from order_words where tenant_id = $1 and ${after} and ${before} order by word limit 1`;

/** Null for a text that begins so many words that orders with one are not rare. */
async function ofWords(search: Search): Promise<OrderList | null> {
  const { db, filters } = search;
  const text = String(filters.q);
  if (isOneWord(text)) {
    // Goes from each word to the next one in the index, however many orders have it.
    const words = await run<{ word: string }>(db, {
      sql: `
        with recursive words as (
          (${nextWord(wordBeginning, 'true')})
          union all
          select (${nextWord('order_words.word > words.word', wordNotAfter)}) from words where word is not null
        )
        select word from words where word is not null limit ${maxWords + 1}`,
      values: [text, text, text],
    });
    if (words.length <= maxWords) {
      return merged(search, {
        serves: ['q'],
        choice: { sql: 'unnest(?::text[]) as choice (word)', values: [words.map(({ word }) => word)] },
        table: { name: 'order_words', id: 'order_id' },
        condition: { sql: 'order_words.word = choice.word', values: [] },
        size: Math.min(partSize, Math.ceil(rowsOfWords / Math.max(words.length, 1))),
      });
    }
  }
  const range = { sql: beginsWith, values: [text, text] };
  return sorted(search, ['q'], { name: 'order_words', id: 'order_id', orderedBy: 'word_from' }, range);
}

/** Null if many orders have a total in the range. */
async function ofTotals(search: Search): Promise<OrderList | null> {
  const { filters } = search;
  const { currency, totalMin = 0, totalMax = Number.MAX_SAFE_INTEGER } = filters;
  const serves: (keyof Filters)[] = ['currency', 'totalMin', 'totalMax'];
  const range: Condition = {
    sql: 'orders.currency = ? and orders.total_amount >= ?::bigint and orders.total_amount <= ?::bigint',
    values: [currency, totalMin, totalMax],
  };
  if (totalMin === totalMax) {
    return merged(search, {
      serves,
      choice: single,
      table: { name: 'orders', id: 'id' },
      condition: range,
      orderedBy: 'total_amount desc',
      size: partSize,
    });
  }
  return sorted(search, serves, { name: 'orders', id: 'id', orderedBy: 'total_amount' }, range);
}

/** The list of a range of an index, sorted by time; null for a large range. */
async function sorted(
  search: Search,
  serves: OrderList['serves'],
  { name, id, orderedBy }: { name: string; id: string; orderedBy: string },
  range: Condition,
): Promise<OrderList | null> {
  const some = `select tenant_id, ${id}, created_at from ${name} where tenant_id = $1 and ${range.sql} order by ${orderedBy} limit ${maxSorted}`;
  const [found] = await run<{ count: number }>(search.db, {
    sql: `select count(*)::int as count from (${some}) found`,
    values: range.values,
  });
  if (found?.count === maxSorted) return null;
  return merged(search, {
    serves,
    choice: single,
    table: { name: 'found', source: { sql: `(${some}) found`, values: range.values }, id },
    condition: none,
    size: partSize,
  });
}
