/**
 * What the mails to staff have in common.
 */
import {
  DateTime,
  fullStop,
  greetingTo,
  type Language,
  type MailTexts,
  nullable,
  object,
  type TenantDatabase,
  Type,
  tokenLabel,
  validUntil,
} from '@carton/runtime';
import { authSettings } from './settings.ts';

export const link = nullable(Type.String({ description: 'Null if the box does not know the application for staff' }));
export const LinkData = object({ name: Type.String(), token: Type.String(), link, expiresAt: DateTime });

export function linkTo(db: TenantDatabase, page: 'invite' | 'reset' | 'email', token: string): string | null {
  const { STAFF_APP_URL: address } = authSettings.of(db);
  return address === undefined ? null : `${address.replace(/\/$/, '')}/${page}?token=${encodeURIComponent(token)}`;
}

export const hello = greetingTo('name');

/** The end of mails with a link: the link, or the token alone. */
export function wayOf(language: Language, label: string): { text: string; html: string } {
  const token = `${tokenLabel[language]}{{ token }}`;
  const until = `${validUntil('expiresAt')[language]}${fullStop[language]}`;
  return {
    text: `{% if link %}{{ link }}{% else %}${token}{% endif %}\n\n${until}`,
    html: `{% if link %}<p><a href="{{ link }}">${label}</a></p>{% else %}<p>${token}</p>{% endif %}\n<p>${until}</p>`,
  };
}

/** A mail with a link, to a person whom it greets. */
export function textsWithLink(subject: string, paragraph: string, label: string, language: Language): MailTexts {
  const way = wayOf(language, label);
  return {
    subject,
    text: `${hello[language]}\n\n${paragraph}\n\n${way.text}\n`,
    html: `<p>${hello[language]}</p>\n<p>${paragraph}</p>\n${way.html}`,
  };
}

export const sample = {
  token: 'inv_sample',
  link: 'https://staff.example.com/invite?token=inv_sample',
  expiresAt: '2026-03-01T12:00:00.000Z',
};
