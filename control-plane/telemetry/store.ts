/**
 * Queries of download reports.
 */
import { newId, type Page, paginate, type Tier } from '@carton/runtime/service';
import type { Knex } from 'knex';

export interface DownloadReport {
  customerId: string;
  tier: Tier;
  packageName: string;
  version?: string;
  outcome: 'allowed' | 'denied';
}

export interface StoredReport extends Omit<DownloadReport, 'version'> {
  id: string;
  version: string | null;
  createdAt: string;
}

/**
 * Stores a report, once for each idempotency key.
 * @returns `repeated` if this report is stored under the key, `conflict` if a different one is
 */
export async function storeReport(
  db: Knex,
  report: DownloadReport,
  idempotencyKey: string | null,
): Promise<'stored' | 'repeated' | 'conflict'> {
  const values = { ...report, version: report.version ?? null };
  const stored = await db('download_reports')
    .insert({ id: newId(), idempotencyKey, ...values })
    .onConflict('idempotencyKey')
    .ignore()
    .returning('id');
  if (stored.length > 0) return 'stored';
  const same = await db('download_reports')
    .where({ idempotencyKey, ...values })
    .first('id');
  return same ? 'repeated' : 'conflict';
}

export interface ReportQuery {
  limit: number;
  cursor?: string;
  customerId?: string;
  packageName?: string;
  outcome?: DownloadReport['outcome'];
}

/** Reads a page of reports, newest first. */
export function listReports(
  db: Knex,
  { customerId, packageName, outcome, ...page }: ReportQuery,
): Promise<Page<StoredReport>> {
  const query = db('download_reports').select(
    'id',
    'customerId',
    'tier',
    'packageName',
    'version',
    'outcome',
    'createdAt',
  );
  if (customerId !== undefined) query.where({ customerId });
  if (packageName !== undefined) query.where({ packageName });
  if (outcome !== undefined) query.where({ outcome });
  return paginate<StoredReport>(query as never, 'download_reports', page);
}
