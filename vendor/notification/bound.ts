/**
 * The mail transport of a box.
 */
import { extensionPoint, type HasExtensions } from '@carton/runtime';
import { mailSettings } from './settings.ts';
import { smtpTransport } from './smtp/transport.ts';
import type { MailTransport } from './transport.ts';

/** Transports that other packages contribute, in place of SMTP. The first is used. */
export const mailTransports = extensionPoint<MailTransport>('notification.transports');

/** Why a box without a transport sends no mail. */
export const noTransport = 'No mail server is configured.';

/** The transport of a box; null if there is none. */
export function boundTransport(box: HasExtensions): MailTransport | null {
  return mailTransports.of(box)[0] ?? (mailSettings.of(box).smtp ? smtpTransport : null);
}
