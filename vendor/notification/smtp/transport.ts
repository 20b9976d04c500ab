/**
 * Sends mails by SMTP (RFC 5321), over one connection per mail.
 */
import type { TenantDatabase } from '@carton/runtime';
import nodemailer from 'nodemailer';
import { domainOf } from '../sender.ts';
import { mailSettings, type SmtpSettings } from '../settings.ts';
import { MailRefused, type MailTransport, type OutgoingMail } from '../transport.ts';

/** Milliseconds. The deadline of the entire attempt is the caller's. */
const timeouts = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** The commands whose refusal concerns the mail. Earlier ones concern the connection, such as a wrong password. */
const mailCommands = ['MAIL FROM', 'RCPT TO', 'DATA'];

interface SmtpError extends Error {
  responseCode?: number;
  command?: string;
}

export const smtpTransport: MailTransport = {
  name: 'smtp',
  async send(db, mail, signal) {
    const { smtp } = mailSettings.of(db);
    try {
      await connectionTo(smtp as SmtpSettings).sendMail({ ...messageOf(db, mail), signal });
    } catch (error) {
      const { responseCode = 0, command = '', message } = error as SmtpError;
      if (responseCode >= 500 && mailCommands.includes(command)) throw new MailRefused(message);
      throw error;
    }
  },
};

function connectionTo({ host, port, tls, credentials }: SmtpSettings) {
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
