/**
 * Dealing the tables out over the nodes of Citus: a table with a tenant by it, all of one tenant's rows on one node;
 * a table of the box itself whole on every node. The engine's own records stay on the coordinator.
 */
import type { Knex } from 'knex';
import { quoteName } from '../connection.ts';
import { engineTables } from '../tenant-keys.ts';
import { statementsOf, withoutSetNull } from './statements.ts';

/**
 * Whether the database is distributed by Citus.
 * @throws Error when this is not the node that knows the others
 */
export async function isCitus(knex: Knex): Promise<boolean> {
  const { rows: found } = await knex.raw(`select from pg_extension where extname = 'citus'`);
  if (found.length === 0) return false;
  const { rows } = await knex.raw<{ rows: [{ coordinator: boolean }] }>('select citus_is_coordinator() as coordinator');
  if (!rows[0].coordinator) throw new Error('DATABASE_URL names a worker of Citus: it has to name the coordinator');
  return true;
}

interface Table {
  name: string;
  tenant: boolean;
}

/** Tables that stand on the coordinator alone and should not; of the box first, as the others refer to them. */
export async function undistributedTables(knex: Knex): Promise<Table[]> {
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
export async function distributeTables(transaction: Knex): Promise<void> {
  const tables = await undistributedTables(transaction);
  if (tables.length === 0) return;
  const references = await setReferencesAside(
    transaction,
    tables.map(({ name }) => name),
  );
  for (const { name, tenant } of tables) {
    const colocated = tenant ? await distributedTable(transaction) : undefined;
    if (!tenant) await transaction.raw('select create_reference_table(?::regclass)', [quoteName(name)]);
    else if (colocated)
      await transaction.raw(`select create_distributed_table(?::regclass, 'tenant_id', colocate_with => ?)`, [
        quoteName(name),
        colocated,
      ]);
    else
      await transaction.raw(`select create_distributed_table(?::regclass, 'tenant_id', colocate_with => 'none')`, [
        quoteName(name),
      ]);
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

/**
 * The transaction of a migration, where each statement goes by itself and a table is distributed once it is made:
 * the next one may refer to it.
 */
export async function distributing(transaction: Knex): Promise<Knex> {
  // Rows and tables are changed in one transaction here: one node's connection after the other, each seeing it all.
  await transaction.raw(`set local citus.multi_shard_modify_mode = 'sequential'`);
  // A new table is a plain one until it is distributed, whatever it refers to.
  await transaction.raw('set local citus.enable_local_reference_table_foreign_keys = off');
  const raw = async (sql: string, bindings?: readonly Knex.Value[]) => {
    if (bindings) return transaction.raw(sql, bindings);
    let answer: unknown;
    for (const statement of statementsOf(sql)) {
      answer = await transaction.raw(statement);
      if (/^create\s+table/i.test(statement)) await distributeTables(transaction);
    }
    return answer;
  };
  return new Proxy(transaction, { get: (target, name) => (name === 'raw' ? raw : Reflect.get(target, name)) });
}
