/**
 * The rows of each side in the database, in all tables of the system catalogue.
 */
import pg from 'pg';
import { idsIn } from './ids.ts';
import type { Digest, Rows, Side } from './target.ts';

interface Table {
  name: string;
  /** The condition for the rows of a side, whose identity is `$1`. */
  condition: string;
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
  const query = async <Row>(text: string, values: unknown[] = [], name?: string): Promise<Row[]> => {
    connected ??= client.connect();
    await connected;
    return (await client.query({ name, text, values })).rows as Row[];
  };

  let known: Promise<{ tables: Table[]; isDistributed: boolean }> | undefined;
  /** What the catalogue says, read once: no table is created while a box serves. */
  const catalogue = () => (known ??= readCatalogue());

  async function readCatalogue() {
    const found = await query<{ name: string; hasTenant: boolean }>(
      `select tables.relname as name, exists (
          select from pg_attribute where attrelid = tables.oid and attname = 'tenant_id' and not attisdropped
        ) as "hasTenant"
         from pg_class tables
         join pg_namespace spaces on spaces.oid = tables.relnamespace and spaces.nspname = current_schema()
        where tables.relkind in ('r', 'p') and not tables.relname = any($1)
        order by tables.relname`,
      [['applied_migrations', 'knex_migrations', 'knex_migrations_lock', ...changing.tables]],
    );
    const tables = found.map(({ name, hasTenant }) => {
      const ofSide = hasTenant ? 'tenant_id = $1::text::uuid' : 'strpos(r::text, $1) > 0';
      return { name, condition: name in changing.rows ? `${ofSide} and not (${changing.rows[name]})` : ofSide };
    });
    const [citus] = await query<{ there: boolean }>("select to_regclass('pg_dist_node') is not null as there");
    return { tables, isDistributed: citus?.there === true };
  }

  /**
   * One text for each table, aggregated from all rows of a side.
   * @param statement the name under which the statement is prepared
   */
  async function aggregateTables(
    { identity }: Side,
    tables: readonly Table[],
    aggregate: string,
    statement?: string,
  ): Promise<Map<string, string | null>> {
    if (tables.length === 0) return new Map();
    const parts = tables.map(
      ({ name, condition }) => `select '${name}' as name, ${aggregate} as value from "${name}" r where ${condition}`,
    );
    // Forced row-level security applies to the owner too.
    await query(`select set_config('carton.tenant_id', $1, false)`, [identity]);
    const found = await query<{ name: string; value: string | null }>(parts.join(' union all '), [identity], statement);
    return new Map(found.map((row) => [row.name, row.value]));
  }

  const asText =
    changing.columns.length > 0 ? `(to_jsonb(r) - array[${quoted(changing.columns)}])::text` : 'to_jsonb(r)::text';
  const digestOfRows = `md5(string_agg(md5(${asText}), '' order by md5(${asText})))`;
  /** Changes with every insert, update and delete, and costs a fraction of the digest: rows are not made into text. */
  const versionOfRows = `count(*) || ' ' || coalesce(sum(hashint8(xmin::text::bigint)), 0)`;
  const seen = new Map<Side, { versions: Map<string, string | null>; digest: Map<string, string | null> }>();

  return {
    async digest(side) {
      const { tables, isDistributed } = await catalogue();
      // The nodes of Citus do not show the versions of rows.
      if (isDistributed) return aggregateTables(side, tables, digestOfRows);
      const before = seen.get(side);
      // The versions are read first: a change that is committed in between is noticed next time.
      const versions = await aggregateTables(side, tables, versionOfRows, 'versions');
      const changed = tables.filter(({ name }) => before?.versions.get(name) !== versions.get(name));
      const digest = new Map([...(before?.digest ?? []), ...(await aggregateTables(side, changed, digestOfRows))]);
      seen.set(side, { versions, digest });
      return digest;
    },
    async ids(side) {
      const found = await aggregateTables(side, (await catalogue()).tables, `string_agg(${asText}, chr(10))`);
      return new Set([...found.values()].flatMap((rows) => (rows === null ? [] : [...idsIn(rows)])));
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

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/** Names of the tables whose digests differ. */
export function changedTables(before: Digest, after: Digest): string[] {
  return [...after].filter(([table, digest]) => before.get(table) !== digest).map(([table]) => table);
}
