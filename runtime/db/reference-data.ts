/**
 * Reference data: rows that staff rarely change and that nearly every request of shoppers reads, such as taxes and shipping
 * options. The results of such reads are kept in memory under the tenant's version of the data, which each transaction
 * that writes reference data replaces as it commits (`reference_versions`). A unit of work that has read the version, with
 * the cart that it prices, say, gets the results of that version or newer ones, as if it had read them then.
 *
 * Versions are random: they never repeat, even where the database was restored. What bypasses `TenantDatabase`, such as an
 * operator with psql or a box of an earlier release, replaces no version; so no result is older than a minute.
 */
import { LRUCache } from 'lru-cache';

/** A statement that reads only reference data and whose result depends on nothing but its values: not on the time. */
export interface ReferenceQuery {
  readonly text: string;
  /** Those it reads. */
  readonly tables: readonly string[];
}

/** Reference tables, each with the columns that no reference query reads. */
const tables = new Map<string, ReadonlySet<string>>();

/** The columns of a reference table that no reference query reads. */
export function unreadColumns(table: string): string[] {
  return [...(tables.get(table) ?? [])].sort();
}

/** All reference tables of the packages that are loaded, in alphabetical order. */
export function referenceTables(): string[] {
  return [...tables.keys()].sort();
}

/** Tables of the goods (goods.ts). */
const goods = new Set<string>();

/** The tables of the goods of the packages that are loaded, in alphabetical order. */
export function goodsTables(): string[] {
  return [...goods].sort();
}

const readTable = /\b(?:from|join)\s+"?([a-z_]+)\b(?!\s*\()/g;
const commonTable = /(?:\bwith|,)\s+([a-z_]+)\s+as\s+(?:materialized\s+)?\(/g;

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name as string);

/**
 * Declares a statement for `readReference`, and the tables that it reads as reference tables.
 * @param text as for `query`: `$1` is the tenant. It must not call functions of time
 * @param unread columns that are written all the time and that the statement does not read, by table
 */
export function referenceQuery(text: string, unread: Readonly<Record<string, readonly string[]>> = {}): ReferenceQuery {
  const read = tablesOf(text);
  for (const table of read) {
    const ignored = unread[table] ?? [];
    const known = tables.get(table);
    tables.set(table, new Set(known ? ignored.filter((column) => known.has(column)) : ignored));
  }
  writing.clear();
  return { text, tables: read };
}

/** The tables that a statement reads. */
function tablesOf(text: string): string[] {
  const own = new Set(namesIn(text, commonTable));
  return [...new Set(namesIn(text, readTable))].filter((name) => !own.has(name));
}

/** Declares the tables that a statement reads as tables of the goods. */
export function declareGoods(text: string): void {
  for (const name of tablesOf(text)) goods.add(name);
  writing.clear();
}

/** A verb of a statement that writes; `for update` only locks. On one line, so that no comment can end with the `for`. */
const verb = /(?<!\bfor(?: +no +key)? +)\b(?:insert|update|delete|merge|truncate|copy)\b/i;
const word = /[a-z_][a-z0-9_$]*/gi;

/** Whether a statement has a verb of writing. */
export const hasWritingVerb = (text: string) => verb.test(text);

const keeping = new Set<string>();

/**
 * Declares that a statement with a verb of writing changes no result of a reference query and no row of the goods,
 * although it names one of their tables: it only reads it, or writes columns that are not kept. Test boxes refuse one that
 * does more.
 */
export function keepsReferenceData(text: string): string {
  keeping.add(text);
  return text;
}

/** What a statement may change of what boxes keep in memory. */
export interface KeptWrites {
  readonly reference: boolean;
  readonly goods: boolean;
}

const noWrites: KeptWrites = { reference: false, goods: false };
const writing = new Map<string, KeptWrites>();

/**
 * Whether a statement may change the result of a reference query, or a row of the goods. SQL is not parsed: no statement
 * writes a table without a verb for it and the name of the table. So each that has both counts, but for those that are
 * declared.
 */
export function writesOf(text: string): KeptWrites {
  let writes = writing.get(text);
  if (writes === undefined) {
    writes = hasWritingVerb(text) && !keeping.has(text) ? writesNamed(text) : noWrites;
    writing.set(text, writes);
  }
  return writes;
}

function writesNamed(text: string): KeptWrites {
  const names = [...text.matchAll(word)].map(([name]) => name.toLowerCase());
  return { reference: names.some((name) => tables.has(name)), goods: names.some((name) => goods.has(name)) };
}

/**
 * An expression for the tenant's versions of the reference data and of the goods, for statements of packages; null for
 * a tenant without them.
 */
export const referenceVersion = `(
  select concat_ws(' ', version, goods) from reference_versions where tenant_id = $1)`;

/**
 * Replaces the version. The last statement of a transaction, since the row is locked until it ends. A tenant whose data is
 * being removed gets no new row.
 */
export const replaceVersion = `
  insert into reference_versions (tenant_id, version, goods)
  select id, $2::uuid, $2::uuid from tenants where id = $1 and removal_started_at is null
  on conflict (tenant_id) do update set version = excluded.version`;

/** Numbers of queries, since their texts are long as keys. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

export function numberOf(query: object): number {
  const number = numbers.get(query) ?? ++lastNumber;
  numbers.set(query, number);
  return number;
}

interface Kept {
  version: string;
  rows: readonly unknown[];
}

/** The results that a box keeps: at most 16 million characters of JSON, none of them above half a million. */
export class ReferenceResults {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: 16_000_000,
    maxEntrySize: 500_000,
    ttl: 60_000,
    // Otherwise it has a timer of a millisecond for each read.
    ttlResolution: 1000,
    sizeCalculation: ({ rows }, key) => JSON.stringify(rows).length + key.length,
  });

  /**
   * Returns the rows of a query at a version, from memory or by `read`. They are shared, hence frozen.
   * @param read runs the query, in a snapshot no older than the version
   */
  async get<R>(
    query: ReferenceQuery,
    values: readonly unknown[],
    { tenantId, version }: { tenantId: string; version: string },
    read: () => Promise<R[]>,
  ): Promise<readonly R[]> {
    const key = `${numberOf(query)} ${tenantId} ${JSON.stringify(values)}`;
    const kept = this.#kept.get(key);
    if (kept?.version === version) return kept.rows as readonly R[];
    const rows = frozen(await read());
    this.#kept.set(key, { version, rows });
    return rows;
  }
}

/** Freezes objects and arrays with all that is in them. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
