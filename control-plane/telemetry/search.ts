/**
 * Search of download reports.
 */
import { type Page, paginate, type Tier } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Download, DownloadReport } from './schemas.ts';

/** `from` is included, `to` is not. */
export interface ReportFilter {
  customerId?: string;
  packageName?: string;
  version?: string;
  outcome?: DownloadReport['outcome'];
  tier?: Tier;
  from?: string;
  to?: string;
}

/** The latest download first; ties by id, so that no report that is stored meanwhile changes the place of another. */
const latestFirst = { name: 'downloaded', column: 'downloadedAt', direction: 'desc' } as const;

/** Reads a page of reports, the latest download first. */
export function listReports(
  db: Knex,
  { limit, cursor, ...filter }: ReportFilter & { limit: number; cursor?: string },
): Promise<Page<Download>> {
  return paginate<Download>(selectReports(db, filter) as never, 'download_reports', { limit, cursor }, latestFirst);
}

function selectReports(db: Knex, { from, to, ...equal }: ReportFilter) {
  const query = db('download_reports').select(
    'id',
    'customerId',
    'tier',
    'packageName',
    'version',
    'outcome',
    'downloadedAt',
    'createdAt',
  );
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(column, value);
  if (from !== undefined) query.where('downloadedAt', '>=', from);
  if (to !== undefined) query.where('downloadedAt', '<', to);
  return query;
}
