/**
 * Rules of exports.
 */
import { renewJob, type TenantDatabase, wakeBackground } from '@carton/runtime';
import type { TenantExport } from './schemas.ts';
import { type ExportRow, findExport, insertExport, removeEnded } from './store.ts';

/** The name of the job that makes exports. */
export const exportJob = 'tenant.export';

export function presentExport({ tables, rows, files, ...row }: ExportRow): TenantExport {
  return { ...row, progress: { tables, rows, files } };
}

/** Asks for an export, in place of one that has ended; returns the one in progress if there is one. */
export function requestExport(db: TenantDatabase): Promise<ExportRow> {
  return db.transaction(async (tx) => {
    await removeEnded(tx);
    const isInserted = await insertExport(tx);
    // The job of an export in progress must not become due: another replica would begin it again.
    if (isInserted) {
      await renewJob(tx, { name: exportJob }, 0);
      wakeBackground(tx);
    }
    return (await findExport(tx)) as ExportRow;
  });
}
