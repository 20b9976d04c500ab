/**
 * Reads all rows of a tenant, from one snapshot of the database, table by table. Secrets are left out: see
 * `runtime/db/secrets.ts`.
 */
import { quoteName } from '../db/connection.ts';
import { isSecretColumn, isTransientTable } from '../db/secrets.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { listTenantTables, type TenantTable } from '../db/tenant-tables.ts';

export interface ExportedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The rows as JSON objects, one a chunk, with the names of the columns. To be read before the next table. */
  rows(): AsyncGenerator<string, void, undefined>;
}

/** The tables of a tenant that are exported, those that others reference first, with the columns without secrets. */
export async function listExportedTables(db: TenantDatabase): Promise<(TenantTable & { columns: string[] })[]> {
  const tables = await listTenantTables(db);
  const columns = await db.readCatalogue<{ table: string; column: string }>(
    `select table_name::text as table, column_name::text as column from information_schema.columns
      where table_schema = current_schema() order by table_name, ordinal_position`,
  );
  const own: TenantTable = { name: 'tenants', tenantColumn: 'id', references: [], selfReferences: [] };
  return [...tables, own]
    .reverse()
    .filter(({ name }) => !isTransientTable(name))
    .map((table) => ({
      ...table,
      columns: columns
        .filter((each) => each.table === table.name && !isSecretColumn(table.name, each.column))
        .map(({ column }) => column),
    }));
}

/** The files of the migrations that the database has, in their order. */
export async function listAppliedMigrations(db: TenantDatabase): Promise<string[]> {
  const migrations = await db.readCatalogue<{ file: string }>('select file from applied_migrations order by file');
  return migrations.map(({ file }) => file);
}

/**
 * Calls `write` with each table, in one transaction with a single snapshot. Memory is bounded by a batch of rows.
 */
export function exportTenantRows(db: TenantDatabase, write: (table: ExportedTable) => Promise<void>): Promise<void> {
  return db.transaction(
    async (tx) => {
      for (const { name, columns, tenantColumn } of await listExportedTables(tx)) {
        const selected = columns.map((column) => `exported.${quoteName(column)}`).join(', ');
        const text = `select to_json(r)::text as line
                        from (select ${selected} from ${quoteName(name)} exported
                               where exported.${quoteName(tenantColumn)} = $1) r`;
        await write({
          name,
          columns,
          async *rows() {
            for await (const { line } of tx.stream<{ line: string }>(text)) yield line;
          },
        });
      }
    },
    { isolation: 'repeatable read' },
  );
}
