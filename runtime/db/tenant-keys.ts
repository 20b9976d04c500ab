/**
 * The rule that isolates tenants and allows sharding by tenant: every table of a package has `tenant_id`, every primary
 * key and unique constraint begins with it, and so does every foreign key to another such table, so that no row can
 * refer to a row of another tenant.
 */
import type { Knex } from 'knex';

/** Tables of the engine itself. */
export const engineTables = ['applied_migrations', 'knex_migrations', 'knex_migrations_lock'];

interface KeyRow {
  table: string;
  index: string | null;
  firstColumn: string | null;
}

/**
 * Checks the system catalogue for violations of the rule.
 * @param boxTables tables that belong to the box and not to a tenant
 * @throws Error naming the tables, keys and foreign keys
 */
export async function refuseKeysWithoutTenant(knex: Knex, boxTables: readonly string[]): Promise<void> {
  await refuseUniqueKeys(knex, boxTables);
  await refuseReferences(knex);
}

async function refuseReferences(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string; table: string; target: string }[] }>(
    `select conname as name, conrelid::regclass::text as table, confrelid::regclass::text as target
       from pg_constraint
       join pg_attribute own on own.attrelid = conrelid and own.attname = 'tenant_id'
       join pg_attribute target on target.attrelid = confrelid and target.attname = 'tenant_id'
      where contype = 'f' and connamespace = current_schema()::regnamespace
        and not (conkey[1] = own.attnum and confkey[1] = target.attnum)`,
  );
  if (rows.length === 0) return;
  const list = rows.map(({ name, table, target }) => `${name} from ${table} to ${target}`);
  throw new Error(`every foreign key to a table with tenant_id must begin with tenant_id: ${list.join('; ')}`);
}

async function refuseUniqueKeys(knex: Knex, boxTables: readonly string[]): Promise<void> {
  const exempt = [...engineTables, ...boxTables];
  const { rows } = await knex.raw<{ rows: KeyRow[] }>(
    `select tables.relname as "table", indexes.relname as "index", columns.attname as "firstColumn"
       from pg_class tables
       join pg_namespace spaces on spaces.oid = tables.relnamespace and spaces.nspname = current_schema()
       left join pg_index keys on keys.indrelid = tables.oid and keys.indisunique
       left join pg_class indexes on indexes.oid = keys.indexrelid
       left join pg_attribute columns on columns.attrelid = tables.oid and columns.attnum = keys.indkey[0]
      where tables.relkind in ('r', 'p') and not tables.relname = any(?)`,
    [exempt],
  );
  const wrong = rows.filter((row) => row.firstColumn !== 'tenant_id');
  if (wrong.length === 0) return;
  const list = wrong.map(({ table, index, firstColumn }) =>
    index ? `${index} on ${table} begins with ${firstColumn ?? 'an expression'}` : `${table} has no primary key`,
  );
  throw new Error(`every primary key and unique constraint must begin with tenant_id: ${list.join('; ')}`);
}
