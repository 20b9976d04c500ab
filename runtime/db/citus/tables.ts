/**
 * Dealing the tables out over the nodes of Citus: a table with a tenant by it, all of one tenant's rows on one node;
 * a table of the box itself whole on every node. The engine's own records stay on the coordinator.
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

/** Tables that stand on the coordinator alone and should not; of the box first, as the others refer to them. */
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
 * Distributes what is not yet, with the rows that are there, in the transaction it is given: new tables, and those of
 * a database that became Citus later.
 */
async function distributeTables(transaction: Knex): Promise<void> {
  const tables = await undistributedTables(transaction);
  if (tables.length === 0) return;
  const names = tables.map(({ name }) => name);
  const references = await setReferencesAside(transaction, names);
  await setSequencesAside(transaction, names);
  for (const { name, tenant } of tables) {
    if (tenant) {
      const values = [quoteName(name), (await distributedTable(transaction)) ?? 'none'];
      await transaction.raw(`select create_distributed_table(?::regclass, 'tenant_id', colocate_with => ?)`, values);
    } else await transaction.raw('select create_reference_table(?::regclass)', [quoteName(name)]);
  }
  for (const { table, name, definition } of references) {
    await transaction.raw(`alter table ${table} add constraint ${name} ${withoutSetNull(definition)}`);
  }
}

/** Any table that is distributed already: the others join it, so that a tenant's rows stand together. */
async function distributedTable(transaction: Knex): Promise<string | undefined> {
  const { rows } = await transaction.raw<{ rows: { name: string }[] }>(
    `select logicalrelid::text as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
      where partmethod = 'h' and relnamespace = current_schema()::regnamespace limit 1`,
  );
  return rows[0]?.name;
}

interface Reference {
  table: string;
  name: string;
  definition: string;
}

/** Drops the references to tables that are not distributed yet, and those Citus cannot have; answers them. */
async function setReferencesAside(transaction: Knex, tables: readonly string[]): Promise<Reference[]> {
  const { rows } = await transaction.raw<{ rows: Reference[] }>(
    `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint
      where contype = 'f' and connamespace = current_schema()::regnamespace
        and (confrelid::regclass::text = any(:tables) or (confdeltype = 'n' and conrelid::regclass::text = any(:tables)))`,
    { tables: tables.map(quoteName).concat(tables) },
  );
  for (const { table, name } of rows) await transaction.raw(`alter table ${table} drop constraint ${name}`);
  return rows;
}

/** Columns that a sequence numbers, which were made before the database was distributed, are numbered as new ones are. */
async function setSequencesAside(transaction: Knex, tables: readonly string[]): Promise<void> {
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
 * Does a migration's work where each statement goes by itself. A table is distributed with all that is said of it, in
 * one go, before the next one is made, which may refer to it, and at the end.
 */
export async function runDistributed(transaction: Knex, work: (transaction: Knex) => unknown): Promise<void> {
  // Rows and tables are changed in one transaction here: one node's connection after the other, each seeing it all.
  await transaction.raw(`set local citus.multi_shard_modify_mode = 'sequential'`);
  // A new table is a plain one until it is distributed, whatever it refers to.
  await transaction.raw('set local citus.enable_local_reference_table_foreign_keys = off');
  const settle = async () => {
    await createPolicies(transaction);
    await distributeTables(transaction);
  };
  const raw = async (sql: string, bindings?: readonly Knex.Value[]) => {
    if (bindings) return transaction.raw(sql, bindings);
    let answer: unknown;
    for (const statement of statementsOf(sql)) {
      if (/^create\s+table/i.test(statement)) await settle();
      answer = await transaction.raw(statement);
    }
    return answer;
  };
  await work(new Proxy(transaction, { get: (target, name) => (name === 'raw' ? raw : Reflect.get(target, name)) }));
  await settle();
}
