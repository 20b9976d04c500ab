/**
 * Routes of media assets: for staff, and the files themselves for everyone.
 */
import { quotaExceeded } from '@carton/core';
import {
  externalIdTaken,
  object,
  resource,
  route,
  Type,
  type UploadedFile,
  Uuid,
  unsupportedFileType,
  withOverrides,
} from '@carton/runtime';
import { admitMedia } from '../files/quota.ts';
import { mediaInUse, pictureTooManyPixels, pictureUnreadable } from '../problems.ts';
import { mediaSettings } from '../settings.ts';
import { readFile } from './content.ts';
import { examplePicture } from './example.ts';
import { setLogo } from './logo.ts';
import { MediaAssetQuery, SetStoreLogo, StoreLogo, shapes, UploadFields } from './schemas.ts';
import { changeAsset, createAsset, deleteAsset, listAssets, readAsset } from './service.ts';

const tag = 'Media';

export const adminMedia = resource({
  path: '/admin/media',
  noun: 'media asset',
  tag,
  access: 'staff',
  item: shapes.Item,
  list: { query: MediaAssetQuery, page: shapes.Page, run: ({ db, query }) => listAssets(db, query) },
  read: { run: ({ db, params }) => readAsset(db, params.id) },
  change: {
    summary: 'Change the file name, alternative text or focal point of a media asset',
    body: shapes.Change,
    run: ({ db, params, body }) => changeAsset(db, params.id, body),
  },
  remove: {
    summary: 'Delete a media asset that is not in use',
    description: 'Its addresses are not found immediately; browsers may have copies.',
    problems: [mediaInUse],
    run: ({ db, params }) => deleteAsset(db, params.id),
  },
});

/** A file of an accepted type as the form field `file`, as large as it may be by default. */
export const file = {
  size: 100 * 1024 * 1024,
  description: 'A JPEG, PNG, WebP, GIF, AVIF or HEIC picture, an MP4, MOV or WebM video, or a PDF document',
  example: examplePicture,
};

/** The problems of a file that is not accepted. */
export const fileProblems = [unsupportedFileType, pictureTooManyPixels, pictureUnreadable, quotaExceeded];

export const createMedia = withOverrides(
  route(
    {
      method: 'post',
      path: '/admin/media',
      operationId: 'createMediaAsset',
      tag,
      summary: 'Upload a file',
      description:
        'Pictures are decoded, turned upright, and stored without metadata such as the place where they were taken. ' +
        'A HEIC picture, as iPhones take them, is stored as JPEG, or as WebP if it is transparent. ' +
        'The type is detected from the content. SVG is not accepted.',
      access: 'staff',
      body: UploadFields,
      upload: { files: { file }, admit: admitMedia },
      status: 201,
      response: shapes.Item,
      location: '/admin/media/{id}',
      problems: [externalIdTaken, ...fileProblems],
    },
    ({ db, body, files }) => createAsset(db, files.file[0] as UploadedFile, body),
  ),
  (box) => ({
    upload: { files: { file: { ...file, size: mediaSettings.of(box).fileSize } }, admit: admitMedia },
  }),
);

export const setStoreLogo = route(
  {
    method: 'put',
    path: '/admin/store/logo',
    operationId: 'setStoreLogo',
    tag,
    summary: 'Make a picture the logo of the store',
    description:
      'Null removes the logo. `logoUrl` of the store is then an address below that of this API; `PATCH /admin/store` ' +
      'sets one of another site instead.',
    access: 'staff',
    body: SetStoreLogo,
    status: 200,
    response: StoreLogo,
    beyond: true,
  },
  async ({ db, body }) => ({ logoUrl: await setLogo(db, body.mediaAssetId) }),
);

const FileParams = object({
  id: Uuid,
  file: Type.String({ pattern: '^(original|[0-9]{2,4})\\.[a-z0-9]{3,4}$', maxLength: 20, examples: ['640.webp'] }),
});

export const readMediaFile = route(
  {
    method: 'get',
    path: '/media/:id/:file',
    operationId: 'readMediaFile',
    tag,
    summary: 'Read a file or one of its sized variants',
    description: 'The addresses are those of `url` and `variants` of the asset. Their content never changes.',
    access: 'public',
    params: FileParams,
    status: 200,
    mediaType: '*/*',
    file: true,
    cacheControl: 'public, max-age=31536000, immutable',
    beyond: true,
  },
  ({ db, params }) => readFile(db, params.id, params.file),
);
