/**
 * How a package reaches the database: the rows of one tenant, read (tenant-reader.ts) and written, in transactions.
 * What staff change is reported to the listeners.
 */
import { randomUUID } from 'node:crypto';
import { extensionPoint } from '../extension/extension.ts';
import { type Actor, type Change, withoutSecrets } from './changes.ts';
import type { Connection } from './client.ts';
import { quoteName, toSnakeCase } from './connection.ts';
import { replaceGoodsVersion } from './goods.ts';
import type { Placement } from './placement.ts';
import { besideLanes, inLane } from './pool.ts';
import { replaceVersion, writesOf } from './reference-data.ts';
import { setTenant } from './row-security.ts';
import { runConcurrently } from './run-concurrently.ts';
import { type Row, TenantReader } from './tenant-reader.ts';
import { begin, commit, rollback, type TransactionOptions, untilAnswered } from './transaction-commands.ts';

type Values = Record<string, unknown>;

type RollbackTask = (db: TenantDatabase) => Promise<unknown>;

/** It waits for `tenantSet` before it commits. */
type WorkWithCommit<T> = (
  db: TenantDatabase,
  commit: () => Promise<void>,
  tenantSet: Promise<unknown> | undefined,
) => Promise<T>;

/** What the work of a transaction has sent last, without waiting for it, and what it returns. */
export interface LastSent<T> {
  sent: Promise<unknown>;
  value: T;
}

/** A value for a jsonb column. Arrays need it too: without it they become PostgreSQL arrays. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/**
 * Records deleted rows of a table with an `external_id`, for integrations that poll for changes. Call it in the
 * transaction of a statement that deletes rows; `remove` and `update` call it themselves.
 */
export async function recordDeletions(db: TenantDatabase, table: string, rows: readonly Row[]): Promise<void> {
  const recorded = rows.filter((row) => 'externalId' in row);
  if (recorded.length === 0) return;
  await db.query(
    `insert into deletions (tenant_id, resource, id, external_id)
     select $1, $2, deleted.id, deleted.external_id from unnest($3::uuid[], $4::text[]) as deleted (id, external_id)
     on conflict do nothing`,
    [table, recorded.map(({ id }) => id), recorded.map(({ externalId }) => externalId)],
  );
}

/** Called inside the transaction of the change: if it throws, the change is rolled back. */
export type ChangeListener = (db: TenantDatabase, change: Change) => Promise<void>;

export const changeListeners = extensionPoint<ChangeListener>('changes');

export class TenantDatabase extends TenantReader {
  #afterCommit: (() => unknown)[] = [];
  #afterRollback: RollbackTask[] = [];

  /** The same database with this actor. */
  as(actor: Actor): TenantDatabase {
    return new TenantDatabase(this.knex, this.placements, this.tenantId, {
      extensions: this.extensions,
      actor,
      connection: this.connection,
      placement: this.placement,
      readsOnly: !this.isTransaction,
      deadline: this.deadline,
      unit: this.unit,
    });
  }

  override query<R = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const { reference, goods } = writesOf(text);
    if (!reference && !goods) return super.query(text, values);
    if (!this.isTransaction) return this.transaction((tx) => tx.query<R>(text, values));
    this.unit.writesReferenceData ||= reference;
    this.unit.writesGoods ||= goods;
    return super.query(text, values);
  }

  /** Inserts one row and returns it as stored. */
  async insert<R = Row>(table: string, values: Values): Promise<R> {
    return (await this.insertMany<R>(table, [values]))[0] as R;
  }

  /** Inserts rows that name the same columns and returns them as stored. */
  async insertMany<R = Row>(table: string, rows: readonly Values[]): Promise<R[]> {
    if (rows.length === 0) return [];
    const columns = Object.keys(rows[0] as Values).filter((column) => rows[0]?.[column] !== undefined);
    const tuples = rows.map(
      (_, index) => `($1, ${columns.map((_, at) => `$${index * columns.length + at + 2}`).join(', ')})`,
    );
    const text = `insert into ${quote(table)} (tenant_id, ${columns.map(quote).join(', ')}) values ${tuples.join(', ')} returning *`;
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null));
    return this.#withReports(async (db) => {
      const inserted = await db.query<R & Row>(text, values);
      for (const row of inserted) await db.#report({ action: 'insert', table, before: null, after: row });
      return inserted;
    });
  }

  /**
   * Updates the rows whose columns equal `where` and returns them as they are now. A patch without a defined value
   * only reads them. `updatedAt` is set to the start of the transaction by the database's clock, whatever the patch
   * says, since integrations poll for changes by it. Setting `deletedAt` records a deletion.
   */
  async update<R = Row>(table: string, where: Values, patch: Values): Promise<R[]> {
    const columns = Object.keys(patch).filter((column) => patch[column] !== undefined);
    if (columns.length === 0) return this.#select<R & Row>(table, where);
    const patched = columns.filter((column) => column !== 'updatedAt');
    const set = patched.map((column, at) => `${quote(column)} = $${at + 2}`);
    if (patched.length < columns.length) set.push('updated_at = now()');
    const { condition, values } = conditionOf(where, patched.length + 2);
    const text = `update ${quote(table)} set ${set.join(', ')} where tenant_id = $1${condition} returning *`;
    return this.#withReports(async (db) => {
      const before = db.#hasListeners ? await db.#select(table, where, 'for update') : [];
      const updated = await db.query<R & Row>(text, [...patched.map((column) => patch[column]), ...values]);
      if (patch.deletedAt) await recordDeletions(db, table, updated);
      for (const after of updated) {
        await db.#report({
          action: 'update',
          table,
          before: before.find((row) => isSameRow(row, after)) ?? null,
          after,
        });
      }
      return updated;
    });
  }

  /** Deletes the rows whose columns equal `where`, records the deletions and returns the rows as they were. */
  async remove<R = Row>(table: string, where: Values): Promise<R[]> {
    const { condition, values } = conditionOf(where, 2);
    const text = `delete from ${quote(table)} where tenant_id = $1${condition} returning *`;
    return this.#withReports(async (db) => {
      const removed = await db.query<R & Row>(text, values);
      await recordDeletions(db, table, removed);
      for (const before of removed) await db.#report({ action: 'delete', table, before, after: null });
      return removed;
    });
  }

  /**
   * Runs work in one transaction; inside a transaction the work joins it.
   * Never call another service over the network in it: its row locks would be held until that service responds.
   */
  async transaction<T>(work: (db: TenantDatabase) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.isTransaction) return work(this);
    return this.#begin(async (tx, commit, tenantSet) => {
      const result = await work(tx);
      await tenantSet;
      await commit();
      return result;
    }, options);
  }

  /** @param work calls `commit` behind its last statement */
  async #begin<T>(work: WorkWithCommit<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.connection) throw new Error('no transaction can be begun among pipelined reads');
    const tasks: RollbackTask[] = [];
    try {
      return await this.#transact(work, tasks, options);
    } catch (error) {
      // The connection is back in the pool by now. A task that fails must not hide the first error.
      for (const task of tasks) await task(this).catch(() => {});
      throw error;
    }
  }

  /**
   * Runs work in one transaction like `transaction`, and reads behind its commit, on the same connection: the last
   * statements of the work, which it returns as `sent`, the commit and the reads share a round trip. The reads see what
   * is committed; if one fails, the work is committed all the same. Inside a transaction the reads join it.
   * @returns what `read` returns
   */
  async transactionThen<T, R>(
    work: (db: TenantDatabase) => Promise<LastSent<T>>,
    read: (db: TenantDatabase, value: T) => Promise<R>,
  ): Promise<R> {
    const { shardLock } = await this.placements.of(this.tenantId);
    if (this.isTransaction || shardLock) {
      return this.transaction(async (tx) => {
        const { sent, value } = await work(tx);
        const [, result] = await runConcurrently([() => sent, () => read(tx, value)]);
        return result;
      });
    }
    let outcome: { value: R } | { error: unknown } | undefined;
    await this.#begin(async (tx, commit, tenantSet) => {
      const { sent, value } = await work(tx);
      await tenantSet;
      // What fails before it is sent must not be committed.
      await Promise.race([sent, undefined]);
      const ending = runConcurrently([() => sent, commit]);
      tx.unit.isEnding = true;
      const reading = read(tx.#behindCommit(), value).then(
        (result) => ({ value: result }),
        (error: unknown) => ({ error }),
      );
      await ending;
      outcome = await reading;
      if ('error' in outcome && tx.connection) await untilAnswered(tx.connection);
    });
    if (!outcome || 'error' in outcome) throw outcome?.error;
    return outcome.value;
  }

  /**
   * Runs work in one transaction like `transaction`. What the work returns as `last` has sent all of its statements and
   * checks no answer but errors: the commit shares its round trip.
   */
  transactionWithLast<T>(work: (db: TenantDatabase) => Promise<{ last: Promise<T> }>): Promise<T> {
    const send = async (tx: TenantDatabase): Promise<LastSent<Promise<T>>> => {
      const { last } = await work(tx);
      return { sent: last, value: last };
    };
    return this.transactionThen(send, (_, last) => last);
  }

  /**
   * Runs reads on one connection, in PostgreSQL's pipeline mode: those sent concurrently (`Promise.all`) take one round
   * trip, as they do in a transaction. There is no transaction: each sees what is committed when it runs. Inside a
   * transaction the reads join it. @throws Error when the work begins a transaction
   */
  async pipelined<T>(work: (db: TenantDatabase) => Promise<T>): Promise<T> {
    if (this.connection) return work(this);
    if ((await this.placements.of(this.tenantId)).shardLock) return this.transaction(work);
    return besideLanes(this.knex, () =>
      this.withPlacement(async (placement, connection) => {
        const { extensions, actor, deadline } = this;
        const options = { extensions, actor, connection, placement, readsOnly: true, deadline };
        // Sent with the first read.
        const tenantSet = setTenant(connection, this.tenantId);
        tenantSet?.catch(() => {});
        const one = new TenantDatabase(this.knex, this.placements, this.tenantId, options);
        try {
          const result = await work(one);
          await tenantSet;
          return result;
        } catch (error) {
          await untilAnswered(connection);
          throw error;
        }
      }),
    );
  }

  async #transact<T>(
    work: WorkWithCommit<T>,
    afterRollback: RollbackTask[],
    transaction: TransactionOptions,
  ): Promise<T> {
    const run = async (placement: Placement, connection: Connection, giveUpLane: () => void) => {
      const { extensions, actor, deadline } = this;
      const options = { extensions, actor, connection, placement, deadline };
      const db = new TenantDatabase(this.knex, this.placements, this.tenantId, options);
      db.#afterRollback = afterRollback;
      // Neither this nor `begin` is awaited: both are sent with the first statement. If setting the tenant fails,
      // nothing is committed.
      const tenantSet = setTenant(connection, this.tenantId);
      tenantSet?.catch(() => {});
      try {
        begin(connection, transaction);
        if (placement.shardLock) await connection.query(placement.shardLock);
        const end = async () => {
          if (db.unit.writesReferenceData) await db.query(replaceVersion, [randomUUID()]);
          const committed = commit(connection);
          giveUpLane();
          await committed;
        };
        return { result: await work(db, end, tenantSet), committed: db };
      } catch (error) {
        await rollback(connection);
        throw error;
      }
    };
    const { result, committed } = await inLane(this.knex, (giveUp) =>
      this.withPlacement((placement, connection) => run(placement, connection, giveUp)),
    );
    // A transaction of its own: what fails from here on does not repeat the work.
    if (committed.unit.writesGoods) await this.query(replaceGoodsVersion, [randomUUID()]);
    for (const task of committed.#afterCommit) await task();
    return result;
  }

  /** The same connection for reads that are sent behind the commit of this transaction. */
  #behindCommit(): TenantDatabase {
    const { extensions, actor, deadline, connection, placement } = this;
    const unit = { ...this.unit, isEnding: false };
    const options = { extensions, actor, deadline, connection, placement, unit, readsOnly: true };
    return new TenantDatabase(this.knex, this.placements, this.tenantId, options);
  }

  /**
   * Runs a task once this transaction is committed, which ends with it; immediately outside a transaction.
   */
  afterCommit(task: () => unknown): void {
    if (this.isTransaction) this.#afterCommit.push(task);
    else task();
  }

  /**
   * Runs a task after this transaction is rolled back, with a database outside of it: to record what failed.
   * Errors of the task are ignored.
   */
  afterRollback(task: RollbackTask): void {
    this.#afterRollback.push(task);
  }

  get #hasListeners(): boolean {
    return this.actor !== null && changeListeners.of(this).length > 0;
  }

  /** Runs a change in one transaction with its reports, where there are listeners. */
  #withReports<T>(work: (db: TenantDatabase) => Promise<T>): Promise<T> {
    return this.#hasListeners ? this.transaction(work) : work(this);
  }

  async #report(change: Omit<Change, 'actor'>): Promise<void> {
    if (!this.actor) return;
    const before = change.before && withoutSecrets(change.before);
    const after = change.after && withoutSecrets(change.after);
    for (const listener of changeListeners.of(this)) {
      await listener(this, { ...change, before, after, actor: this.actor });
    }
  }

  async #select<R = Row>(table: string, where: Values, lock = ''): Promise<R[]> {
    const { condition, values } = conditionOf(where, 2);
    return this.query<R>(`select * from ${quote(table)} where tenant_id = $1${condition} ${lock}`, values);
  }
}

function quote(name: string): string {
  return quoteName(toSnakeCase(name));
}

/** Compares with `is null` for null, with `= any (…)` for an array. */
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

/** Compares the identifying columns of two rows of one table. */
function isSameRow(one: Row, other: Row): boolean {
  if ('id' in one) return one.id === other.id;
  const identifying = Object.keys(one).filter((column) => /Id$/.test(column));
  return identifying.every((column) => one[column] === other[column]);
}
