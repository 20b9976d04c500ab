/**
 * Distributes the tables over the nodes of Citus. Tables with a `tenant_id` are sharded by it, so that all rows of a
 * tenant are on one node; the tables of the box become reference tables, with a copy on every node. The engine's
 * records of migrations stay on the coordinator.
 */
import type { Knex } from 'knex';
import { quoteName } from '../connection.ts';
import { createPolicies } from '../row-security.ts';
import { engineTables } from '../tenant-keys.ts';
import { statementsOf, withoutSequence, withoutSetNull } from './statements.ts';

interface Table {
  name: string;
  tenant: boolean;
}

/** Tables not distributed yet; those of the box first, since the others refer to them. */
async function undistributedTables(knex: Knex): Promise<Table[]> {
  const { rows } = await knex.raw<{ rows: Table[] }>(
    `select relname as name, tenant
       from pg_class tables,
            lateral (select exists (select from pg_attribute where attrelid = tables.oid and attname = 'tenant_id'
                                                               and not attisdropped) as tenant) has
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and not relname = any(:engineTables) and not relation_is_a_known_shard(tables.oid)
        and not exists (select from pg_dist_partition
                         where logicalrelid = tables.oid and (partmethod = 'h' or repmodel = 't'))
      order by tenant, relname`,
    { engineTables },
  );
  return rows;
}

/**
 * Distributes, with their rows, the tables that are not distributed yet: new ones, and those of a database to which
 * Citus was added later.
 */
async function distributeTables(transaction: Knex): Promise<void> {
  const tables = await undistributedTables(transaction);
  if (tables.length === 0) return;
  const names = tables.map(({ name }) => name);
  const foreignKeys = await dropForeignKeys(transaction, names);
  await replaceSequences(transaction, names);
  for (const { name, tenant } of tables) {
    if (tenant) {
      const values = [quoteName(name), (await distributedTable(transaction)) ?? 'none'];
      await transaction.raw(`select create_distributed_table(?::regclass, 'tenant_id', colocate_with => ?)`, values);
    } else await transaction.raw('select create_reference_table(?::regclass)', [quoteName(name)]);
  }
  for (const { table, name, definition } of foreignKeys) {
    await transaction.raw(`alter table ${table} add constraint ${name} ${withoutSetNull(definition)}`);
  }
}

/** A table that is distributed already; others are colocated with it, so that all rows of a tenant are on one node. */
async function distributedTable(transaction: Knex): Promise<string | undefined> {
  const { rows } = await transaction.raw<{ rows: { name: string }[] }>(
    `select logicalrelid::text as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
      where partmethod = 'h' and relnamespace = current_schema()::regnamespace limit 1`,
  );
  return rows[0]?.name;
}

interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

/** Drops and returns the foreign keys to tables that are not distributed yet, and those that Citus does not support. */
async function dropForeignKeys(transaction: Knex, tables: readonly string[]): Promise<ForeignKey[]> {
  const { rows } = await transaction.raw<{ rows: ForeignKey[] }>(
    `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint
      where contype = 'f' and connamespace = current_schema()::regnamespace
        and (confrelid::regclass::text = any(:tables) or (confdeltype = 'n' and conrelid::regclass::text = any(:tables)))`,
    { tables: tables.map(quoteName).concat(tables) },
  );
  for (const { table, name } of rows) await transaction.raw(`alter table ${table} drop constraint ${name}`);
  return rows;
}

/** Replaces sequences in column defaults from before the database was distributed, as `withoutSequence` does. */
async function replaceSequences(transaction: Knex, tables: readonly string[]): Promise<void> {
  const { rows } = await transaction.raw<{ rows: { table: string; column: string; value: string }[] }>(
    `select adrelid::regclass::text as "table", quote_ident(attname) as "column", pg_get_expr(adbin, adrelid) as value
       from pg_attrdef
       join pg_attribute on attrelid = adrelid and attnum = adnum
       join pg_class on pg_class.oid = adrelid
      where relnamespace = current_schema()::regnamespace and relname = any(?)
        and pg_get_expr(adbin, adrelid) like 'nextval(%'`,
    [[...tables]],
  );
  for (const { table, column, value } of rows) {
    await transaction.raw(`alter table ${table} alter column ${column} set ${withoutSequence(`default ${value}`)}`);
  }
}

/**
 * Runs a migration on Citus, one statement at a time. A new table is distributed, with its indexes and constraints,
 * before the next table is created, which may refer to it, and at the end.
 */
export async function runDistributed(transaction: Knex, work: (transaction: Knex) => unknown): Promise<void> {
  // The transaction changes both rows and tables: with one connection for each node, every statement sees all changes.
  await transaction.raw(`set local citus.multi_shard_modify_mode = 'sequential'`);
  // A new table stays a plain table until it is distributed, even if it refers to a reference table.
  await transaction.raw('set local citus.enable_local_reference_table_foreign_keys = off');
  // Triggers of packages only look at the row that changes, so they work on each node by themselves.
  await transaction.raw('set local citus.enable_unsafe_triggers = on');
  const distributePending = async () => {
    await createPolicies(transaction);
    await distributeTables(transaction);
  };
  const raw = async (sql: string, bindings?: readonly Knex.Value[]) => {
    if (bindings) return transaction.raw(sql, bindings);
    let result: unknown;
    for (const statement of statementsOf(sql)) {
      if (/^create\s+table/i.test(statement)) await distributePending();
      result = await transaction.raw(statement);
    }
    return result;
  };
  await work(new Proxy(transaction, { get: (target, name) => (name === 'raw' ? raw : Reflect.get(target, name)) }));
  await distributePending();
}
