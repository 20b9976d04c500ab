/**
 * Routes of grants: for staff, and for the members who ordered.
 */
import { resource, route } from '@carton/runtime';
import { downloadGrantClosed, noDownloads } from '../problems.ts';
import { ChangeDownloadGrant, DownloadGrant, DownloadGrants, MemberDownloads } from './schemas.ts';
import { changeGrant, listGrants, listOwnGrants, readGrant, sendLinks } from './service.ts';

const forStaff = { tag: 'Downloads', access: 'staff', beyond: true } as const;
const forMembers = { tag: 'Member', access: 'member', beyond: true } as const;

export const listOrderDownloads = route(
  {
    ...forStaff,
    method: 'get',
    path: '/admin/orders/:id/downloads',
    operationId: 'listOrderDownloads',
    summary: 'List what the buyer of an order may download',
    status: 200,
    response: DownloadGrants,
  },
  async ({ db, params }) => ({ items: await listGrants(db, params.id) }),
);

export const sendOrderDownloads = route(
  {
    ...forStaff,
    method: 'post',
    path: '/admin/orders/:id/downloads/send',
    operationId: 'sendOrderDownloads',
    summary: 'Send new links to the downloads of an order',
    description: 'To the e-mail address of the order. Links of earlier mails end once the mail is sent.',
    status: 202,
    problems: [noDownloads],
  },
  ({ db, params }) => sendLinks(db, params.id),
);

export const adminDownloadGrants = resource({
  ...forStaff,
  path: '/admin/download-grants',
  noun: 'grant of a download',
  plural: 'grants of downloads',
  item: DownloadGrant,
  read: { summary: 'Read a grant of a download', run: ({ db, params }) => readGrant(db, params.id) },
  change: {
    summary: 'Extend, end or reopen a grant of a download',
    description: 'A grant that a refund or a cancellation has ended stays ended.',
    body: ChangeDownloadGrant,
    problems: [downloadGrantClosed],
    run: ({ db, params, body }) => changeGrant(db, params.id, body),
  },
});

export const listMemberDownloads = route(
  {
    ...forMembers,
    method: 'get',
    path: '/member/orders/:id/downloads',
    operationId: 'listMemberDownloads',
    summary: 'List the downloads of one of your orders',
    status: 200,
    response: MemberDownloads,
  },
  ({ db, session, params }) => listOwnGrants(db, session.memberId, params.id),
);
