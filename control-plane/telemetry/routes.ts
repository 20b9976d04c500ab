/**
 * Download reports: sent by the gated registry, read by the vendor (contract, TelemetryDownloadDto).
 */
import { DateTime, idempotencyConflict, object, pageQuery, routeFor, Type } from '@carton/runtime/service';
import { CustomerId, PackageName, Tier, VersionText } from '../schemas.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import { storeBatch, storeReport } from './receive.ts';
import {
  DownloadBatch,
  DownloadBatchResult,
  DownloadPage,
  maxBatch,
  Outcome,
  TelemetryDownloadDto,
} from './schemas.ts';
import { listReports } from './search.ts';

const route = routeFor<CommonServices, CommonCallers>();
const tag = 'Telemetry';

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

const filters = {
  customerId: Type.Optional(CustomerId),
  packageName: Type.Optional(PackageName),
  version: Type.Optional(VersionText),
  outcome: Type.Optional(Outcome),
  tier: Type.Optional(Tier),
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
};

const listDownloads = route(
  {
    method: 'get',
    path: '/telemetry/downloads',
    operationId: 'listDownloads',
    tag,
    summary: 'List download reports, the latest download first',
    description: '`from` and `to` are times of the download; `to` itself is not included.',
    access: 'admin',
    query: pageQuery(filters),
    status: 200,
    response: DownloadPage,
  },
  ({ db, query }) => listReports(db, query),
);

export const telemetryRoutes = [reportDownload, reportDownloads, listDownloads];
