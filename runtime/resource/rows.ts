/**
 * Access to the rows of a table that stores a resource: find, require, lock, insert, change, remove and list. Business
 * rules stay in the packages; this is the part that is the same for all of them.
 */
import type { Knex } from 'knex';
import { quoteName, toSnakeCase } from '../db/connection.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../db/errors.ts';
import { newId } from '../db/id.ts';
import { referenceQuery } from '../db/reference-data.ts';
import { runConcurrently } from '../db/run-concurrently.ts';
import { json, type TenantDatabase } from '../db/tenant-database.ts';
import { notFound, type Problem, type ProblemDefinition } from '../http/problems.ts';
import { writtenText } from '../http/written.ts';
import { type ChangeSource, type IntegrationPage, readChanges, rejectFilters } from '../queries/incremental-reads.ts';
import { type ColumnValues, newestFirst, paginate, paginateChoices, type Sort } from '../queries/paging.ts';

/** The columns of every such table; those of mutable resources have `updatedAt`, too. */
export interface StoredRow {
  id: string;
  createdAt: string;
  updatedAt?: string;
}

type Builder<Row extends object> = Knex.QueryBuilder<Row, Row[]>;

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
   * other parameters are filters.
   * @param fixed column values of all listed rows, independent of the query
   * @throws invalid_request (400) for a cursor of another list, or for `updatedAfter` with a filter
   */
  page(db: TenantDatabase, query: ListQuery, fixed?: Partial<Row>): Promise<IntegrationPage<Row>>;
}

/**
 * @example const regions = rows<Region>({ table: 'regions', noun: 'region', json: ['metadata'] });
 *          const region = await regions.require(db, id);
 */
export function rows<Row extends StoredRow>(declaration: RowsDeclaration<Row>): Rows<Row> {
  const {
    table,
    noun,
    computed = {},
    softDelete,
    duplicates = {},
    inUse,
    filters = {},
    sorts = {},
    choices,
  } = declaration;
  const name = quoteName(table);
  const more = Object.entries(computed).map(([column, sql]) => `(${sql}) as ${quoteName(toSnakeCase(column))}`);
  const select = `select ${[`${name}.*`, ...more].join(', ')} from ${name} where ${name}.tenant_id = $1${
    softDelete ? ` and ${name}.deleted_at is null` : ''
  }`;
  const byId = `${select} and ${name}.id = $2`;
  const notFoundById = (id: string) => notFound(`No ${noun} has the id ${id}.`);

  const byIdAsReference = declaration.reference ? referenceQuery(byId) : null;

  async function findNow(db: TenantDatabase, id: string): Promise<Row | null> {
    const [row] = await db.query<Row>(byId, [id]);
    return row ?? null;
  }

  async function find(db: TenantDatabase, id: string): Promise<Row | null> {
    if (!byIdAsReference) return findNow(db, id);
    const [row] = await db.readReference<Row>(byIdAsReference, [id]);
    return row ?? null;
  }

  async function require(db: TenantDatabase, id: string): Promise<Row> {
    const row = await find(db, id);
    if (!row) throw notFoundById(id);
    return row;
  }

  /** A null is compared with `is null`; an undefined value equals nothing. */
  function matching(db: TenantDatabase, where: Partial<Row>, ending: string, limit: number[] = []): Promise<Row[]> {
    const values: unknown[] = [];
    const conditions = Object.entries(where).map(([column, value]) => {
      const test = value === null ? 'is null' : `= $${values.push(value) + 1}`;
      return ` and ${name}.${quoteName(toSnakeCase(column))} ${test}`;
    });
    const placeholder = limit.length > 0 ? ` $${values.length + 2}` : '';
    return db.query<Row>(`${select}${conditions.join('')} ${ending}${placeholder}`, [...values, ...limit]);
  }

  async function lockRow(db: TenantDatabase, id: string, strength: 'update' | 'share'): Promise<Row | null> {
    if (more.length === 0) {
      const [row] = await db.query<Row>(`${byId} for ${strength}`, [id]);
      return row ?? null;
    }
    // Computed values are read by a second statement, after the lock is taken; both are sent in one round trip.
    const [locked, row] = await runConcurrently([
      () => db.query(`select id from ${name} where tenant_id = $1 and id = $2 for ${strength}`, [id]),
      () => findNow(db, id),
    ]);
    return locked.length > 0 ? row : null;
  }

  /** Encodes the `jsonb` values. */
  function encodeJson(values: Partial<Row>): Record<string, unknown> {
    const columns: Record<string, unknown> = { ...values };
    for (const column of declaration.json ?? []) {
      const value = columns[column];
      if (value !== undefined && value !== null) columns[column] = json(value);
    }
    return columns;
  }

  /** The written row with its computed properties. */
  const withComputed = (db: TenantDatabase, row: Row) => (more.length > 0 ? require(db, row.id) : row);

  async function mapDuplicates<T>(work: Promise<T>): Promise<T> {
    return work.catch((error) => {
      const constraint = Object.keys(duplicates).find((each) => isUniqueViolation(error, each));
      throw constraint === undefined ? error : (duplicates[constraint] as ProblemDefinition)();
    });
  }

  function listQuery(db: TenantDatabase, fixed: Partial<Row>): Builder<Row> {
    const query = db.table<Row>(table).select(`${table}.*`, ...more.map((sql) => db.raw(sql)));
    for (const [column, value] of Object.entries(fixed)) query.where(`${table}.${column}`, value as never);
    if (softDelete) query.whereNull(`${table}.deleted_at`);
    return query as never;
  }

  async function pageOfChoices(db: TenantDatabase, selected: Record<string, unknown>, position: ListQuery) {
    const columns = Object.entries(choices as ColumnValues).map(([column, values]) => [
      column,
      selected[column] === undefined ? values : [selected[column]],
    ]);
    return withRows(db, await paginateChoices(db, table, Object.fromEntries(columns), position));
  }

  /** Returns a page of the changes that another table records; a row with several changes is returned once. */
  async function pageOfChanges(
    db: TenantDatabase,
    changeSource: ChangeSource,
    position: ListQuery & { updatedAfter: string },
  ) {
    const { table: source, id = 'id' } = changeSource;
    const changes = db
      .table<{ id: string; updatedAt: string }>(source)
      .select(`${source}.${id} as id`, `${source}.updatedAt`);
    return withRows(db, await readChanges(db, changes as never, changeSource, position));
  }

  /** Replaces the ids of a page with their rows. */
  async function withRows<Page extends { items: { id: string }[] }>(db: TenantDatabase, page: Page) {
    return { ...page, items: await findInOrder(db, [...new Set(page.items.map(({ id }) => id))]) };
  }

  async function findInOrder(db: TenantDatabase, ids: readonly string[]): Promise<Row[]> {
    const found = await findMany(db, ids);
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async function findMany(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, Row>> {
    if (ids.length === 0) return new Map();
    const found = await db.query<Row>(`${select} and ${name}.id = any($2::uuid[])`, [ids]);
    return new Map(found.map((row) => [row.id, row]));
  }

  return {
    find,
    findMany,
    findInOrder,
    require,
    async findBy(db, where) {
      const [row] = await matching(db, where, 'limit', [1]);
      return row ?? null;
    },
    findAllBy: (db, where, limit) => matching(db, where, `order by ${name}.id desc limit`, [limit]),
    async lockAllBy(db, where) {
      const locked = await matching(db, where, `order by ${name}.id for update`);
      return more.length > 0
        ? findInOrder(
            db,
            locked.map(({ id }) => id),
          )
        : locked;
    },
    lockShared: (db, id) => lockRow(db, id, 'share'),
    async lock(db, id) {
      const row = await lockRow(db, id, 'update');
      if (!row) throw notFoundById(id);
      return row;
    },
    async insert(db, values) {
      return withComputed(db, await mapDuplicates(db.insert<Row>(table, { id: newId(), ...encodeJson(values) })));
    },
    async change(db, id, patch) {
      const where = softDelete ? { id, deletedAt: null } : { id };
      const changes = { ...encodeJson(patch), updatedAt: new Date() };
      const [row] = await mapDuplicates(db.update<Row>(table, where, changes));
      if (!row) throw notFoundById(id);
      return withComputed(db, row);
    },
    async remove(db, id) {
      const now = new Date();
      const work = softDelete
        ? db.update(table, { id, deletedAt: null }, { deletedAt: now, updatedAt: now })
        : db.remove(table, { id });
      const removed = await work.catch((error) => {
        throw inUse && isForeignKeyViolation(error) ? inUse({ id }) : error;
      });
      if (removed.length === 0) throw notFoundById(id);
    },
    async page(db, { limit, cursor, externalId, updatedAfter, sort, ...others }, fixed = {}) {
      const selected = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
      const position = { limit, cursor };
      const hasFiltersOnly = externalId === undefined && updatedAfter === undefined && Object.keys(fixed).length === 0;
      const names = Object.keys(selected);
      const order = sort === undefined ? undefined : sorts[sort];
      if (choices && !order && hasFiltersOnly && names.length > 0 && names.every((filter) => filter in choices)) {
        return pageOfChoices(db, selected, position);
      }
      if (updatedAfter !== undefined) rejectFilters({ ...selected, externalId });
      const query = listQuery(db, fixed);
      for (const [filter, value] of Object.entries(selected)) {
        const applyFilter = filters[filter];
        if (applyFilter) applyFilter(query, value as never);
        else query.where(`${table}.${filter}`, value as never);
      }
      if (updatedAfter !== undefined) {
        const from = { ...position, updatedAfter };
        if (declaration.changeSource) return pageOfChanges(db, declaration.changeSource, from);
        return readChanges<Row & { updatedAt: string }>(db, query as never, { table }, from);
      }
      if (externalId !== undefined) {
        const written = [...new Set([externalId, writtenText(externalId) ?? externalId])];
        query.whereIn(`${table}.external_id`, written);
      }
      return paginate(query, table, position, order ? { name: sort as string, ...order } : newestFirst);
    },
  };
}
