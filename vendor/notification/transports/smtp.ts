/**
 * Sends mails by SMTP (RFC 5321), over one connection per mail.
 */
import { openCircuits, type TenantDatabase } from '@carton/runtime';
import { mailSettings, type SmtpSettings } from '../settings.ts';
import { domainOf } from './sender.ts';
import { MailRefused, type MailTransport, type OutgoingMail } from './transport.ts';

/** Milliseconds. The deadline of the entire attempt is the caller's. */
const timeouts = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** The commands whose refusal concerns the mail. Earlier ones concern the connection, such as a wrong password. */
const mailCommands = ['MAIL FROM', 'RCPT TO', 'DATA'];

/** An attempt without a response that took this many milliseconds shows that the server does not respond. */
const slowAttempt = 3_000;
/** No other mail waits for a server that does not respond, since payments wait behind mails. */
const circuits = openCircuits({ failures: 1, pause: 15_000 });

interface SmtpError extends Error {
  responseCode?: number;
  command?: string;
}

export const smtpTransport: MailTransport = {
  name: 'smtp',
  async send(db, mail, signal) {
    const smtp = mailSettings.of(db).smtp as SmtpSettings;
    const server = `${smtp.host}:${smtp.port}`;
    const started = performance.now();
    if (circuits.isOpen(server)) throw new Error('The mail server did not respond to other mails.');
    try {
      const connection = await connectionTo(smtp);
      await connection.sendMail({ ...messageOf(db, mail), signal });
      circuits.answered(server);
    } catch (error) {
      const { responseCode = 0, command = '', message } = error as SmtpError;
      if (responseCode === 0 && performance.now() - started > slowAttempt) circuits.failed(server);
      if (responseCode >= 500 && mailCommands.includes(command)) throw new MailRefused(message);
      throw error;
    }
  },
};

async function connectionTo({ host, port, tls, credentials }: SmtpSettings) {
  // Loaded with the first mail: a box without a mail server never needs it.
  const { default: nodemailer } = await import('nodemailer');
  return nodemailer.createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(credentials && { auth: credentials }),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function messageOf(db: TenantDatabase, { messageId, from, replyTo, to, subject, text, html }: OutgoingMail) {
  const domain = domainOf(from.address);
  const key = mailSettings.of(db).dkimKeys.get(domain);
  return {
    messageId,
    from,
    ...(replyTo && { replyTo }),
    to: { name: '', address: to },
    subject,
    text,
    ...(html !== null && { html }),
    // Vacation responders do not answer (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...(key && { dkim: { domainName: domain, keySelector: key.selector, privateKey: key.privateKey } }),
  };
}
