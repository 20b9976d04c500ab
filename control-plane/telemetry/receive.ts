/**
 * Stores the reports of registries, each once for its idempotency key, whether it arrives singly or in a batch.
 */
import { faults, newId } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { findErased, shareErasures } from '../erasures.ts';
import { type DownloadBatchResult, type DownloadReport, TelemetryDownloadDto } from './schemas.ts';

interface ArrivedReport {
  report: DownloadReport;
  /** Null for one that may be stored again. */
  idempotencyKey: string | null;
  /** ISO 8601; null for the time of arrival. */
  downloadedAt: string | null;
}

/** `discarded`: its customer was erased. */
type Stored = 'stored' | 'repeated' | 'conflict' | 'discarded';

/** The clock of a registry that reports an earlier download is wrong. */
const earliestDownload = Date.parse('2020-01-01T00:00:00Z');

/**
 * Stores a report that arrived singly.
 * @returns `repeated` if this report is stored under the key, `conflict` if a different one is, `discarded` if its
 * customer was erased
 */
export async function storeReport(db: Knex, report: DownloadReport, idempotencyKey: string | null): Promise<Stored> {
  const [outcome] = await storeReports(db, [{ report, idempotencyKey, downloadedAt: null }]);
  return outcome as Stored;
}

/** Stores a batch. Reports that are invalid, or whose key another report has, are rejected one by one. */
export async function storeBatch(
  db: Knex,
  reports: readonly { idempotencyKey: string; downloadedAt?: string; report: Record<string, unknown> }[],
): Promise<DownloadBatchResult> {
  const wrong = reports.map(({ report }) => faults(TelemetryDownloadDto, report));
  const valid = reports.filter((_, at) => !wrong[at]);
  const stored = await storeReports(
    db,
    valid.map(({ idempotencyKey, downloadedAt, report }) => ({
      idempotencyKey,
      downloadedAt: credibleTime(downloadedAt),
      report: report as DownloadReport,
    })),
  );
  const outcomeOf = new Map(valid.map((item, at) => [item, stored[at] as Stored]));
  const outcomes = reports.map((item, at): DownloadBatchResult['outcomes'][number] => {
    const { idempotencyKey } = item;
    const outcome = outcomeOf.get(item);
    if (outcome === undefined) return { idempotencyKey, outcome: 'rejected', detail: wrong[at] as string };
    if (outcome !== 'conflict') return { idempotencyKey, outcome, detail: null };
    return { idempotencyKey, outcome: 'rejected', detail: 'The idempotency key is that of another report.' };
  });
  return { outcomes };
}

function credibleTime(text: string | undefined): string | null {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return time >= earliestDownload && time <= Date.now() ? new Date(time).toISOString() : null;
}

/** Stores reports, except those of customers who were erased. */
function storeReports(db: Knex, reports: readonly ArrivedReport[]): Promise<Stored[]> {
  return db.transaction(async (transaction) => {
    await shareErasures(transaction);
    const isErased = await findErased(
      transaction,
      reports.map(({ report }) => report.customerId),
    );
    const kept = reports.filter(({ report, downloadedAt }) => !isErased(report.customerId, downloadedAt));
    const outcomes = await insertReports(transaction, kept);
    const outcomeOf = new Map(kept.map((each, at) => [each, outcomes[at]]));
    return reports.map((each) => outcomeOf.get(each) ?? 'discarded');
  });
}

/** Inserts reports in one statement. Rows are inserted in the order of their keys, so that two batches cannot deadlock. */
async function insertReports(db: Knex, reports: readonly ArrivedReport[]): Promise<Stored[]> {
  if (reports.length === 0) return [];
  const ids = reports.map(() => newId());
  const column = (name: keyof DownloadReport) => reports.map(({ report }) => report[name] ?? null);
  const keys = reports.map(({ idempotencyKey }) => idempotencyKey);
  const { rows } = await db.raw(
    `insert into download_reports
            (id, idempotency_key, customer_id, tier, package_name, version, outcome, downloaded_at)
     select id, key, customer_id, tier, package_name, version, outcome, least(coalesce(downloaded_at, now()), now())
       from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[])
            with ordinality
            as sent (id, key, customer_id, tier, package_name, version, outcome, downloaded_at, position)
      order by key, position
     on conflict (idempotency_key) do nothing
     returning id`,
    [
      ids,
      keys,
      column('customerId'),
      column('tier'),
      column('packageName'),
      column('version'),
      column('outcome'),
      reports.map(({ downloadedAt }) => downloadedAt),
    ] as never,
  );
  const inserted = new Set(rows.map(({ id }: { id: string }) => id));
  if (inserted.size === reports.length) return reports.map(() => 'stored');
  const existing = await findByKey(db, keys.filter((key, at) => key !== null && !inserted.has(ids[at])) as string[]);
  return reports.map(({ report, idempotencyKey }, at) => {
    if (inserted.has(ids[at])) return 'stored';
    const other = existing.get(idempotencyKey as string);
    // A report whose key was known a moment ago was stored, also if it has been removed since.
    return !other || isSame(report, other) ? 'repeated' : 'conflict';
  });
}

type StoredReport = Omit<DownloadReport, 'version'> & { version: string | null };

async function findByKey(db: Knex, keys: readonly string[]): Promise<Map<string, StoredReport>> {
  const rows: (StoredReport & { idempotencyKey: string })[] = await db('download_reports')
    .whereIn('idempotencyKey', [...keys])
    .select('idempotencyKey', 'customerId', 'tier', 'packageName', 'version', 'outcome');
  return new Map(rows.map((row) => [row.idempotencyKey, row]));
}

/** The time is not compared: a report that is sent singly has none. */
function isSame(report: DownloadReport, stored: StoredReport): boolean {
  return (
    report.customerId === stored.customerId &&
    report.tier === stored.tier &&
    report.packageName === stored.packageName &&
    (report.version ?? null) === stored.version &&
    report.outcome === stored.outcome
  );
}
