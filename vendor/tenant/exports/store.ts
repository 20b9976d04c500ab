/**
 * Queries of the exports of tenants: each tenant has one at most.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import type { TenantExport } from './schemas.ts';

export interface ExportRow extends Omit<TenantExport, 'progress'> {
  attempts: number;
  tables: number;
  rows: number;
  files: number;
}

export async function findExport(db: TenantDatabase): Promise<ExportRow | null> {
  const [row] = await db.query<ExportRow>('select * from tenant_exports where tenant_id = $1');
  return row ?? null;
}

/** Deletes an export that has ended. */
export async function removeEnded(tx: TenantDatabase): Promise<void> {
  await tx.query(`delete from tenant_exports where tenant_id = $1 and state in ('ready', 'failed')`);
}

/** Inserts a pending export. Returns false if the tenant has one. */
export async function insertExport(tx: TenantDatabase): Promise<boolean> {
  const inserted = await tx.query(
    'insert into tenant_exports (tenant_id, id) values ($1, $2) on conflict do nothing returning id',
    [newId()],
  );
  return inserted.length > 0;
}

/** Begins an attempt, or the next one after a process died. */
export async function beginAttempt(db: TenantDatabase): Promise<ExportRow | null> {
  const [row] = await db.query<ExportRow>(
    `update tenant_exports
        set state = 'running', attempts = attempts + 1, tables = 0, rows = 0, files = 0, updated_at = now()
      where tenant_id = $1 and state in ('pending', 'running') returning *`,
  );
  return row ?? null;
}

type Attempt = Pick<ExportRow, 'id' | 'attempts'>;

/** Changes the export unless another attempt has begun; false in that case. */
export async function changeAttempt(
  db: TenantDatabase,
  { id, attempts }: Attempt,
  patch: Partial<ExportRow>,
): Promise<boolean> {
  const where = { id, attempts, state: 'running' };
  return (await db.update('tenant_exports', where, { ...patch, updatedAt: new Date() })).length > 0;
}

/** Forgets an export that has expired; true if there was one. */
export async function forgetExpired(db: TenantDatabase): Promise<boolean> {
  const forgotten = await db.query(
    'delete from tenant_exports where tenant_id = $1 and expires_at <= now() returning id',
  );
  return forgotten.length > 0;
}
