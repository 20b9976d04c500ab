/**
 * Queries of the exports of tenants: each tenant has one at most.
 */
import { newId, renewJob, type TenantDatabase, wakeBackground } from '@carton/runtime';
import type { TenantExport } from '../schemas.ts';

export interface ExportRow extends Omit<TenantExport, 'progress'> {
  attempts: number;
  tables: number;
  rows: number;
  files: number;
}

/** The name of the job that makes exports. */
export const exportJob = 'tenant.export';

export function presentExport({ tables, rows, files, ...row }: ExportRow): TenantExport {
  return { ...row, progress: { tables, rows, files } };
}

export async function findExport(db: TenantDatabase): Promise<ExportRow | null> {
  const [row] = await db.query<ExportRow>('select * from tenant_exports where tenant_id = $1');
  return row ?? null;
}

/** Asks for an export, in place of one that has ended; returns the one in progress if there is one. */
export function requestExport(db: TenantDatabase): Promise<ExportRow> {
  return db.transaction(async (tx) => {
    await tx.query(`delete from tenant_exports where tenant_id = $1 and state in ('ready', 'failed')`);
    const inserted = await tx.query(
      'insert into tenant_exports (tenant_id, id) values ($1, $2) on conflict do nothing returning id',
      [newId()],
    );
    // The job of an export in progress must not become due: another replica would begin it again.
    if (inserted.length > 0) {
      await renewJob(tx, { name: exportJob }, 0);
      wakeBackground(tx);
    }
    return (await findExport(tx)) as ExportRow;
  });
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
