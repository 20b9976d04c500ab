/**
 * Schemas of notifications and their templates.
 */
import {
  changeOf,
  DateTime,
  Email,
  humanText,
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
import { maxTextLength } from '../liquid/fault.ts';

export const notificationStatuses = ['queued', 'sent', 'failed', 'not_sent'] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];

const TemplateKey = Type.String({ minLength: 1, maxLength: 120, examples: ['order.placed'] });
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

/** The name of a guest is withheld unless it looks like one. */
const thanks = 'Thank you{% if order.customer.name %}, {{ order.customer.name }}{% endif %}';

const parts = {
  subject: humanText(1000, { examples: ['Your order {{ order.number }}'] }),
  text: Type.String({ minLength: 1, maxLength: maxTextLength, examples: [`${thanks}.`] }),
  html: nullable(
    Type.String({
      minLength: 1,
      maxLength: maxTextLength,
      description:
        'The text in HTML, with values escaped: a fragment for the layout of the store, or a document from `<html>` on; null for a mail without HTML',
      examples: [`<p>${thanks}.</p>`],
    }),
  ),
};
export const MailText = object(
  { locale: Locale, ...parts },
  { $id: 'MailText', description: 'The parts of a mail, in Liquid' },
);
export type MailText = Static<typeof MailText>;
/** In requests, whose locale may be in any case. */
const NewMailText = withOptions(MailText, { $id: 'NewMailText' });

const summary = {
  key: TemplateKey,
  summary: Type.String({ examples: ['To the shopper, once an order is placed'] }),
  audience: oneOf(['shopper', 'staff']),
  event: nullable(Type.String({ description: 'The event for which it is sent', examples: ['order.placed'] })),
  enabled: Type.Boolean({ description: 'Whether it is sent' }),
};
export const NotificationTemplateSummary = object(
  { ...summary, locales: Type.Array(Locale, { description: 'Languages for which the store has texts of its own' }) },
  { $id: 'NotificationTemplateSummary' },
);
export const NotificationTemplateList = object(
  { items: Type.Array(NotificationTemplateSummary) },
  { $id: 'NotificationTemplateList' },
);

const anyObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

const texts = Type.Array(MailText, {
  maxItems: 50,
  description:
    "The store's own texts, one for each language. A mail uses those of its language (`pt-BR`, then `pt`), else those of the store's default language, else `default`",
});
export const NotificationTemplate = object(
  {
    ...summary,
    texts,
    default: object(parts, { description: 'Used without a text of the store' }),
    variables: anyObject('JSON Schema of the variables, besides `store` and `locale`'),
    sample: anyObject('The data of previews'),
  },
  { $id: 'NotificationTemplate' },
);
export type NotificationTemplate = Static<typeof NotificationTemplate>;

export const ChangeNotificationTemplate = changeOf(
  {
    enabled: Type.Boolean(),
    texts: Type.Array(NewMailText, { maxItems: 50, description: 'Replaces all texts of the store' }),
  },
  { $id: 'ChangeNotificationTemplate' },
);
export type ChangeNotificationTemplate = Static<typeof ChangeNotificationTemplate>;

const locale = Type.Optional(withOptions(Locale, { description: "By default the store's" }));
export const PreviewNotification = object(
  {
    locale,
    draft: Type.Optional(object(parts, { description: 'Parts to preview in place of the stored ones' })),
  },
  { $id: 'PreviewNotification' },
);
export type PreviewNotification = Static<typeof PreviewNotification>;
export const NotificationPreview = object(
  { locale: Locale, subject: Type.String(), text: Type.String(), html: nullable(Type.String()) },
  { $id: 'NotificationPreview' },
);
export type NotificationPreview = Static<typeof NotificationPreview>;

export const TestNotification = object({ locale }, { $id: 'TestNotification' });
export const TestedNotification = object({ recipient: Email, messageId: Type.String() }, { $id: 'TestedNotification' });
