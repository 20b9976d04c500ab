/**
 * Routes of the records of mails.
 */
import { route } from '@carton/runtime';
import { notificationErased, notificationQueuedAlready } from '../problems.ts';
import { Notification, NotificationPage, NotificationQuery } from './schemas.ts';
import { listNotifications, resend } from './service.ts';

const common = { tag: 'Notifications', access: 'staff' } as const;

export const listAdminNotifications = route(
  {
    ...common,
    method: 'get',
    path: '/admin/notifications',
    operationId: 'listNotifications',
    summary: 'List the mails of the store, newest first',
    query: NotificationQuery,
    status: 200,
    response: NotificationPage,
  },
  ({ db, query }) => listNotifications(db, query),
);

export const resendNotification = route(
  {
    ...common,
    method: 'post',
    path: '/admin/notifications/:id/resend',
    operationId: 'resendNotification',
    summary: 'Send a mail again',
    description:
      'The mail is composed from present data, with new links in place of earlier ones. It gets a record of its own.',
    idempotent: true,
    status: 202,
    response: Notification,
    problems: [notificationQueuedAlready, notificationErased],
  },
  ({ db, params }) => resend(db, params.id),
);
