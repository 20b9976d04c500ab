/**
 * Download reports: taken from the gated registry, read by the vendor (contract, TelemetryDownloadDto).
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
const Outcome = oneOf(['allowed', 'denied'], { description: 'Whether the registry served the package' });

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
      'The report is stored before it is answered. With an Idempotency-Key, one that is sent again counts once.',
    access: 'registry',
    body: TelemetryDownloadDto,
    status: 202,
    response: object({ accepted: Type.Boolean() }, { $id: 'TelemetryAccepted' }),
    idempotent: true,
  },
  async ({ db, body, once }) => {
    const outcome = await storeReport(db, body, once?.key ?? null);
    if (outcome === 'conflict') throw idempotencyConflict();
    if (once) once.replayed = outcome === 'repeated';
    return { accepted: true };
  },
);

const listDownloads = route(
  {
    method: 'get',
    path: '/telemetry/downloads',
    operationId: 'listDownloads',
    tag,
    summary: 'List download reports, the newest first',
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
