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

const readTable = /\b(?:from|join)\s+"?([a-z_]+)\b(?!\s*\()/g;
const commonTable = /(?:\bwith|,)\s+([a-z_]+)\s+as\s+(?:materialized\s+)?\(/g;

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name as string);

/**
 * Declares a statement for `readReference`, and the tables that it reads as reference tables.
 * @param text as for `query`: `$1` is the tenant. It must not call functions of time
 * @param unread columns that are written all the time and that the statement does not read, by table
 */
export function referenceQuery(text: string, unread: Readonly<Record<string, readonly string[]>> = {}): ReferenceQuery {
  const own = new Set(namesIn(text, commonTable));
  const read = [...new Set(namesIn(text, readTable))].filter((name) => !own.has(name));
  for (const table of read) {
    const ignored = unread[table] ?? [];
    const known = tables.get(table);
    tables.set(table, new Set(known ? ignored.filter((column) => known.has(column)) : ignored));
  }
  writing.clear();
  return { text, tables: read };
}

/** A verb of a statement that writes; `for update` only locks. On one line, so that no comment can end with the `for`. */
const verb = /(?<!\bfor(?: +no +key)? +)\b(?:insert|update|delete|merge|truncate|copy)\b/i;
const word = /[a-z_][a-z0-9_$]*/gi;

/** Whether a statement has a verb of writing. */
export const hasWritingVerb = (text: string) => verb.test(text);

const keeping = new Set<string>();

/**
 * Declares that a statement with a verb of writing changes no result of a reference query, although it names a reference
 * table: it only reads it, or writes columns that no reference query reads. Test boxes refuse one that does more.
 */
export function keepsReferenceData(text: string): string {
  keeping.add(text);
  return text;
}

const writing = new Map<string, boolean>();

/**
 * Whether a statement may change the result of a reference query. SQL is not parsed: no statement writes a table without
 * a verb for it and the name of the table. So each that has both counts, but for those that are declared.
 */
export function writesReferenceData(text: string): boolean {
  let writes = writing.get(text);
  if (writes === undefined) {
    writes = hasWritingVerb(text) && namesReferenceTable(text) && !keeping.has(text);
    writing.set(text, writes);
  }
  return writes;
}

const namesReferenceTable = (text: string) => [...text.matchAll(word)].some(([name]) => tables.has(name.toLowerCase()));

/** An expression for the tenant's version, for statements of packages; null for a tenant without one. */
export const referenceVersion = '(select version from reference_versions where tenant_id = $1)';

/**
 * Replaces the version. The last statement of a transaction, since the row is locked until it ends. A tenant whose data is
 * being removed gets no new row.
 */
export const replaceVersion = `
  insert into reference_versions (tenant_id, version)
  select id, $2::uuid from tenants where id = $1 and removal_started_at is null
  on conflict (tenant_id) do update set version = excluded.version`;

/** Numbers of queries, since their texts are long as keys. */
const numbers = new WeakMap<ReferenceQuery, number>();
let lastNumber = 0;

function numberOf(query: ReferenceQuery): number {
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
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
