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
  return { text, tables: read };
}

const insertOrDelete = /\b(?:insert\s+into|delete\s+from)\s+"?([a-z_]+)/gi;
const update =
  /\bupdate\s+"?([a-z_]+)"?(?:\s+(?:as\s+)?[a-z_]+)?\s+set\s+([\s\S]*?)(?:\bwhere\b|\bfrom\b|\breturning\b|$)/gi;
const assigned = /(?:^|,)\s*"?([a-z_]+)"?\s*=/g;

/** What a statement writes: tables, with the columns of updates. */
type Writes = readonly { table: string; columns: readonly string[] | null }[];

const writesOf = new Map<string, Writes>();

function analyze(text: string): Writes {
  const updates = [...text.matchAll(update)].map(([, table, set]) => ({
    table: table as string,
    columns: namesIn(set as string, assigned),
  }));
  return [...namesIn(text, insertOrDelete).map((table) => ({ table, columns: null })), ...updates];
}

/** Whether a statement may change the result of a reference query. */
export function writesReferenceData(text: string): boolean {
  let writes = writesOf.get(text);
  if (writes === undefined) {
    writes = analyze(text);
    writesOf.set(text, writes);
  }
  return writes.some(({ table, columns }) => {
    const unread = tables.get(table);
    return unread !== undefined && !columns?.every((column) => unread.has(column));
  });
}

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
