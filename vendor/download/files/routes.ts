/**
 * Routes of the files of variants, for staff.
 */
import { quotaExceeded } from '@carton/core';
import { privateUpload } from '@carton/media';
import { resource, route, type UploadedFile, withOverrides } from '@carton/runtime';
import { tooManyDownloads } from '../problems.ts';
import { ChangeDownload, Download, DownloadList } from './schemas.ts';
import { addDownload, changeDownload, deleteDownload, listDownloads, readForStaff } from './service.ts';
import { downloads } from './store.ts';

const common = { tag: 'Downloads', access: 'staff', beyond: true } as const;
const file = 'A file of any type, which is stored as it is';

export const createDownload = withOverrides(
  route(
    {
      ...common,
      method: 'post',
      path: '/admin/variants/:id/downloads',
      operationId: 'createDownload',
      summary: 'Upload a file that buyers of a variant download',
      description:
        'Orders that are paid from then on include it. A variant with files is shipped all the same, as a printed book ' +
        'with a file is, unless its `requiresShipping` is false.',
      ...privateUpload(null, file),
      status: 201,
      response: Download,
      location: '/admin/downloads/{id}',
      problems: [tooManyDownloads, quotaExceeded],
    },
    ({ db, params, files }) => addDownload(db, params.id, files.file[0] as UploadedFile),
  ),
  (box) => privateUpload(box, file),
);

export const listVariantDownloads = route(
  {
    ...common,
    method: 'get',
    path: '/admin/variants/:id/downloads',
    operationId: 'listVariantDownloads',
    summary: 'List the files that buyers of a variant download, in order',
    status: 200,
    response: DownloadList,
  },
  async ({ db, params }) => ({ items: await listDownloads(db, params.id) }),
);

export const adminDownloads = resource({
  ...common,
  path: '/admin/downloads',
  noun: 'download',
  item: Download,
  rows: downloads,
  read: { summary: 'Read a download of a variant' },
  change: {
    summary: 'Rename a download or change its position',
    description: 'Buyers who download the file later get it under the new name.',
    body: ChangeDownload,
    run: ({ db, params, body }) => changeDownload(db, params.id, body),
  },
  remove: {
    summary: 'Delete a download for future orders',
    description: 'Buyers keep the file as long as their grants are valid.',
    run: ({ db, params }) => deleteDownload(db, params.id),
  },
});

export const readDownloadFile = route(
  {
    ...common,
    method: 'get',
    path: '/admin/downloads/:id/file',
    operationId: 'readDownloadFile',
    summary: 'Read the file of a download',
    status: 200,
    mediaType: '*/*',
    file: true,
    cacheControl: 'private, no-store',
  },
  ({ db, params }) => readForStaff(db, params.id),
);
