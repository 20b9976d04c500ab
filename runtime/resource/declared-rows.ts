/**
 * What the rows of a resource are declared with, and what access to them offers (rows.ts).
 */
import type { Knex } from 'knex';
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { Problem, ProblemDefinition } from '../http/problems.ts';
import type { ChangeSource, IntegrationPage } from '../queries/incremental-reads.ts';
import type { ColumnValues, Sort } from '../queries/paging.ts';
import type { WordsDeclaration } from './found-by-words.ts';

/** The columns of every such table; those of mutable resources have `updatedAt`, too. */
export interface StoredRow {
  id: string;
  createdAt: string;
  updatedAt?: string;
}

export type Builder<Row extends object> = Knex.QueryBuilder<Row, Row[]>;

export interface RowsDeclaration<Row extends object> {
  table: string;
  /** The noun in messages: `region`. */
  noun: string;
  /** The `jsonb` columns. */
  json?: readonly (keyof Row & string)[];
  /**
   * Computed properties of a row, as SQL over the table's name: `{ size: 'cardinality(parts.pieces)' }`. None may have the
   * name of a table, which Citus replaces by the name of a shard.
   */
  computed?: Readonly<Record<string, string>>;
  /** Rows are soft deleted: removing sets `deletedAt`, and such rows are not found. */
  softDelete?: true;
  /** `find` and `require` read the row as reference data (`TenantReader.readReference`). */
  reference?: true;
  /** The problem for a violation of a unique constraint, by the name of the constraint. */
  duplicates?: Readonly<Record<string, ProblemDefinition>>;
  /** The problem for removing a row that others reference. */
  inUse?: (row: { id: string }) => Problem;
  /** Filters of the list that do more than compare the column of their name. */
  filters?: Readonly<Record<string, (rows: Builder<Row>, value: never) => unknown>>;
  /** Orders of the list, by the value of `?sort=`; the default is newest first. */
  sorts?: Readonly<Record<string, Omit<Sort, 'name'>>>;
  /** All values of the columns that the list is filtered by, to avoid scanning all rows for a rare combination. */
  choices?: ColumnValues;
  /** The words by which rows are found with `?q=`; `insert`, `change` and `remove` keep them. */
  words?: WordsDeclaration<Row>;
  /** The table that records changes, if it is not the `updatedAt` of the rows themselves. */
  changeSource?: ChangeSource;
}

/** The query of a list: position, order, and filters by name. */
export interface ListQuery {
  [filter: string]: unknown;
  limit: number;
  cursor?: string;
  externalId?: string;
  updatedAfter?: string;
  sort?: string;
  q?: string;
}

export interface Rows<Row extends object> {
  /** Returns the row with the id, or null. */
  find(db: TenantDatabase, id: string): Promise<Row | null>;
  /** Returns a row whose columns have these values, or null. */
  findBy(db: TenantDatabase, where: Partial<Row>): Promise<Row | null>;
  /** Returns at most `limit` rows whose columns have these values, newest first. */
  findAllBy(db: TenantDatabase, where: Partial<Row>, limit: number): Promise<Row[]>;
  /** Locks and returns all rows whose columns have these values, oldest first. */
  lockAllBy(db: TenantDatabase, where: Partial<Row>): Promise<Row[]>;
  /** Returns rows by id, in one statement; unknown ids are omitted. */
  findMany(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, Row>>;
  /** Returns rows in the order of the ids, in one statement; unknown ids are omitted. */
  findInOrder(db: TenantDatabase, ids: readonly string[]): Promise<Row[]>;
  /** @throws not_found (404) */
  require(db: TenantDatabase, id: string): Promise<Row>;
  /** Takes a shared lock until the transaction ends, for writing rows that depend on this one. Null for an unknown id. */
  lockShared(db: TenantDatabase, id: string): Promise<Row | null>;
  /** Locks the row for a change until the transaction ends. @throws not_found (404) */
  lock(db: TenantDatabase, id: string): Promise<Row>;
  /** Inserts a row, with a new id by default. @throws a problem of `duplicates` (409) */
  insert(db: TenantDatabase, values: Partial<Row>): Promise<Row>;
  /** Sets the defined values of the patch, and `updatedAt`. @throws not_found (404), a problem of `duplicates` (409) */
  change(db: TenantDatabase, id: string, patch: Partial<Row>): Promise<Row>;
  /** @throws not_found (404), the problem of `inUse` (409) */
  remove(db: TenantDatabase, id: string): Promise<void>;
  /**
   * Returns one page: in the order of `sort`, of the row with an `externalId`, or of the changes since `updatedAfter`. All
   * other parameters are filters. With `q`, if the rows have `words`, it is in the order of the words that match, and has
   * fewer items than `limit`, even none, and a `nextCursor` where filters exclude some of them that `words` does not copy.
   * @param fixed column values of all listed rows, independent of the query
   * @throws invalid_request (400) for a cursor of another list, for `updatedAfter` with a filter, or for `q` with `sort`
   */
  page(db: TenantDatabase, query: ListQuery, fixed?: Partial<Row>): Promise<IntegrationPage<Row>>;
}
