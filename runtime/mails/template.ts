/**
 * The mails that a box sends. Each is declared by the package it concerns, with sample data, so that the package that
 * sends mails, previews them and lets tenants edit their texts does not depend on the others.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { EventDefinition } from '../events/event.ts';
import type { DeliveredEvent } from '../events/subscriber.ts';
import { extensionPoint } from '../extension/extension.ts';
import type { Static, TSchema } from '../http/schemas.ts';

/** A mail to send: its recipient, its language and the data for its text. */
export interface ComposedMail<Data = unknown> {
  /** E-mail address. */
  readonly to: string;
  /** BCP 47; null for the store's default. */
  readonly locale: string | null;
  readonly data: Data;
}

/** The declaration of a mail. */
export interface MailTemplate<Schema extends TSchema = TSchema> {
  /**
   * Unique in a box, and stable: edited texts are stored under it. By convention the type of the event: `order.placed`.
   */
  readonly key: string;
  /** What the mail is and when it is sent, for staff. */
  readonly summary: string;
  readonly audience: 'shopper' | 'staff';
  /** The schema of the data for the text. */
  readonly data: Schema;
  /** Data for previews, with every value that the text uses. */
  readonly sample: Static<Schema>;
  /** Text with Mustache tags (mustache(5)): `Your order {{number}}`. */
  readonly subject: string;
  readonly text: string;
  /** The text in HTML, with values escaped. */
  readonly html?: string;
  /** The mail is sent once for each of these events. Without it, the package sends the mail explicitly. */
  readonly event?: EventDefinition;
  /**
   * Composes the mail just before it is sent, after the transaction of the event. Returns null if it must not be sent,
   * for example because the abandoned cart has become an order.
   */
  compose?(db: TenantDatabase, event: DeliveredEvent): Promise<ComposedMail<Static<Schema>> | null>;
}

/** The extension point for mails: `extends: [mailTemplates.with(orderPlacedMail)]`. */
export const mailTemplates = extensionPoint<MailTemplate>('mails.templates');

/**
 * Declares a mail.
 * @example export const orderPlacedMail = defineMail({
 *            key: 'order.placed', summary: 'To the shopper, once an order is placed', audience: 'shopper',
 *            data: object({ number: Type.String() }), sample: { number: 'ORD-1001' },
 *            subject: 'Your order {{number}}', text: 'Thank you for your order {{number}}.',
 *            event: orderPlaced, compose: async (db, { resource }) => … })
 * @throws Error when `event` is set without `compose`
 */
export function defineMail<Schema extends TSchema>(template: MailTemplate<Schema>): MailTemplate {
  if (template.event && !template.compose) throw new Error(`the mail ${template.key} has an event but no compose`);
  return template as unknown as MailTemplate;
}
