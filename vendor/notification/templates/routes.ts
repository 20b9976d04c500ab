/**
 * Routes of the templates of mails.
 */
import { notFound, object, route, Type, tooCostly } from '@carton/runtime';
import { mailNotAccepted, mailNotConfigured, noOwnAddress, templateReserved } from '../problems.ts';
import {
  ChangeNotificationTemplate,
  NotificationPreview,
  NotificationTemplate,
  NotificationTemplateList,
  PreviewNotification,
  TestedNotification,
  TestNotification,
} from './schemas.ts';
import { changeTemplate, listTemplates, previewTemplate, readTemplate, testTemplate } from './service.ts';

const common = { tag: 'Notifications', access: 'staff' } as const;
const path = '/admin/notification-templates/:key';
const params = object({ key: Type.String({ minLength: 1, maxLength: 120, examples: ['order.placed'] }) });

export const listNotificationTemplates = route(
  {
    ...common,
    method: 'get',
    path: '/admin/notification-templates',
    operationId: 'listNotificationTemplates',
    summary: 'List the templates of mails',
    status: 200,
    response: NotificationTemplateList,
  },
  async ({ db }) => ({ items: await listTemplates(db) }),
);

export const readNotificationTemplate = route(
  {
    ...common,
    method: 'get',
    path,
    operationId: 'readNotificationTemplate',
    summary: 'Read a template with its variables',
    params,
    status: 200,
    response: NotificationTemplate,
    problems: [notFound],
  },
  ({ db, params }) => readTemplate(db, params.key),
);

export const updateNotificationTemplate = route(
  {
    ...common,
    method: 'patch',
    path,
    operationId: 'updateNotificationTemplate',
    summary: "Change the store's texts of a mail, or whether it is sent",
    description:
      'A text with a syntax error, an unknown variable or an endless loop is refused; the detail has its line and column. Mails that are already queued are sent with the new texts.',
    params,
    body: ChangeNotificationTemplate,
    // Texts in many languages.
    bodyLimit: 4_000_000,
    status: 200,
    response: NotificationTemplate,
    problems: [notFound, templateReserved, tooCostly],
  },
  ({ db, staff, params, body }) => changeTemplate(db, staff, params.key, body),
);

export const previewNotificationTemplate = route(
  {
    ...common,
    method: 'post',
    path: '/admin/notification-templates/:key/preview',
    operationId: 'previewNotificationTemplate',
    summary: 'Render a mail with sample data',
    permission: 'notification:read',
    params,
    body: PreviewNotification,
    status: 200,
    response: NotificationPreview,
    problems: [notFound, tooCostly],
  },
  ({ db, params, body }) => previewTemplate(db, params.key, body),
);

export const testNotificationTemplate = route(
  {
    ...common,
    method: 'post',
    path: '/admin/notification-templates/:key/test',
    operationId: 'testNotificationTemplate',
    summary: "Send a mail with sample data to the caller's own address",
    beyond: true,
    params,
    body: TestNotification,
    outsideTransaction: true,
    status: 200,
    response: TestedNotification,
    problems: [notFound, tooCostly, noOwnAddress, mailNotConfigured, mailNotAccepted],
  },
  ({ db, staff, params, body }) => testTemplate(db, staff, params.key, body.locale),
);
