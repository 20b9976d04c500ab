/**
 * Routes of direct uploads: for staff, and the address to which clients send the file.
 */
import { quotaExceeded } from '@carton/core';
import { bodyTooLarge, externalIdTaken, object, route, Type, type UploadedFile, withOverrides } from '@carton/runtime';
import { file, fileProblems } from '../assets/routes.ts';
import { shapes } from '../assets/schemas.ts';
import { mediaUploadIncomplete } from '../problems.ts';
import { mediaSettings } from '../settings.ts';
import { CreateMediaUpload, MediaUpload } from './schemas.ts';
import { admitUpload, completeUpload, createUpload, receiveUpload } from './service.ts';

const tag = 'Media';

export const createMediaUpload = route(
  {
    method: 'post',
    path: '/admin/media/uploads',
    operationId: 'createMediaUpload',
    tag,
    summary: 'Ask for an address to which a client sends a file',
    description:
      'For large files, and for clients without a credential. Send the file to `url` by PUT, then complete the upload. ' +
      'Everyone who knows the address can send the file, for an hour.',
    access: 'staff',
    body: CreateMediaUpload,
    status: 201,
    response: MediaUpload,
    problems: [bodyTooLarge, quotaExceeded],
  },
  ({ db, body }) => createUpload(db, body),
);

export const completeMediaUpload = route(
  {
    method: 'post',
    path: '/admin/media/uploads/:id/complete',
    operationId: 'completeMediaUpload',
    tag,
    summary: 'Make a file that was sent an asset',
    description: 'The file is checked as any other. Repeating the request returns the same asset.',
    access: 'staff',
    status: 201,
    response: shapes.Item,
    location: '/admin/media/{id}',
    problems: [externalIdTaken, bodyTooLarge, mediaUploadIncomplete, ...fileProblems],
    beyond: true,
  },
  ({ db, params }) => completeUpload(db, params.id),
);

export const sendMediaFile = withOverrides(
  route(
    {
      method: 'put',
      path: '/media/uploads/:token',
      operationId: 'sendMediaFile',
      tag,
      summary: 'Send the file of a direct upload',
      description: 'The address is the `url` of the upload. The file may be sent again until the upload is completed.',
      access: 'public',
      rateLimit: 'write',
      params: object({ token: Type.String({ minLength: 1, maxLength: 100 }) }),
      upload: { raw: true, files: { file }, admit: admitUpload },
      status: 204,
      beyond: true,
    },
    ({ db, params, files }) => receiveUpload(db, params.token, files.file[0] as UploadedFile),
  ),
  (box) => ({
    upload: { raw: true, files: { file: { ...file, size: mediaSettings.of(box).fileSize } }, admit: admitUpload },
  }),
);
