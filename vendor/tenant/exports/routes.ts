/**
 * Routes of the export of a tenant, for the operator.
 */
import { createReadStream } from 'node:fs';
import { type ByteRange, forbidden, notFound, route, type ServicesFor, type TenantDatabase } from '@carton/runtime';
import { exportNotReady } from '../problems.ts';
import { isOperator, readTenant } from '../service.ts';
import { fileOf } from './job.ts';
import { TenantExport } from './schemas.ts';
import { presentExport, requestExport } from './service.ts';
import { type ExportRow, findExport } from './store.ts';

const common = { tag: 'Tenants', access: ['operator', 'staff'], beyond: true } as const;

type Caller = Pick<ServicesFor<'staff'>, 'staff' | 'db' | 'box'>;

/** @throws not_found (404), forbidden (403) for staff */
async function databaseOf(caller: Caller, id: string): Promise<TenantDatabase> {
  await readTenant(caller, id);
  if (!isOperator(caller.staff)) throw forbidden('Only the operator can export tenants.');
  return caller.box.database.forTenant(id);
}

/** @throws not_found (404) */
async function requireExport(db: TenantDatabase): Promise<ExportRow> {
  const found = await findExport(db);
  if (!found) throw notFound('This tenant has no export.');
  return found;
}

export const createTenantExport = route(
  {
    ...common,
    method: 'post',
    path: '/admin/tenants/:id/export',
    operationId: 'createTenantExport',
    summary: 'Export all data of a tenant',
    description:
      'The export is written in the background; one in progress is returned as it is, and replaces one that has ended. ' +
      'It contains all rows of one point in time, without secrets such as hashes of passwords, and the original files.',
    status: 202,
    response: TenantExport,
    problems: [forbidden],
  },
  async ({ params, ...caller }) => presentExport(await requestExport(await databaseOf(caller, params.id))),
);

export const readTenantExportState = route(
  {
    ...common,
    method: 'get',
    path: '/admin/tenants/:id/export/state',
    operationId: 'readTenantExportState',
    summary: 'Read the state of the export of a tenant',
    status: 200,
    response: TenantExport,
    problems: [forbidden],
  },
  async ({ params, ...caller }) => presentExport(await requireExport(await databaseOf(caller, params.id))),
);

export const readTenantExport = route(
  {
    ...common,
    method: 'get',
    path: '/admin/tenants/:id/export',
    operationId: 'readTenantExport',
    summary: 'Download the export of a tenant',
    description:
      'A tar file, compressed with gzip: `tables/<name>.ndjson` has the rows of a table, one JSON object a line, `files/` ' +
      'the original files, and `manifest.json` the counts and SHA-256 of all. It is deleted at `expiresAt`.',
    status: 200,
    mediaType: 'application/gzip',
    file: true,
    problems: [forbidden, exportNotReady],
  },
  async ({ params, ...caller }) => {
    const db = await databaseOf(caller, params.id);
    const found = await requireExport(db);
    const { state, size, sha256 } = found;
    if (state !== 'ready' || size === null) throw exportNotReady(`It is ${state}.`);
    return {
      mediaType: 'application/gzip',
      size,
      etag: `"${sha256}"`,
      headers: { 'Content-Disposition': 'attachment; filename="export.tar.gz"' },
      open: (range?: ByteRange) => createReadStream(fileOf(db, found), range),
    };
  },
);
