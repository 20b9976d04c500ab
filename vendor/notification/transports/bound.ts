/**
 * The mail transport of a box.
 */
import type { StoreTask } from '@carton/core';
import { extensionPoint, type HasExtensions } from '@carton/runtime';
import { mailSettings } from '../settings.ts';
import { smtpTransport } from './smtp.ts';
import type { MailTransport } from './transport.ts';

/** Transports that other packages contribute, in place of SMTP. The first is used. */
export const mailTransports = extensionPoint<MailTransport>('notification.transports');

/** Why a box without a transport sends no mail. */
export const noTransport = 'No mail server is configured.';

export const mailServerMissing: StoreTask = {
  code: 'mail_server_missing',
  detail: 'Ask the operator of this service to configure a mail server: until then no mail is sent.',
  isOpen: (db) => boundTransport(db) === null,
};

/** The transport of a box; null if there is none. */
export function boundTransport(box: HasExtensions): MailTransport | null {
  return mailTransports.of(box)[0] ?? (mailSettings.of(box).smtp ? smtpTransport : null);
}
