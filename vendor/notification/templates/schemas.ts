/**
 * Schemas of the templates of mails, and of their texts.
 */
import {
  changeOf,
  Email,
  humanText,
  Locale,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  withOptions,
} from '@carton/runtime';
import { maxTextLength } from '../liquid/fault.ts';

export const TemplateKey = Type.String({ minLength: 1, maxLength: 120, examples: ['order.placed'] });

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
