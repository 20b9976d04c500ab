/**
 * Download reports: sent by the gated registry, read by the vendor (contract, TelemetryDownloadDto).
 */
import { idempotencyConflict, object, pageQuery, routeFor, Type } from '@carton/runtime/service';
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
import { listReports, listRollups, reportsAsCsv, rollupsAsCsv } from './search.ts';

const route = routeFor<CommonServices, CommonCallers>();
const tag = 'Telemetry';
const csv = 'text/csv; charset=utf-8';
const csvNote =
  'Without pages, in the same order. A text that a spreadsheet would calculate as a formula begins with an apostrophe.';

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

const listDownloads = route(
  {
    method: 'get',
    path: '/telemetry/downloads',
    operationId: 'listDownloads',
    tag,
    summary: 'List download reports, the latest download first',
    description: '`from` and `to` are times of the download; `to` itself is not included.',
    access: 'admin',
    query: pageQuery(reportFilters),
    status: 200,
    response: DownloadPage,
  },
  ({ db, query }) => listReports(db, query),
);

const exportDownloads = route(
  {
    method: 'get',
    path: '/telemetry/downloads/csv',
    operationId: 'exportDownloads',
    tag,
    summary: 'Read all download reports of a search as CSV',
    description: csvNote,
    access: 'admin',
    query: object(reportFilters),
    status: 200,
    mediaType: csv,
    streamed: true,
  },
  ({ db, query }) => reportsAsCsv(db, query),
);

const listDownloadRollups = route(
  {
    method: 'get',
    path: '/telemetry/rollups',
    operationId: 'listDownloadRollups',
    tag,
    summary: 'List counts of downloads by day, the latest day first',
    description:
      'By day (UTC), customer, tier, package, version and outcome. A download is counted within a few minutes after its report has arrived, on the day of the download. Counts stay when the reports are removed.',
    access: 'admin',
    query: pageQuery(rollupFilters),
    status: 200,
    response: RollupPage,
  },
  ({ db, query }) => listRollups(db, query),
);

const exportDownloadRollups = route(
  {
    method: 'get',
    path: '/telemetry/rollups/csv',
    operationId: 'exportDownloadRollups',
    tag,
    summary: 'Read all counts of a search as CSV',
    description: csvNote,
    access: 'admin',
    query: object(rollupFilters),
    status: 200,
    mediaType: csv,
    streamed: true,
  },
  ({ db, query }) => rollupsAsCsv(db, query),
);

export const telemetryRoutes = [
  reportDownload,
  reportDownloads,
  listDownloads,
  exportDownloads,
  listDownloadRollups,
  exportDownloadRollups,
];
