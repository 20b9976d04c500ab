/**
 * Download reports: sent by the gated registry, read by the vendor (contract, TelemetryDownloadDto).
 */
import { idempotencyConflict, object, routeFor, Type } from '@carton/runtime/service';
import { listWithCsv } from '../csv-routes.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import { storeBatch, storeReport } from './receive.ts';
import {
  DownloadBatch,
  DownloadBatchResult,
  DownloadPage,
  maxBatch,
  RollupPage,
  reportFilters,
  rollupFilters,
  TelemetryDownloadDto,
} from './schemas.ts';
import { eachReport, eachRollup, listReports, listRollups } from './search.ts';

const route = routeFor<CommonServices, CommonCallers>();
const tag = 'Telemetry';
const common = ['customerId', 'tier', 'packageName', 'version', 'outcome'] as const;

const reportDownload = route(
  {
    method: 'post',
    path: '/telemetry/download',
    operationId: 'reportDownload',
    tag,
    summary: 'Report a download from the gated registry',
    description:
      'The report has been stored when the response arrives. With an `Idempotency-Key`, a repeated report is stored once.',
    access: 'registry',
    body: TelemetryDownloadDto,
    status: 202,
    response: object({ accepted: Type.Boolean() }, { $id: 'TelemetryAccepted' }),
    idempotent: true,
  },
  async ({ db, body, idempotency }) => {
    const outcome = await storeReport(db, body, idempotency?.key ?? null);
    if (outcome === 'conflict') throw idempotencyConflict();
    if (idempotency) idempotency.replayed = outcome === 'repeated';
    return { accepted: true };
  },
);

const reportDownloads = route(
  {
    method: 'post',
    path: '/telemetry/downloads/batch',
    acceptsNul: true,
    operationId: 'reportDownloads',
    tag,
    summary: 'Report many downloads from the gated registry',
    description: `At most ${maxBatch}. Those that were not rejected have been stored when the response arrives. Each is stored once for its idempotency key, which \`POST /telemetry/download\` takes as a header.`,
    access: 'registry',
    body: DownloadBatch,
    bodyLimit: 2 * 1024 ** 2,
    status: 202,
    response: DownloadBatchResult,
  },
  ({ db, body }) => storeBatch(db, body.reports),
);

const downloadRoutes = listWithCsv({
  path: '/telemetry/downloads',
  operationId: 'listDownloads',
  tag,
  summary: 'List download reports, the latest download first',
  description: '`from` and `to` are times of the download; `to` itself is not included.',
  csv: {
    operationId: 'exportDownloads',
    summary: 'Read all download reports of a search as CSV',
    columns: ['downloadedAt', ...common, 'createdAt', 'id'],
  },
  filters: reportFilters,
  response: DownloadPage,
  list: listReports,
  each: eachReport,
});

const rollupRoutes = listWithCsv({
  path: '/telemetry/rollups',
  operationId: 'listDownloadRollups',
  tag,
  summary: 'List counts of downloads by day, the latest day first',
  description:
    'By day (UTC), customer, tier, package, version and outcome. A download is counted within a few minutes after its report has arrived, on the day of the download. Counts stay when the reports are removed.',
  csv: {
    operationId: 'exportDownloadRollups',
    summary: 'Read all counts of a search as CSV',
    columns: ['day', ...common, 'count'],
  },
  filters: rollupFilters,
  response: RollupPage,
  list: listRollups,
  each: eachRollup,
});

export const telemetryRoutes = [reportDownload, reportDownloads, ...downloadRoutes, ...rollupRoutes];
