/**
 * Schemas of the records of mails.
 */
import {
  DateTime,
  Locale,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { TemplateKey } from '../templates/schemas.ts';

export const notificationStatuses = ['queued', 'sent', 'failed', 'not_sent'] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];

const Status = oneOf(notificationStatuses, {
  description:
    '`queued`: waits to be sent or for the next attempt; `sent`: the mail server has accepted it; `failed`: it was refused or given up; `not_sent`: it did not have to be sent, or no mail server is configured. `error` has the reason',
});

export const Notification = object(
  {
    id: Uuid,
    template: TemplateKey,
    status: Status,
    recipient: nullable(
      Type.String({ description: 'Null until the mail is composed, and once erased', examples: ['ada@example.com'] }),
    ),
    locale: nullable(Locale),
    subject: nullable(
      Type.String({ description: 'Null for a mail with a secret, too', examples: ['Your order ORD-1001'] }),
    ),
    about: object({ type: Type.String({ examples: ['order'] }), id: Uuid }, { description: 'What the mail is about' }),
    messageId: nullable(Type.String({ examples: ['<0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001@example.com>'] })),
    attempts: Type.Integer({ minimum: 0 }),
    error: nullable(Type.String({ description: 'Why the last attempt failed, or why the mail was not sent' })),
    delayedUntil: nullable(
      withOptions(DateTime, {
        description:
          'Of a queued mail that exceeds the limits of mails to one address, or by one client, which guests cause: when it is tried again. Send it at once by `POST /admin/notifications/{id}/resend`',
      }),
    ),
    createdAt: DateTime,
    updatedAt: DateTime,
    sentAt: nullable(DateTime),
  },
  { $id: 'Notification', description: 'The record of a mail. Its text is not stored.' },
);
export type Notification = Static<typeof Notification>;
export const NotificationPage = pageOf(Notification, 'NotificationPage');

export const NotificationQuery = pageQuery({
  status: Type.Optional(Status),
  template: Type.Optional(TemplateKey),
  recipient: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Case-insensitive' })),
  resourceId: Type.Optional(withOptions(Uuid, { description: 'The order, for example, that the mail is about' })),
  from: Type.Optional(withOptions(DateTime, { description: 'Recorded at this time or later' })),
  to: Type.Optional(withOptions(DateTime, { description: 'Recorded before this time' })),
});
export type NotificationQuery = Static<typeof NotificationQuery>;
