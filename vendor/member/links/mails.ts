/**
 * What the mails of accounts have in common. A mail with a link gets its token when it is sent: neither events nor stored
 * mails contain it. Whether an address has an account shows only in mails, to their reader.
 */
import { findStore } from '@carton/core';
import {
  type ComposedMail,
  DateTime,
  fullStop,
  greetingTo,
  type Language,
  type MailEvent,
  type MailTexts,
  mailTexts,
  nullable,
  object,
  type Static,
  type TenantDatabase,
  Type,
  tokenLabel,
  validUntil,
} from '@carton/runtime';
import { accountPhrases } from '../phrases/index.ts';
import type { AccountPhrases } from '../phrases/phrases.ts';
import { memberSettings } from '../settings.ts';
import { type MemberRow, members } from '../store.ts';
import { issueToken } from './service.ts';
import { findRequest, type LinkRow } from './store.ts';

const name = nullable(Type.String({ examples: ['Ada Lovelace'] }));
export const Notice = object({ name });
const WithLink = object({
  name,
  link: nullable(Type.String({ description: 'Null if the store has not set the page for it' })),
  token: Type.String(),
  expiresAt: DateTime,
});
export const sample = {
  name: 'Ada Lovelace',
  link: 'https://www.example.com/account/verify?token=mbv_sample',
  token: 'mbv_sample',
  expiresAt: '2026-03-01T12:00:00.000Z',
};
export const notice = { name: 'Ada Lovelace' };

type Phrase = keyof AccountPhrases;

const hello = greetingTo('name');

/** The parts of a text: paragraphs of a mail with a link are in front of it and after it. */
interface Parts {
  subject: string;
  before: string;
  after: string;
  /** The text of the link. */
  label: string;
}

/** A mail with a link, or with the token alone if the store has not set the page for it. */
function textsWithLink({ subject, before, after, label }: Parts, language: Language): MailTexts {
  const token = `${tokenLabel[language]}{{ token }}`;
  const until = `${validUntil('expiresAt')[language]}${fullStop[language]}`;
  return {
    subject,
    text: `${hello[language]}\n\n${before}\n\n{% if link %}{{ link }}{% else %}${token}{% endif %}\n\n${until}\n\n${after}\n`,
    html: `<p>${hello[language]}</p>
<p>${before}</p>
{% if link %}<p><a href="{{ link }}">${label}</a></p>{% else %}<p>${token}</p>{% endif %}
<p>${until}</p>
<p>${after}</p>`,
  };
}

function textsOfNotice(subject: string, paragraph: string, language: Language): MailTexts {
  return {
    subject,
    text: `${hello[language]}\n\n${paragraph}\n`,
    html: `<p>${hello[language]}</p>\n<p>${paragraph}</p>`,
  };
}

/** Of phrases by the names of the parts. */
export const linkMail = (subject: Phrase, before: Phrase, after: Phrase, label: Phrase) =>
  mailTexts(accountPhrases, (texts, language) =>
    textsWithLink(
      { subject: texts[subject], before: texts[before], after: texts[after], label: texts[label] },
      language,
    ),
  );
export const noticeMail = (subject: Phrase, paragraph: Phrase) =>
  mailTexts(accountPhrases, (texts, language) => textsOfNotice(texts[subject], texts[paragraph], language));

export const byShopper = { audience: 'shopper' } as const;
export const withSecret = { ...byShopper, data: WithLink, secret: true, opens: 'member:write' } as const;

type Payload = { requestId: string };
type LinkData = Static<typeof WithLink>;
type NoticeData = Static<typeof Notice>;

export async function requestOf(db: TenantDatabase, event: MailEvent): Promise<LinkRow | null> {
  return findRequest(db, (event.payload as Payload).requestId);
}

export function findMember(db: TenantDatabase, email: string): Promise<MemberRow | null> {
  return members.findBy(db, { email });
}

/** A mail with a new token for a request; null if the request is no longer open. */
export async function withLink(
  db: TenantDatabase,
  request: LinkRow,
  { name, locale }: { name: string | null; locale: string | null },
): Promise<ComposedMail<LinkData> | null> {
  const token = await issueToken(db, request);
  if (token === null) return null;
  const { verificationUrl, passwordResetUrl } = memberSettings.of(await findStore(db));
  const page = request.purpose === 'password_reset' ? passwordResetUrl : verificationUrl;
  const link = page?.replace('{token}', token) ?? null;
  return { to: request.email, locale, data: { name, link, token, expiresAt: request.expiresAt } };
}

export function asNotice(
  to: string,
  { name, locale }: { name: string | null; locale: string | null },
): ComposedMail<NoticeData> {
  return { to, locale, data: { name } };
}

/**
 * For mails to addresses that are not verified: they contain no text of the request that caused them, since it could be
 * an advertisement.
 */
export function unnamed(person: { locale: string | null } | null) {
  return { name: null, locale: person?.locale ?? null };
}

/** To the owner of an account, whose address was registered again or requested for another account. */
export const alreadyRegistered = {
  ...byShopper,
  data: Notice,
  sample: notice,
  ...noticeMail('alreadySubject', 'already'),
};
