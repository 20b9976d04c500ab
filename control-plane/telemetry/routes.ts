/**
 * Download reports: sent by the gated registry, read by the vendor (contract, TelemetryDownloadDto).
 */
import {
  DateTime,
  idempotencyConflict,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  routeFor,
  Type,
  Uuid,
} from '@carton/runtime/service';
import { CustomerId, PackageName, Tier, VersionText } from '../schemas.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import { listReports, storeReport } from './store.ts';

const route = routeFor<CommonServices, CommonCallers>();
const tag = 'Telemetry';
const Outcome = oneOf(['allowed', 'denied'], {
  description: 'Whether the registry served the package or denied the download',
});

const TelemetryDownloadDto = object(
  {
    customerId: CustomerId,
    tier: Tier,
    packageName: PackageName,
    version: Type.Optional(VersionText),
    outcome: Outcome,
  },
  { $id: 'TelemetryDownloadDto' },
);

const Download = object(
  {
    id: Uuid,
    customerId: CustomerId,
    tier: Tier,
    packageName: PackageName,
    version: nullable(VersionText),
    outcome: Outcome,
    createdAt: DateTime,
  },
  { $id: 'Download' },
);

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

const listDownloads = route(
  {
    method: 'get',
    path: '/telemetry/downloads',
    operationId: 'listDownloads',
    tag,
    summary: 'List download reports, newest first',
    access: 'admin',
    query: pageQuery({
      customerId: Type.Optional(CustomerId),
      packageName: Type.Optional(PackageName),
      outcome: Type.Optional(Outcome),
    }),
    status: 200,
    response: pageOf(Download, 'DownloadPage'),
  },
  ({ db, query }) => listReports(db, query),
);

export const telemetryRoutes = [reportDownload, listDownloads];
