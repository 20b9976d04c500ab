/**
 * Makes a tenant large by copying each of its rows, in all tables of the system catalogue. An id is replaced by the
 * same new id everywhere, so that the copy of an order has copies of its lines.
 */
import { administerAt } from '../database.ts';

/** Length of codes of countries and currencies, which must stay valid in a copy. */
const maxCodeLength = 3;
const nilId = '00000000-0000-0000-0000-000000000000';

interface Column {
  name: string;
  type: string;
}

interface Table {
  name: string;
  /** The column with the tenant's id. */
  tenant: string;
  columns: Column[];
  /** Text columns of unique keys, which must differ in every row. */
  distinct: string[];
  /** False for a table with a deferrable constraint, which does not support `on conflict`. */
  skipsConflicts: boolean;
}

const tables = `
  select tables.relname as name, tenant.attname as tenant,
         (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, null)) order by attnum)
            from pg_attribute
           where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
         (select coalesce(json_agg(distinct attname), '[]')
            from pg_index
            join pg_attribute on attrelid = indrelid and attnum = any(indkey) and atttypid = 'text'::regtype
           where indrelid = tables.oid and indisunique and not exists (
             select from pg_attribute others
              where others.attrelid = indrelid and others.attnum = any(indkey) and others.atttypid = 'uuid'::regtype
                and others.attname <> tenant.attname)) as distinct,
         not exists (select from pg_index where indrelid = tables.oid and not indimmediate) as "skipsConflicts"
    from pg_class tables
    cross join lateral (
      select attname from pg_attribute
       where attrelid = tables.oid and not attisdropped
         and (attname = 'tenant_id' or attnum = any(
               (select conkey from pg_constraint
                 where conrelid = tables.oid and contype = 'f' and confrelid = 'tenants'::regclass limit 1)::int2[]))
       order by attname = 'tenant_id' desc limit 1
    ) tenant
   where tables.relnamespace = current_schema()::regnamespace and tables.relkind = 'r'
   order by tables.relname`;

/** Within how many milliseconds all rows of the tenant would have been created, for their copies to be mixed. */
const milliseconds = 50;

/** The time in which the tenant was filled: `began` and `ended` are SQL. */
interface Filling {
  began: string;
  ended: string;
}

/**
 * A time of a copy: a millisecond before that of the copy before it. Times of the filling are brought together, in the
 * same order: of rows that were created seconds after each other, as on a busy machine, one would have all its copies
 * before the first copy of the other, and a list that looks for one of them in order of time would find none for long.
 */
function timeOf(column: string, { began, ended }: Filling): string {
  const shortening = `least(1, ${milliseconds} / (1000 * extract(epoch from ${ended} - ${began})))`;
  const near = `${ended} - (${ended} - ${column}) * ${shortening}`;
  return `case when ${column} between ${began} and ${ended} then ${near} else ${column} end - copy * interval '1 millisecond'`;
}

function copyOf({ name, type }: Column, { tenant, distinct }: Table, filling: Filling): string {
  const column = `source."${name}"`;
  const copied = (value: string) => `md5(${value}::text || copy)::uuid`;
  if (name === tenant) return column;
  if (type === 'uuid') return `case when ${column} = '${nilId}' then ${column} else ${copied(column)} end`;
  if (type === 'uuid[]') return `array(select ${copied('each')} from unnest(${column}) as each order by 1)`;
  if (type === 'timestamp with time zone') return timeOf(column, filling);
  // No shopper has thousands of orders.
  if (type === 'text' && name === 'email' && !distinct.includes(name)) return `(copy / 10) || '-' || ${column}`;
  if (!distinct.includes(name)) return column;
  return `case when length(${column}) <= ${maxCodeLength} then ${column} else copy || '-' || ${column} end`;
}

function statementFor(table: Table, tenantId: string, copies: number, filling: Filling): string {
  const { name, tenant, columns, skipsConflicts } = table;
  return `
    insert into "${name}" (${columns.map((column) => `"${column.name}"`).join(', ')})
    select ${columns.map((column) => copyOf(column, table, filling)).join(', ')}
      from "${name}" source cross join generate_series(1, ${copies}) as copy
     where source."${tenant}" = '${tenantId}' ${skipsConflicts ? 'on conflict do nothing' : ''}`;
}

/**
 * Waits for the transactions that are older than the copies, at most 30 s: vacuum does not mark pages that they may see
 * otherwise, and a read of an index alone would then read the table, too.
 */
const waitForOlderTransactions = `
  do $$
  declare
    copied constant timestamptz := clock_timestamp();
  begin
    for attempt in 1 .. 300 loop
      perform pg_stat_clear_snapshot();
      exit when not exists (
        select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and backend_xmin is not null and xact_start < copied);
      perform pg_sleep(0.1);
    end loop;
  end $$`;

/**
 * Copies each row of a tenant and analyses the tables. Runs as a superuser without checking foreign keys.
 */
export async function multiplyRows(databaseUrl: string, tenantId: string, copies: number): Promise<void> {
  const found = (await administerAt(databaseUrl, tables)) as unknown as Table[];
  const [times] = await administerAt(
    databaseUrl,
    `select created_at::text as began, clock_timestamp()::text as ended from tenants where id = '${tenantId}'`,
  );
  const filling = { began: `timestamptz '${times?.began}'`, ended: `timestamptz '${times?.ended}'` };
  const copying = found.map((table) => statementFor(table, tenantId, copies, filling));
  await administerAt(databaseUrl, 'set session_replication_role = replica', ...copying);
  await administerAt(databaseUrl, waitForOlderTransactions, 'vacuum analyze');
}
