/**
 * The rows of each side in the database, in all tables of the system catalogue.
 */
import pg from 'pg';
import type { Digest, Rows, Side } from './target.ts';

const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface Table {
  name: string;
  hasTenant: boolean;
}

/** What changes without requests. */
interface Changing {
  tables: readonly string[];
  /** Names of columns in any table. */
  columns: readonly string[];
  /** By table, the condition for such rows. */
  rows: Readonly<Record<string, string>>;
}

/**
 * Opens a separate connection as the owner of the tables. In a table without `tenant_id` a side's rows are those that
 * contain its identity.
 */
export function openRows(
  databaseUrl: string,
  changing: Changing = { tables: [], columns: [], rows: {} },
): Rows & { close(): Promise<void> } {
  const client = new pg.Client({ connectionString: databaseUrl });
  let connected: Promise<unknown> | undefined;
  const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> => {
    connected ??= client.connect();
    await connected;
    return (await client.query(text, values)).rows as Row[];
  };

  async function tables(): Promise<Table[]> {
    return query<Table>(
      `select tables.relname as name, exists (
          select from pg_attribute where attrelid = tables.oid and attname = 'tenant_id' and not attisdropped
        ) as "hasTenant"
         from pg_class tables
         join pg_namespace spaces on spaces.oid = tables.relnamespace and spaces.nspname = current_schema()
        where tables.relkind in ('r', 'p') and not tables.relname = any($1)
        order by tables.relname`,
      [['applied_migrations', 'knex_migrations', 'knex_migrations_lock', ...changing.tables]],
    );
  }

  /** One text for each table, aggregated from all rows of a side. */
  async function aggregateTables(
    { identity }: Side,
    aggregate: (row: string) => string,
  ): Promise<Map<string, string | null>> {
    const parts = (await tables()).map(({ name, hasTenant }) => {
      const ofSide = hasTenant ? 'tenant_id::text = $1' : 'strpos(r::text, $1) > 0';
      const condition = name in changing.rows ? `${ofSide} and not (${changing.rows[name]})` : ofSide;
      const row = '(to_jsonb(r) - $2::text[])::text';
      return `select '${name}' as name, ${aggregate(row)} as value from "${name}" r where ${condition}`;
    });
    // Forced row-level security applies to the owner too.
    await query(`select set_config('carton.tenant_id', $1, false)`, [identity]);
    const found = await query<{ name: string; value: string | null }>(parts.join(' union all '), [
      identity,
      changing.columns,
    ]);
    return new Map(found.map((row) => [row.name, row.value]));
  }

  return {
    digest: (side) => aggregateTables(side, (row) => `md5(string_agg(md5(${row}), '' order by md5(${row})))`),
    async ids(side) {
      const found = await aggregateTables(side, (row) => `string_agg(${row}, chr(10))`);
      return new Set([...found.values()].flatMap((rows) => rows?.match(anyId) ?? []));
    },
    async uniqueColumns() {
      const rows = await query<{ name: string }>(
        `select distinct columns.attname as name from pg_index keys
           join pg_attribute columns on columns.attrelid = keys.indrelid and columns.attnum = any(keys.indkey)
          where keys.indisunique`,
      );
      return new Set(rows.map(({ name }) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())));
    },
    async close() {
      if (connected) await client.end();
    },
  };
}

/** Names of the tables whose digests differ. */
export function changedTables(before: Digest, after: Digest): string[] {
  return [...after].filter(([table, digest]) => before.get(table) !== digest).map(([table]) => table);
}
