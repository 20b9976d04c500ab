/**
 * The one way a package reaches the database: every statement made here carries the tenant.
 */
import type { Knex } from 'knex';
import { type Extensions, extensionPoint } from '../extension/extension.ts';
import { acquireTenantConnection, builderClient } from './builder-client.ts';
import { type Actor, type Change, withoutSecrets } from './changes.ts';
import type { Connection } from './client.ts';
import { quoteName, rowsOf, toSnakeCase } from './connection.ts';
import { type Placement, type Placements, withPlacement } from './placement.ts';
import { type Deadline, withConnection } from './pool.ts';
import { queryAsTenant, setTenant } from './row-security.ts';

type Row = Record<string, unknown>;
type Values = Record<string, unknown>;

type RollbackTask = (db: TenantDatabase) => Promise<unknown>;

const statementNames = new Map<string, string>();
/** Statements that are known to speak of the tenant. */
const checked = new Set<string>();

/** A name for a statement, so that PostgreSQL parses it once a connection. */
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = `s${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

/** Values for a jsonb column: arrays too are JSON there, not PostgreSQL arrays. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/**
 * Times of rows are kept in milliseconds, rounded, hence two of them. A session says when its transaction began a moment
 * after it did, hence the second.
 */
const settled = `
  select least(clock_timestamp() - interval '1 second', min(xact_start) - interval '2 milliseconds') as settled
    from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
     and application_name <> 'pg_dump'`;

/**
 * Notes rows as deleted, in the transaction that deletes them, for whoever follows changes: those of a table that has
 * an `external_id`. For statements that delete by themselves; `remove` and `update` do it.
 */
export async function recordDeletions(db: TenantDatabase, table: string, rows: readonly Row[]): Promise<void> {
  const noted = rows.filter((row) => 'externalId' in row);
  if (noted.length === 0) return;
  await db.query(
    `insert into deletions (tenant_id, resource, id, external_id)
     select $1, $2, gone.id, gone.external_id from unnest($3::uuid[], $4::text[]) as gone (id, external_id)
     on conflict do nothing`,
    [table, noted.map(({ id }) => id), noted.map(({ externalId }) => externalId)],
  );
}

export interface TransactionOptions {
  /**
   * `serializable`: as if no other transaction ran meanwhile, or an error of SQLSTATE class 40, after which the work
   * may be done again. The outer transaction's own where the work joins one.
   */
  isolation?: 'read committed' | 'serializable';
}

const beginnings = { 'read committed': 'begin', serializable: 'begin isolation level serializable' };

/** Called inside the transaction of the change: a failure undoes both. */
export type ChangeListener = (db: TenantDatabase, change: Change) => Promise<void>;

export const changeListeners = extensionPoint<ChangeListener>('changes');

export class TenantDatabase {
  readonly tenantId: string;
  readonly extensions: Extensions;
  /** Who acts, when it is staff: their changes are reported. */
  readonly actor: Actor | null;
  readonly #knex: Knex;
  readonly #placements: Placements;
  /** Of the transaction that this is in, or of reads that travel together, with its home. */
  readonly #connection: Connection | null;
  readonly #placement: Placement | null;
  readonly #isTransaction: boolean;
  readonly #deadline: Deadline | undefined;
  #afterCommit: (() => void)[] = [];
  #afterRollback: RollbackTask[] = [];

  constructor(
    knex: Knex,
    placements: Placements,
    tenantId: string,
    options: {
      extensions?: Extensions;
      actor?: Actor | null;
      connection?: Connection | null;
      placement?: Placement | null;
      /** The connection is for reads that travel together: no transaction was begun on it. */
      readsOnly?: boolean;
      deadline?: Deadline;
    } = {},
  ) {
    this.#knex = knex;
    this.#placements = placements;
    this.tenantId = tenantId;
    this.extensions = options.extensions ?? new Map();
    this.actor = options.actor ?? null;
    this.#connection = options.connection ?? null;
    this.#placement = options.placement ?? null;
    this.#isTransaction = this.#connection !== null && !options.readsOnly;
    this.#deadline = options.deadline;
  }

  /** True inside a transaction. */
  get inTransaction(): boolean {
    return this.#isTransaction;
  }

  /** The same database with staff acting in it. */
  as(actor: Actor): TenantDatabase {
    return new TenantDatabase(this.#knex, this.#placements, this.tenantId, {
      extensions: this.extensions,
      actor,
      connection: this.#connection,
      placement: this.#placement,
      readsOnly: !this.#isTransaction,
      deadline: this.#deadline,
    });
  }

  /** A query of one table's rows of this tenant. For reading; columns may be written in camelCase. */
  table<R extends object = Row>(name: string): Knex.QueryBuilder<R, R[]> {
    const inside = this.#connection && { connection: this.#connection, placement: this.#placement as Placement };
    const client = builderClient(this.#knex, inside, () =>
      acquireTenantConnection(this.#placements, this.tenantId, this.#deadline),
    );
    return client.queryBuilder().from(name).where(`${name}.tenant_id`, this.tenantId) as never;
  }

  /** An expression for a query of `table`. */
  raw(sql: string, values: readonly unknown[] = []): Knex.Raw {
    return this.#knex.raw(sql, values as never);
  }

  /**
   * Runs a statement as it is written, prepared once a connection. `$1` is always the tenant; `values` begin at `$2`.
   * Answers the rows, with camelCase columns. @throws Error when the statement does not speak of the tenant
   */
  async query<R = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    if (!checked.has(text)) {
      if (!/\$1(?!\d)/.test(text)) throw new Error(`a statement leaves out the tenant ($1): ${text}`);
      checked.add(text);
    }
    return rowsOf(await this.#run(text, [this.tenantId, ...values])) as R[];
  }

  /** Inserts one row and answers it as stored. */
  async insert<R = Row>(table: string, values: Values): Promise<R> {
    return (await this.insertMany<R>(table, [values]))[0] as R;
  }

  /** Inserts rows that name the same columns and answers them as stored. */
  async insertMany<R = Row>(table: string, rows: readonly Values[]): Promise<R[]> {
    if (rows.length === 0) return [];
    const columns = Object.keys(rows[0] as Values).filter((column) => rows[0]?.[column] !== undefined);
    const tuples = rows.map(
      (_, index) => `($1, ${columns.map((_, at) => `$${index * columns.length + at + 2}`).join(', ')})`,
    );
    const text = `insert into ${quote(table)} (tenant_id, ${columns.map(quote).join(', ')}) values ${tuples.join(', ')} returning *`;
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null));
    return this.#reported(async (db) => {
      const inserted = await db.query<R & Row>(text, values);
      for (const row of inserted) await db.#report({ action: 'insert', table, before: null, after: row });
      return inserted;
    });
  }

  /**
   * Changes the rows whose columns equal `where` and answers them as they are now. A patch without a defined value
   * reads them. `updatedAt` becomes the beginning of the transaction, by the clock of the database, whatever is given:
   * whoever follows changes goes by it. Setting `deletedAt` is noted as a deletion.
   */
  async update<R = Row>(table: string, where: Values, patch: Values): Promise<R[]> {
    const columns = Object.keys(patch).filter((column) => patch[column] !== undefined);
    if (columns.length === 0) return this.#matching<R & Row>(table, where);
    const given = columns.filter((column) => column !== 'updatedAt');
    const set = given.map((column, at) => `${quote(column)} = $${at + 2}`);
    if (given.length < columns.length) set.push('updated_at = now()');
    const { condition, values } = conditionOf(where, given.length + 2);
    const text = `update ${quote(table)} set ${set.join(', ')} where tenant_id = $1${condition} returning *`;
    return this.#reported(async (db) => {
      const before = db.#listened ? await db.#matching(table, where, 'for update') : [];
      const changed = await db.query<R & Row>(text, [...given.map((column) => patch[column]), ...values]);
      if (patch.deletedAt) await recordDeletions(db, table, changed);
      for (const after of changed) {
        await db.#report({ action: 'update', table, before: before.find((row) => sameRow(row, after)) ?? null, after });
      }
      return changed;
    });
  }

  /** Removes the rows whose columns equal `where` and answers them as they were. What had an `externalId` is noted. */
  async remove<R = Row>(table: string, where: Values): Promise<R[]> {
    const { condition, values } = conditionOf(where, 2);
    const text = `delete from ${quote(table)} where tenant_id = $1${condition} returning *`;
    return this.#reported(async (db) => {
      const removed = await db.query<R & Row>(text, values);
      await recordDeletions(db, table, removed);
      for (const before of removed) await db.#report({ action: 'delete', table, before, after: null });
      return removed;
    });
  }

  /**
   * Runs work in one transaction: all of it or nothing. Inside a transaction the work joins it.
   * Never call another service over the network in here: row locks would wait for it.
   */
  async transaction<T>(work: (db: TenantDatabase) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.#isTransaction) return work(this);
    if (this.#connection) throw new Error('no transaction is begun among reads that travel together');
    const tasks: RollbackTask[] = [];
    try {
      return await this.#transact(work, tasks, options);
    } catch (error) {
      // The connection is back in the pool by now. The first error is the one to be told.
      for (const task of tasks) await task(this).catch(() => {});
      throw error;
    }
  }

  /**
   * Runs reads on one connection, so that those made at once (`Promise.all`) travel in one round trip, as they do in a
   * transaction. It is none: each sees what is committed as it runs. Inside a transaction the reads join it.
   * @throws Error when the work begins a transaction
   */
  async pipelined<T>(work: (db: TenantDatabase) => Promise<T>): Promise<T> {
    if (this.#connection) return work(this);
    if ((await this.#placements.of(this.tenantId)).shardLock) return this.transaction(work);
    return this.#withPlacement(async (placement, connection) => {
      const { extensions, actor, tenantId } = this;
      const inside = { extensions, actor, connection, placement, readsOnly: true, deadline: this.#deadline };
      // Travels with the first read.
      const spoken = setTenant(connection, tenantId);
      spoken?.catch(() => {});
      const result = await work(new TenantDatabase(this.#knex, this.#placements, tenantId, inside));
      await spoken;
      return result;
    });
  }

  #transact<T>(
    work: (db: TenantDatabase) => Promise<T>,
    afterRollback: RollbackTask[],
    { isolation = 'read committed' }: TransactionOptions,
  ): Promise<T> {
    const run = async (placement: Placement, connection: Connection) => {
      const { extensions, actor, tenantId } = this;
      const inside = { extensions, actor, connection, placement, deadline: this.#deadline };
      const db = new TenantDatabase(this.#knex, this.#placements, tenantId, inside);
      db.#afterRollback = afterRollback;
      // Neither is waited for: they travel with the first statement. If the first fails, nothing is committed; if the
      // second fails, so does everything after it.
      const spoken = setTenant(connection, tenantId);
      spoken?.catch(() => {});
      try {
        connection.query({ text: beginnings[isolation] }).catch(() => {});
        if (placement.shardLock) await connection.query(placement.shardLock);
        const result = await work(db);
        await spoken;
        await connection.query({ text: 'commit' });
        for (const task of db.#afterCommit) task();
        return result;
      } catch (error) {
        await connection.query({ text: 'rollback' }).catch(() => {});
        throw error;
      }
    };
    return this.#withPlacement(run);
  }

  /**
   * Until when all changes are committed: no row will turn up whose `updated_at`, the beginning of the transaction
   * that wrote it, is this or earlier. Ask before reading what was changed. On a connection of its own, as the user
   * that the box's roles come from, who sees what each of its sessions is at; a backup only reads and is passed over.
   */
  committedUntil(): Promise<string> {
    return this.#withPlacement(async (_, connection) => {
      const sent = [
        connection.query({ text: 'begin' }),
        connection.query({ text: 'set local role none' }),
        connection.query({ text: settled }),
        connection.query({ text: 'commit' }),
      ];
      const answers = await Promise.allSettled(sent);
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (failed) throw failed.reason;
      const { rows } = (answers[2] as PromiseFulfilledResult<{ rows: unknown[] }>).value;
      return (rows as [{ settled: string }])[0].settled;
    });
  }

  /** Work on a connection of the pool at this tenant's home. */
  #withPlacement<T>(work: (placement: Placement, connection: Connection) => Promise<T>): Promise<T> {
    return withPlacement(this.#placements, this.tenantId, (placement) =>
      withConnection(placement.knex, (connection) => work(placement, connection), this.#deadline),
    );
  }

  /** Runs a task once what is written so far has been committed; at once outside a transaction. */
  afterCommit(task: () => void): void {
    if (this.#isTransaction) this.#afterCommit.push(task);
    else task();
  }

  /**
   * Runs a task if this transaction is undone, then, with the database outside of it: for a record of what failed.
   * What the task throws is lost.
   */
  afterRollback(task: RollbackTask): void {
    this.#afterRollback.push(task);
  }

  get #listened(): boolean {
    return this.actor !== null && changeListeners.of(this).length > 0;
  }

  /** A change and its report belong together: in one transaction when anyone listens. */
  #reported<T>(work: (db: TenantDatabase) => Promise<T>): Promise<T> {
    return this.#listened ? this.transaction(work) : work(this);
  }

  async #report(change: Omit<Change, 'actor'>): Promise<void> {
    if (!this.actor) return;
    const before = change.before && withoutSecrets(change.before);
    const after = change.after && withoutSecrets(change.after);
    for (const listener of changeListeners.of(this)) {
      await listener(this, { ...change, before, after, actor: this.actor });
    }
  }

  async #matching<R = Row>(table: string, where: Values, lock = ''): Promise<R[]> {
    const { condition, values } = conditionOf(where, 2);
    return this.query<R>(`select * from ${quote(table)} where tenant_id = $1${condition} ${lock}`, values);
  }

  async #run(text: string, values: unknown[]) {
    const queryAt = (placement: Placement) => {
      const said = placement.statement(text);
      return { name: statementName(said), text: said, values, rowMode: 'array' as const };
    };
    if (this.#connection) return this.#connection.query(queryAt(this.#placement as Placement));
    return this.#withPlacement((placement, connection) =>
      queryAsTenant(connection, this.tenantId, queryAt(placement), placement.shardLock),
    );
  }
}

function quote(name: string): string {
  return quoteName(toSnakeCase(name));
}

/** A null compares with `is null`, a list with `= any (…)`. */
function conditionOf(where: Values, firstParameter: number): { condition: string; values: unknown[] } {
  const values: unknown[] = [];
  const parts = Object.entries(where).flatMap(([column, value]) => {
    if (value === undefined) return [];
    if (value === null) return [` and ${quote(column)} is null`];
    const parameter = `$${firstParameter + values.push(value) - 1}`;
    return [` and ${quote(column)} = ${Array.isArray(value) ? `any(${parameter})` : parameter}`];
  });
  return { condition: parts.join(''), values };
}

/** Rows of one table are the same when their identifying columns are. */
function sameRow(one: Row, other: Row): boolean {
  if ('id' in one) return one.id === other.id;
  const identifying = Object.keys(one).filter((column) => /Id$/.test(column));
  return identifying.every((column) => one[column] === other[column]);
}
