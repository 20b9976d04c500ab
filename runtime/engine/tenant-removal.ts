/**
 * Removes a tenant with all of its rows, in the tables of every package. It is done in small transactions, which lock
 * few rows for a short time, and continues where it stopped when it is called again.
 */
import { quoteName } from '../db/connection.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { listTenantTables, type TenantTable } from '../db/tenant-tables.ts';

/** Rows in one transaction. */
const batchSize = 500;
const tasks = 'background_tasks';

export interface RemovalOptions {
  /** The task of the job that removes the tenant; it is removed last. */
  readonly task: string;
  /** Milliseconds after which no further batch begins. */
  readonly milliseconds: number;
  /** Called in the transaction of each batch. */
  onBatch(tx: TenantDatabase): Promise<unknown>;
}

/**
 * Removes the rows of a tenant that nothing uses any more, and then the tenant.
 * @returns true once the tenant is removed; false when the time has passed
 */
export async function removeTenantRows(db: TenantDatabase, options: RemovalOptions): Promise<boolean> {
  const end = performance.now() + options.milliseconds;
  // Without tasks and events, nothing else works for the tenant.
  await db.query(`delete from ${tasks} where tenant_id = $1 and name <> $2`, [options.task]);
  const tables = await listTenantTables(db);
  for (const table of tables.filter(({ name }) => name !== tasks)) {
    for (;;) {
      if (performance.now() > end) return false;
      const removed = await inRemoval(db, async (tx) => {
        await options.onBatch(tx);
        return removeBatch(tx, table);
      });
      if (removed === 0) break;
    }
  }
  await inRemoval(db, async (tx) => {
    // Rows that reference the tenant can no longer be inserted. Some may have been since their table was emptied, and a
    // row that was updated while a batch waited for it is left.
    await tx.query('select id from tenants where id = $1 for update');
    for (const table of tables) await tx.query(`delete from ${rowsOf(table)}`);
    await tx.query('delete from tenants where id = $1');
  });
  return true;
}

/**
 * Runs a transaction in which triggers that protect rows let them be deleted: they compare `removal.tenant_id` with the
 * tenant of the row.
 */
function inRemoval<T>(db: TenantDatabase, work: (tx: TenantDatabase) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query("select set_config('removal.tenant_id', $1::text, true)");
    return work(tx);
  });
}

function rowsOf({ name, tenantColumn }: TenantTable): string {
  return `${quoteName(name)} where ${quoteName(tenantColumn)} = $1`;
}

/** Removes some rows of a table; returns how many. */
async function removeBatch(tx: TenantDatabase, table: TenantTable): Promise<number> {
  const rows = rowsOf(table);
  // Tables of the box have few rows of a tenant. On Citus they have copies, from which all must delete the same rows.
  if (table.tenantColumn !== 'tenant_id') return (await tx.query(`delete from ${rows} returning 1`)).length;
  const batch = `select ctid from ${rows}${withoutReferring(table)} limit $2`;
  return (await tx.query(`delete from ${rows} and ctid = any(array(${batch})) returning 1`, [batchSize])).length;
}

/** The condition for rows to which no others of their table refer: the others are removed first. */
function withoutReferring({ name, selfReferences }: TenantTable): string {
  const table = quoteName(name);
  return selfReferences
    .map(({ columns, targets }) => {
      const isSame = (column: string, at: number) =>
        `referring.${quoteName(column)} = ${table}.${quoteName(targets[at] as string)}`;
      return ` and not exists (select from ${table} referring where ${columns.map(isSame).join(' and ')})`;
    })
    .join('');
}
