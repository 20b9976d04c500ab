/**
 * The tables with rows of tenants, read from the system catalogue, so that what concerns all data of a tenant (its
 * export, its removal) covers the tables of every package.
 */
import type { TenantDatabase } from './tenant-database.ts';

export interface TenantTable {
  readonly name: string;
  /** The column with the tenant's id: `tenant_id`, or that of a table of the box that references `tenants`. */
  readonly tenantColumn: string;
  /** Other tables of the list that it references. */
  readonly references: readonly string[];
  /** Foreign keys to the table itself. */
  readonly selfReferences: readonly SelfReference[];
}

export interface SelfReference {
  readonly columns: readonly string[];
  readonly targets: readonly string[];
}

const tablesText = `
  select relname as name,
         coalesce(
           (select attname from pg_attribute where attrelid = tables.oid and attname = 'tenant_id' and not attisdropped),
           (select attname from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
             where conrelid = tables.oid and contype = 'f' and confrelid = 'tenants'::regclass limit 1)) as "tenantColumn"
    from pg_class tables
   where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`;

const referencesText = `
  select own.relname as "table", target.relname as target,
         (select array_agg(attname::text order by position)
            from unnest(conkey) with ordinality as parts (attnum, position)
            join pg_attribute on attrelid = conrelid and pg_attribute.attnum = parts.attnum) as columns,
         (select array_agg(attname::text order by position)
            from unnest(confkey) with ordinality as parts (attnum, position)
            join pg_attribute on attrelid = confrelid and pg_attribute.attnum = parts.attnum) as targets
    from pg_constraint
    join pg_class own on own.oid = conrelid
    join pg_class target on target.oid = confrelid
   where contype = 'f' and connamespace = current_schema()::regnamespace`;

interface Reference extends SelfReference {
  table: string;
  target: string;
}

/**
 * Lists the tables, without `tenants` itself: each before those that it references.
 * @throws Error naming tables that reference each other in a circle
 */
export async function listTenantTables(db: TenantDatabase): Promise<TenantTable[]> {
  const found = await db.readCatalogue<{ name: string; tenantColumn: string | null }>(tablesText);
  const references = await db.readCatalogue<Reference>(referencesText);
  const names = new Set(found.filter(({ tenantColumn }) => tenantColumn !== null).map(({ name }) => name));
  const tables = found.flatMap(({ name, tenantColumn }): TenantTable[] => {
    if (tenantColumn === null) return [];
    const own = references.filter(({ table, target }) => table === name && names.has(target));
    return [
      {
        name,
        tenantColumn,
        references: [...new Set(own.map(({ target }) => target))].filter((target) => target !== name),
        selfReferences: own.filter(({ target }) => target === name),
      },
    ];
  });
  return inOrderOfReferences(tables);
}

function inOrderOfReferences(tables: readonly TenantTable[]): TenantTable[] {
  const ordered: TenantTable[] = [];
  let left = tables.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  while (left.length > 0) {
    const referenced = new Set(left.flatMap(({ references }) => references));
    const next = left.filter(({ name }) => !referenced.has(name));
    if (next.length === 0) {
      throw new Error(`tables reference each other in a circle: ${left.map(({ name }) => name).join(', ')}`);
    }
    ordered.push(...next);
    left = left.filter(({ name }) => referenced.has(name));
  }
  return ordered;
}
