/**
 * The rows of one table with an id, for whoever keeps a resource in it: found, required, locked, inserted, changed,
 * removed and listed in the same way everywhere. Rules stay with the package; what is said here is what every package
 * would say again.
 */
import type { Knex } from 'knex';
import { type ChangeSource, followChanges, type IntegrationPage, rejectFilters } from '../answers/following.ts';
import { type ColumnValues, newestFirst, paginate, paginateChoices, type Sort } from '../answers/paging.ts';
import { quoteName, toSnakeCase } from '../db/connection.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../db/errors.ts';
import { newId } from '../db/id.ts';
import { runConcurrently } from '../db/run-concurrently.ts';
import { json, type TenantDatabase } from '../db/tenant-database.ts';
import { notFound, type Problem, type ProblemDefinition } from '../http/problems.ts';

/** What every row of such a table has; one that can be changed has `updatedAt`, too. */
export interface StoredRow {
  id: string;
  createdAt: string;
  updatedAt?: string;
}

type Builder<Row extends object> = Knex.QueryBuilder<Row, Row[]>;

export interface RowsDeclaration<Row extends object> {
  table: string;
  /** What one is called where none is found: `region`. */
  noun: string;
  /** Its `jsonb` columns. */
  json?: readonly (keyof Row & string)[];
  /** More of a row than its columns, as SQL over the table's name: `{ size: 'cardinality(parts.pieces)' }`. */
  computed?: Readonly<Record<string, string>>;
  /** Rows with `deletedAt` are no more: they are not found, and removing sets it. */
  deletedSoftly?: true;
  /** What a violation of a unique constraint is answered with, by its name. */
  taken?: Readonly<Record<string, ProblemDefinition>>;
  /** What removing a row that others refer to is answered with. */
  inUse?: (row: { id: string }) => Problem;
  /** Filters of the list that are more than equality with the column of their name. */
  filters?: Readonly<Record<string, (rows: Builder<Row>, value: never) => unknown>>;
  /** Orders of the list, by the name that `?sort=` has; newest first unless told. */
  sorts?: Readonly<Record<string, Omit<Sort, 'name'>>>;
  /** All values of columns that the list is filtered by, where a rare combination must not be looked for in all rows. */
  choices?: ColumnValues;
  /** Where it is found which rows were changed, when their own `updatedAt` does not tell. */
  changeSource?: ChangeSource;
}

/** The query of a list: its place, its order, and its filters by their names. */
export interface ListQuery {
  [filter: string]: unknown;
  limit: number;
  cursor?: string;
  externalId?: string;
  updatedAfter?: string;
  sort?: string;
}

export interface Rows<Row extends object> {
  /** Null for an unknown id. */
  find(db: TenantDatabase, id: string): Promise<Row | null>;
  /** The first whose columns have these values; null for none. */
  findBy(db: TenantDatabase, where: Partial<Row>): Promise<Row | null>;
  /** The newest whose columns have these values, `limit` at most, newest first. */
  findAllBy(db: TenantDatabase, where: Partial<Row>, limit: number): Promise<Row[]>;
  /** All whose columns have these values, oldest first, as they stay until the transaction ends. */
  lockAllBy(db: TenantDatabase, where: Partial<Row>): Promise<Row[]>;
  /** By id; unknown ones are left out. One statement. */
  findMany(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, Row>>;
  /** By id, in the order of the ids; unknown ones are left out. One statement. */
  findInOrder(db: TenantDatabase, ids: readonly string[]): Promise<Row[]>;
  /** @throws not_found (404) */
  require(db: TenantDatabase, id: string): Promise<Row>;
  /** As it stays until the transaction ends, for whoever writes what depends on it; others may hold it as well. */
  hold(db: TenantDatabase, id: string): Promise<Row | null>;
  /** As it stays until the transaction ends, for a change. @throws not_found (404) */
  lock(db: TenantDatabase, id: string): Promise<Row>;
  /** With an id of its own unless one is given. @throws a problem of `taken` (409) */
  insert(db: TenantDatabase, values: Partial<Row>): Promise<Row>;
  /** Changes what is defined in the patch, and `updatedAt`. @throws not_found (404), a problem of `taken` (409) */
  change(db: TenantDatabase, id: string, patch: Partial<Row>): Promise<Row>;
  /** @throws not_found (404), the problem of `inUse` (409) */
  remove(db: TenantDatabase, id: string): Promise<void>;
  /**
   * One page: in the order of `sort`, of what has an `externalId`, or of what was changed `updatedAfter` a moment. Every
   * other parameter is a filter.
   * @param fixed values that all listed rows have, whatever the query
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
    deletedSoftly,
    taken = {},
    inUse,
    filters = {},
    sorts = {},
    choices,
  } = declaration;
  const name = quoteName(table);
  const more = Object.entries(computed).map(([column, sql]) => `(${sql}) as ${quoteName(toSnakeCase(column))}`);
  const select = `select ${[`${name}.*`, ...more].join(', ')} from ${name} where ${name}.tenant_id = $1${
    deletedSoftly ? ` and ${name}.deleted_at is null` : ''
  }`;
  const byId = `${select} and ${name}.id = $2`;
  const missing = (id: string) => notFound(`No ${noun} has the id ${id}.`);

  async function find(db: TenantDatabase, id: string): Promise<Row | null> {
    const [row] = await db.query<Row>(byId, [id]);
    return row ?? null;
  }

  async function require(db: TenantDatabase, id: string): Promise<Row> {
    const row = await find(db, id);
    if (!row) throw missing(id);
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

  async function held(db: TenantDatabase, id: string, strength: 'update' | 'share'): Promise<Row | null> {
    if (more.length === 0) {
      const [row] = await db.query<Row>(`${byId} for ${strength}`, [id]);
      return row ?? null;
    }
    // What is computed is read by the next statement, when the lock is held; both travel at once.
    const [locked, row] = await runConcurrently([
      () => db.query(`select id from ${name} where tenant_id = $1 and id = $2 for ${strength}`, [id]),
      () => find(db, id),
    ]);
    return locked.length > 0 ? row : null;
  }

  /** The columns of values, JSON ones as they are sent. */
  function columnsOf(values: Partial<Row>): Record<string, unknown> {
    const columns: Record<string, unknown> = { ...values };
    for (const column of declaration.json ?? []) {
      const value = columns[column];
      if (value !== undefined && value !== null) columns[column] = json(value);
    }
    return columns;
  }

  /** What was written with what is computed of it. */
  const withComputed = (db: TenantDatabase, row: Row) => (more.length > 0 ? require(db, row.id) : row);

  async function translated<T>(work: Promise<T>): Promise<T> {
    return work.catch((error) => {
      const constraint = Object.keys(taken).find((each) => isUniqueViolation(error, each));
      throw constraint === undefined ? error : (taken[constraint] as ProblemDefinition)();
    });
  }

  function listed(db: TenantDatabase, fixed: Partial<Row>): Builder<Row> {
    const query = db.table<Row>(table).select(`${table}.*`, ...more.map((sql) => db.raw(sql)));
    for (const [column, value] of Object.entries(fixed)) query.where(`${table}.${column}`, value as never);
    if (deletedSoftly) query.whereNull(`${table}.deleted_at`);
    return query as never;
  }

  async function pageOfChoices(db: TenantDatabase, told: Record<string, unknown>, place: ListQuery) {
    const asked = Object.entries(choices as ColumnValues).map(([column, values]) => [
      column,
      told[column] === undefined ? values : [told[column]],
    ]);
    return whole(db, await paginateChoices(db, table, Object.fromEntries(asked), place));
  }

  /** One page of what was changed, where another table tells: a row that it tells of twice is answered once. */
  async function pageOfFollowed(
    db: TenantDatabase,
    changeSource: ChangeSource,
    place: ListQuery & { updatedAfter: string },
  ) {
    const { table: other, id = 'id' } = changeSource;
    const told = db
      .table<{ id: string; updatedAt: string }>(other)
      .select(`${other}.${id} as id`, `${other}.updatedAt`);
    return whole(db, await followChanges(db, told as never, changeSource, place));
  }

  /** The page of which these are the ids. */
  async function whole<Page extends { items: { id: string }[] }>(db: TenantDatabase, page: Page) {
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
    hold: (db, id) => held(db, id, 'share'),
    async lock(db, id) {
      const row = await held(db, id, 'update');
      if (!row) throw missing(id);
      return row;
    },
    async insert(db, values) {
      return withComputed(db, await translated(db.insert<Row>(table, { id: newId(), ...columnsOf(values) })));
    },
    async change(db, id, patch) {
      const where = deletedSoftly ? { id, deletedAt: null } : { id };
      const changes = { ...columnsOf(patch), updatedAt: new Date() };
      const [row] = await translated(db.update<Row>(table, where, changes));
      if (!row) throw missing(id);
      return withComputed(db, row);
    },
    async remove(db, id) {
      const now = new Date();
      const work = deletedSoftly
        ? db.update(table, { id, deletedAt: null }, { deletedAt: now, updatedAt: now })
        : db.remove(table, { id });
      const removed = await work.catch((error) => {
        throw inUse && isForeignKeyViolation(error) ? inUse({ id }) : error;
      });
      if (removed.length === 0) throw missing(id);
    },
    async page(db, { limit, cursor, externalId, updatedAfter, sort, ...others }, fixed = {}) {
      const told = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
      const place = { limit, cursor };
      const plain = externalId === undefined && updatedAfter === undefined && Object.keys(fixed).length === 0;
      const names = Object.keys(told);
      if (choices && plain && names.length > 0 && names.every((filter) => filter in choices)) {
        return pageOfChoices(db, told, place);
      }
      if (updatedAfter !== undefined) rejectFilters({ ...told, externalId });
      const query = listed(db, fixed);
      for (const [filter, value] of Object.entries(told)) {
        const special = filters[filter];
        if (special) special(query, value as never);
        else query.where(`${table}.${filter}`, value as never);
      }
      if (updatedAfter !== undefined) {
        const following = { ...place, updatedAfter };
        if (declaration.changeSource) return pageOfFollowed(db, declaration.changeSource, following);
        return followChanges<Row & { updatedAt: string }>(db, query as never, { table }, following);
      }
      if (externalId !== undefined) query.where(`${table}.external_id`, externalId);
      const order = sort === undefined ? undefined : sorts[sort];
      return paginate(query, table, place, order ? { name: sort as string, ...order } : newestFirst);
    },
  };
}
