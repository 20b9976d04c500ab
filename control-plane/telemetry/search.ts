/**
 * Search of download reports and of their counts by day.
 */
import { eachRow, type Page, paginate, type Tier } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Download, DownloadReport, Rollup } from './schemas.ts';

/** `from` is included, `to` is not. They are times of downloads, or days. */
export interface DownloadFilter {
  customerId?: string;
  packageName?: string;
  version?: string;
  outcome?: DownloadReport['outcome'];
  tier?: Tier;
  from?: string;
  to?: string;
}

type PagedFilter = DownloadFilter & { limit: number; cursor?: string };

/** What is searched: a table with the columns of the filters, listed with the latest first, ties by id. */
interface Source {
  table: string;
  /** The column that `from` and `to` compare, and by which the list is ordered. */
  time: string;
  columns: readonly string[];
}

const common = ['customerId', 'tier', 'packageName', 'version', 'outcome'];
const reports: Source = {
  table: 'download_reports',
  time: 'downloadedAt',
  columns: ['id', ...common, 'downloadedAt', 'createdAt'],
};
const rollups: Source = { table: 'download_rollups', time: 'day', columns: ['id', 'day', ...common, 'count'] };

const latestFirst = ({ time }: Source) => ({ name: `latest ${time}`, column: time, direction: 'desc' }) as const;

function select(db: Knex, { table, time, columns }: Source, { from, to, ...equal }: DownloadFilter) {
  const query = db(table).select([...columns]);
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(column, value);
  if (from !== undefined) query.where(time, '>=', from);
  if (to !== undefined) query.where(time, '<', to);
  return query;
}

function list<Row extends object>(
  db: Knex,
  source: Source,
  { limit, cursor, ...filter }: PagedFilter,
): Promise<Page<Row>> {
  return paginate<Row>(select(db, source, filter) as never, source.table, { limit, cursor }, latestFirst(source));
}

/** Reads a page of reports, the latest download first. */
export function listReports(db: Knex, query: PagedFilter): Promise<Page<Download>> {
  return list(db, reports, query);
}

/** Reads a page of counts, the latest day first. */
export function listRollups(db: Knex, query: PagedFilter): Promise<Page<Rollup>> {
  return list(db, rollups, query);
}

/** All rows of a search, read in batches while they are consumed. */
function each<Row extends object>(db: Knex, source: Source, filter: DownloadFilter): AsyncIterable<Row> {
  return eachRow<Row>(() => select(db, source, filter) as never, source.table, { sort: latestFirst(source) });
}

/** All reports of a search. */
export function eachReport(db: Knex, filter: DownloadFilter): AsyncIterable<Download> {
  return each(db, reports, filter);
}

/** All counts of a search. */
export function eachRollup(db: Knex, filter: DownloadFilter): AsyncIterable<Rollup> {
  return each(db, rollups, filter);
}
