/**
 * Mails that a box sends: each is declared by the package that knows what it says, with sample data, so that whoever
 * sends mails, shows a preview of them or lets a shop change their words needs to know no package.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { EventDefinition } from '../events/event.ts';
import type { DeliveredEvent } from '../events/subscriber.ts';
import { extensionPoint } from '../extension/extension.ts';
import type { Static, TSchema } from '../http/schemas.ts';

/** A mail to be sent: to whom, in which language, and what its text is filled with. */
export interface ComposedMail<Data = unknown> {
  /** E-mail address. */
  readonly to: string;
  /** BCP 47; null for the store's own. */
  readonly locale: string | null;
  readonly data: Data;
}

/** A mail as its package declares it. */
export interface MailTemplate<Schema extends TSchema = TSchema> {
  /** Unique in a box, and stable: a shop's own words for it are kept under it. By custom the event's: `order.placed`. */
  readonly key: string;
  /** What it is and when it is sent, for staff to read. */
  readonly summary: string;
  readonly audience: 'shopper' | 'staff';
  /** What the text is filled with. */
  readonly data: Schema;
  /** Filled in for previews: of the schema, and with every value that the text names. */
  readonly sample: Static<Schema>;
  /** Text with Mustache tags (mustache(5)): `Your order {{number}}`. */
  readonly subject: string;
  readonly text: string;
  /** The same in HTML, where values are escaped. */
  readonly html?: string;
  /** Sent once for each event of this kind. A mail without one is sent by the package's own word. */
  readonly event?: EventDefinition;
  /**
   * To whom and with what, asked as it is about to be sent, outside of the transaction of what happened. Null when it
   * is not to be sent (any more): the cart that it reminds of has become an order.
   */
  compose?(db: TenantDatabase, event: DeliveredEvent): Promise<ComposedMail<Static<Schema>> | null>;
}

/** Where packages declare their mails: `extends: [mailTemplates.with(orderPlacedMail)]`. */
export const mailTemplates = extensionPoint<MailTemplate>('mails.templates');

/**
 * Declares a mail.
 * @example export const orderPlacedMail = defineMail({
 *            key: 'order.placed', summary: 'To the shopper, once an order is placed', audience: 'shopper',
 *            data: object({ number: Type.String() }), sample: { number: 'ORD-1001' },
 *            subject: 'Your order {{number}}', text: 'Thank you for your order {{number}}.',
 *            event: orderPlaced, compose: async (db, { resource }) => … })
 * @throws Error when an event is named and nothing says to whom the mail goes
 */
export function defineMail<Schema extends TSchema>(template: MailTemplate<Schema>): MailTemplate {
  if (template.event && !template.compose) throw new Error(`the mail ${template.key} is sent to nobody`);
  return template as unknown as MailTemplate;
}
