/**
 * The interface of a mail transport.
 */
import type { TenantDatabase } from '@carton/runtime';

export interface Mailbox {
  /** Empty for none. */
  name: string;
  address: string;
}

/** A complete mail. */
export interface OutgoingMail {
  /** With its angle brackets. The same in each attempt to send the mail, unless it contains a secret. */
  messageId: string;
  from: Mailbox;
  replyTo: Mailbox | null;
  to: string;
  /** Without control characters. */
  subject: string;
  text: string;
  html: string | null;
}

/** Sends mails. It is called outside a transaction. */
export interface MailTransport {
  readonly name: string;
  /**
   * Resolves once the server has accepted the mail.
   * @param signal aborted when the attempt takes too long; the mail must then no longer be handed over
   * @throws MailRefused if the server refused the mail for good; any other error is temporary
   */
  send(db: TenantDatabase, mail: OutgoingMail, signal: AbortSignal): Promise<unknown>;
}

/** The mail server has refused a mail for good. The message is its response. */
export class MailRefused extends Error {}
