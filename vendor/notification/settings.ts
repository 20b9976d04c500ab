/**
 * Settings of mails: the mail server of the box, read from the environment, and the sender of each store.
 */
import { reservedSetting, storeSettings } from '@carton/core';
import { Email, nullable, oneOf, packageSettings, Type, trimmed, withOptions } from '@carton/runtime';
import { type DkimKeys, readDkimKeys } from './transports/dkim.ts';

export const tlsModes = ['starttls', 'implicit', 'none'] as const;

/** The connection to a mail server. */
export interface SmtpSettings {
  host: string;
  port: number;
  tls: (typeof tlsModes)[number];
  /** Null without authentication. */
  credentials: { user: string; pass: string } | null;
}

export interface MailSettings {
  /** Null if no mail server is configured. */
  smtp: SmtpSettings | null;
  /** The sender's address of stores without their own; empty if no mail server is configured. */
  from: string;
  dkimKeys: DkimKeys;
  /** Days for which mails that are not queued are stored. */
  retentionDays: number;
}

const properties = {
  SMTP_HOST: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Host of the mail server; without it no mail is sent, and each is recorded as `not_sent`',
    }),
  ),
  SMTP_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'Its port; by default 465 with `implicit` TLS, else 587',
    }),
  ),
  SMTP_TLS: oneOf(tlsModes, {
    default: 'starttls',
    description:
      '`starttls` (required, not merely tried), `implicit` (TLS from the start), or `none`, with a password only for this machine',
  }),
  SMTP_USER: Type.Optional(Type.String({ minLength: 1, description: 'User of the mail server' })),
  SMTP_PASSWORD: Type.Optional(Type.String({ minLength: 1, description: "The user's password", writeOnly: true })),
  MAIL_FROM: Type.Optional(
    withOptions(Email, {
      description:
        "Sender's address of stores that have not set one in a domain of their own; required with `SMTP_HOST`",
    }),
  ),
  MAIL_DKIM_KEYS: Type.Optional(
    Type.String({
      description:
        'A JSON file of mode 0600 with the DKIM keys of senders, by domain: `{"<domain>": {"selector": …, "privateKey": …}}`, with an RSA key in PEM',
    }),
  ),
  MAIL_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 3650,
    default: 90,
    description: 'Days for which the records of mails are stored',
  }),
};

export const mailSettings = packageSettings(properties, (values): MailSettings => {
  const { SMTP_HOST: host, SMTP_TLS: tls, SMTP_USER: user, SMTP_PASSWORD: pass, MAIL_FROM: from = '' } = values;
  const rest = { from, dkimKeys: readDkimKeys(values.MAIL_DKIM_KEYS), retentionDays: values.MAIL_RETENTION_DAYS };
  if (host === undefined) return { smtp: null, ...rest };
  if (from === '') throw new Error('MAIL_FROM is not set, and SMTP_HOST is');
  if ((user === undefined) !== (pass === undefined))
    throw new Error('set both SMTP_USER and SMTP_PASSWORD, or neither');
  if (tls === 'none' && pass !== undefined && !isLoopback(host)) {
    throw new Error('SMTP_TLS=none would send SMTP_PASSWORD to another machine without encryption');
  }
  const credentials = user === undefined || pass === undefined ? null : { user, pass };
  return { smtp: { host, port: values.SMTP_PORT ?? (tls === 'implicit' ? 465 : 587), tls, credentials }, ...rest };
});

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
}

const noControls = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';

/** Mails to the staff, and answers of shoppers, may be about anything in the store: who gets them reads what staff read. */
const ofAllPackages = '*:read';

/** Under `settings.notification` of the store. */
export const senderSettings = storeSettings('notification', {
  senderName: trimmed(
    Type.String({
      maxLength: 120,
      pattern: noControls,
      default: '',
      description: "Name of the sender of mails; the store's name if empty",
    }),
    'or-empty',
  ),
  senderAddress: reservedSetting(
    ofAllPackages,
    withOptions(nullable(Email), {
      default: null,
      description:
        "Address of the sender. If its domain belongs to none of the store's verified hosts, mails come from the box's address with this one as Reply-To",
    }),
  ),
  staffAddresses: reservedSetting(
    ofAllPackages,
    Type.Array(Email, {
      maxItems: 10,
      uniqueItems: true,
      default: [],
      description: 'Recipients of mails to the staff, such as low stock; if empty, the owners',
    }),
  ),
});
