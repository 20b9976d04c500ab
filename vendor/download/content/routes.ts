/**
 * The files for everyone who has a link of a mail, and for the members who ordered.
 */
import { object, route, Type, tooManyRequests } from '@carton/runtime';
import { downloadEnded, downloadLimitReached } from '../problems.ts';
import { readByToken, readOwn } from './service.ts';

export const downloadFile = route(
  {
    method: 'get',
    path: '/downloads/:token',
    operationId: 'downloadFile',
    tag: 'Downloads',
    summary: 'Download a file by the link of a mail',
    description:
      'A request counts as a download, unless the downloads that began within a day have not sent all of their bytes yet: ' +
      'parts and resumed downloads count once. An unknown token is 404; a known one is 410 once the download has ended ' +
      'or was used as often as it may be.',
    access: 'public',
    params: object({ token: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 200,
    mediaType: '*/*',
    file: true,
    cacheControl: 'private, no-store',
    problems: [downloadEnded, downloadLimitReached, tooManyRequests],
    beyond: true,
  },
  ({ params, ...caller }) => readByToken(caller, params.token),
);

export const readMemberDownload = route(
  {
    tag: 'Member',
    access: 'member',
    beyond: true,
    method: 'get',
    path: '/member/downloads/:id',
    operationId: 'readMemberDownload',
    summary: 'Download a file of one of your orders',
    description: 'Counts as `GET /downloads/{token}` does.',
    status: 200,
    mediaType: '*/*',
    file: true,
    cacheControl: 'private, no-store',
    problems: [downloadEnded, downloadLimitReached],
  },
  ({ db, session, params }) => readOwn(db, session.memberId, params.id),
);
