/**
 * The mails that a box sends. Each is declared by the package it concerns, with sample data, so that the package that
 * sends mails, previews them and lets tenants edit their texts does not depend on the others.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { EventDefinition } from '../events/event.ts';
import type { Resource } from '../events/outbox.ts';
import type { DeliveredEvent } from '../events/subscriber.ts';
import { extensionPoint } from '../extension/extension.ts';
import type { Static, TObject } from '../http/schemas.ts';
import type { Translations } from '../intl/translations.ts';

/** A mail to send: its recipient, its language and the data for its text. */
export interface ComposedMail<Data = unknown> {
  /** E-mail address; null with `toStore`. */
  readonly to: string | null;
  /** BCP 47; null for the store's default. */
  readonly locale: string | null;
  readonly data: Data;
  /** The part of the data that is written in the language of the chosen text, such as names of countries. */
  readonly localized?: (locale: string) => Partial<Data>;
  /** To whom an answer goes, if not to the sender of the store's mails. */
  readonly replyTo?: { readonly name: string; readonly address: string };
}

/** The event that a mail is sent for. It is stored until the mail is deleted, so that the mail can be sent again. */
export type MailEvent<Payload = unknown> = Pick<
  DeliveredEvent<Payload>,
  'id' | 'type' | 'resource' | 'payload' | 'createdAt'
>;

/** The parts of a mail in Liquid. */
export interface MailTexts {
  /** `Your order {{ order.number }}` */
  readonly subject: string;
  readonly text: string;
  /**
   * The text in HTML; values are escaped. A fragment, which is put into the layout of the store, or an entire document
   * that begins with `<!doctype html>` or `<html>`. Without it, the mail has only the text.
   */
  readonly html?: string;
}

/** The declaration of a mail. */
export interface MailTemplate<Schema extends TObject = TObject> extends MailTexts {
  /** The texts by language (ISO 639), in which the package has them besides English. */
  readonly translations?: Translations<MailTexts>;
  /**
   * Unique in a box, and stable: edited texts are stored under it. By convention the type of the event: `order.placed`.
   */
  readonly key: string;
  /** What the mail is and when it is sent, for staff. */
  readonly summary: string;
  readonly audience: 'shopper' | 'staff';
  /** The schema of the data. Texts use its properties as variables, besides `store` and `locale`. */
  readonly data: Schema;
  /** Data for previews, with every value that the text uses. */
  readonly sample: Static<Schema>;
  /** The mail is sent once for each of these events. */
  readonly event?: EventDefinition;
  /**
   * Sent to each address that the store has set for mails to its staff, by default its owners, instead of to `to` of the
   * composed mail. With `contact` it is sent to the contact address of the store, if it has one.
   */
  readonly toStore?: true | 'contact';
  /**
   * The data contains a secret, such as the token of a link. The subject of such a mail is not stored, and a repeated
   * attempt has another Message-ID, since it has another secret.
   */
  readonly secret?: true;
  /**
   * Of a mail with a secret: the permission for what the secret opens. Only callers who have it change the texts, since a
   * text could pass the secret on. `*` for accounts of staff, which may have all permissions.
   * @example 'member:write'
   */
  readonly opens?: string;
  /**
   * The resource under which staff find the mail, by default that of the event: the order of a payment. Mails about one
   * resource are sent in the order of their events.
   */
  about?(event: MailEvent): Resource;
  /**
   * Composes the mail just before each attempt to send it, after the transaction of the event. Secrets are created here.
   * Returns null if the mail must not be sent, for example because the abandoned cart has become an order.
   */
  compose?(db: TenantDatabase, event: MailEvent): Promise<ComposedMail<Static<Schema>> | null>;
}

/** The extension point for mails: `extends: [mailTemplates.with(orderPlacedMail)]`. */
export const mailTemplates = extensionPoint<MailTemplate>('mails.templates');

/**
 * Declares a mail.
 * @example export const orderPlacedMail = defineMail({
 *            key: 'order.placed', summary: 'To the shopper, once an order is placed', audience: 'shopper',
 *            data: object({ number: Type.String() }), sample: { number: 'ORD-1001' },
 *            subject: 'Your order {{ number }}', text: 'Thank you for your order {{ number }}.',
 *            event: orderPlaced, compose: async (db, { resource }) => … })
 * @throws Error when `event` is set without `compose`, or one of `secret` and `opens` without the other
 */
export function defineMail<Schema extends TObject>(template: MailTemplate<Schema>): MailTemplate {
  if (template.event && !template.compose) throw new Error(`the mail ${template.key} has an event but no compose`);
  if ((template.secret ?? false) !== (template.opens !== undefined))
    throw new Error(`the mail ${template.key} needs both secret and opens, or neither`);
  return template as unknown as MailTemplate;
}
