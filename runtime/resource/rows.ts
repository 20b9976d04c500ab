/**
 * Access to the rows of a table that stores a resource: find, require, lock, insert, change, remove and list. Business
 * rules stay in the packages; this is the part that is the same for all of them.
 */
import { quoteName, toSnakeCase } from '../db/connection.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../db/errors.ts';
import { newId } from '../db/id.ts';
import { referenceQuery } from '../db/reference-data.ts';
import { runConcurrently } from '../db/run-concurrently.ts';
import { json, type TenantDatabase } from '../db/tenant-database.ts';
import type { Page } from '../http/paging.ts';
import { invalidRequest, notFound, type ProblemDefinition } from '../http/problems.ts';
import { writtenText } from '../http/written.ts';
import { type ChangeSource, readChanges, rejectFilters } from '../queries/incremental-reads.ts';
import { type ColumnValues, newestFirst, paginate, paginateChoices } from '../queries/paging.ts';
import type { Builder, ListQuery, Rows, RowsDeclaration, StoredRow } from './declared-rows.ts';
import { type FoundByWords, foundByWords } from './found-by-words.ts';

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

  const words = declaration.words ? foundByWords({ table, softDelete }, declaration.words) : null;

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

  /** A row and its words are written in one transaction. */
  function withWords<T>(db: TenantDatabase, work: (tx: TenantDatabase) => Promise<T>): Promise<T> {
    return words ? db.transaction(work) : work(db);
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

  function filtered(
    db: TenantDatabase,
    { externalId, ...selected }: Record<string, unknown> & { externalId?: string },
    fixed: Partial<Row>,
  ): Builder<Row> {
    const query = listQuery(db, fixed);
    for (const [filter, value] of Object.entries(selected)) {
      const applyFilter = filters[filter];
      if (applyFilter) applyFilter(query, value as never);
      else query.where(`${table}.${filter}`, value as never);
    }
    if (externalId !== undefined) {
      const written = [...new Set([externalId, writtenText(externalId) ?? externalId])];
      query.whereIn(`${table}.external_id`, written);
    }
    return query;
  }

  /** Returns a page in the order of the words that match; its rows are then read with all filters. */
  async function pageOfWords(
    db: TenantDatabase,
    { page }: FoundByWords<Row>,
    { limit, cursor, q, sort, ...selected }: ListQuery & { q: string },
    fixed: Partial<Row>,
  ): Promise<Page<Row>> {
    if (sort !== undefined) {
      const detail = 'cannot be combined with q: the list is then in the order of the words that match';
      throw invalidRequest(`sort ${detail}`, { errors: [{ in: 'query', pointer: '/sort', detail }] });
    }
    const { items, nextCursor } = await page(db, q, { ...selected, ...fixed }, { limit, cursor });
    const ids = items.map(({ id }) => id);
    const query = filtered(db, selected, fixed).whereRaw('?? = any(?::uuid[])', [`${table}.id`, ids]);
    const found = new Map(((await query) as Row[]).map((row) => [row.id, row]));
    return { items: ids.flatMap((id) => found.get(id) ?? []), nextCursor };
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
    insert: (db, values) =>
      withWords(db, async (tx) => {
        const row = await mapDuplicates(tx.insert<Row>(table, { id: newId(), ...encodeJson(values) }));
        await words?.write(tx, row.id);
        return withComputed(tx, row);
      }),
    change: (db, id, patch) =>
      withWords(db, async (tx) => {
        const where = softDelete ? { id, deletedAt: null } : { id };
        const changes = { ...encodeJson(patch), updatedAt: new Date() };
        const [row] = await mapDuplicates(tx.update<Row>(table, where, changes));
        if (!row) throw notFoundById(id);
        if (words?.dependOn(patch)) await words.rewrite(tx, id);
        return withComputed(tx, row);
      }),
    remove: (db, id) =>
      withWords(db, async (tx) => {
        const now = new Date();
        const work = softDelete
          ? tx.update(table, { id, deletedAt: null }, { deletedAt: now, updatedAt: now })
          : tx.remove(table, { id });
        const removed = await work.catch((error) => {
          throw inUse && isForeignKeyViolation(error) ? inUse({ id }) : error;
        });
        if (removed.length === 0) throw notFoundById(id);
        // Otherwise the foreign key deletes them.
        if (softDelete) await words?.clear(tx, id);
      }),
    async page(db, query, fixed = {}) {
      const { limit, cursor, externalId, updatedAfter, sort, ...others } = query;
      const selected = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
      const position = { limit, cursor };
      const hasFiltersOnly = externalId === undefined && updatedAfter === undefined && Object.keys(fixed).length === 0;
      const names = Object.keys(selected);
      const order = sort === undefined ? undefined : sorts[sort];
      if (choices && !order && hasFiltersOnly && names.length > 0 && names.every((filter) => filter in choices)) {
        return pageOfChoices(db, selected, position);
      }
      if (updatedAfter !== undefined) rejectFilters({ ...selected, externalId });
      else if (words && query.q !== undefined) {
        return pageOfWords(db, words, { ...selected, ...position, q: query.q, externalId, sort }, fixed);
      }
      const listed = filtered(db, { ...selected, externalId }, fixed);
      if (updatedAfter !== undefined) {
        const from = { ...position, updatedAfter };
        if (declaration.changeSource) return pageOfChanges(db, declaration.changeSource, from);
        return readChanges<Row & { updatedAt: string }>(db, listed as never, { table }, from);
      }
      return paginate(listed, table, position, order ? { name: sort as string, ...order } : newestFirst);
    },
  };
}
