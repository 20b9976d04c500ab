/**
 * The mails of accounts. A mail with a link gets its token when it is sent: neither events nor stored mails contain it.
 * Whether an address has an account shows only here, to the reader of its mail.
 */
import { findStore } from '@carton/core';
import {
  type ComposedMail,
  DateTime,
  defineMail,
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
import { linkRequests, memberCreated } from '../events.ts';
import { accountPhrases } from '../phrases/index.ts';
import type { AccountPhrases } from '../phrases/phrases.ts';
import { memberSettings } from '../settings.ts';
import { type MemberRow, members } from '../store.ts';
import { findRegistration, findRequest, issueToken, type LinkRow } from './store.ts';

const name = nullable(Type.String({ examples: ['Ada Lovelace'] }));
const Notice = object({ name });
const WithLink = object({
  name,
  link: nullable(Type.String({ description: 'Null if the store has not set the page for it' })),
  token: Type.String(),
  expiresAt: DateTime,
});
const token = 'mbv_sample';
const sample = {
  name: 'Ada Lovelace',
  link: `https://www.example.com/account/verify?token=${token}`,
  token,
  expiresAt: '2026-03-01T12:00:00.000Z',
};
const notice = { name: 'Ada Lovelace' };

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
const linkMail = (subject: Phrase, before: Phrase, after: Phrase, label: Phrase) =>
  mailTexts(accountPhrases, (texts, language) =>
    textsWithLink(
      { subject: texts[subject], before: texts[before], after: texts[after], label: texts[label] },
      language,
    ),
  );
const noticeMail = (subject: Phrase, paragraph: Phrase) =>
  mailTexts(accountPhrases, (texts, language) => textsOfNotice(texts[subject], texts[paragraph], language));

const byShopper = { audience: 'shopper' } as const;
const withSecret = { ...byShopper, data: WithLink, secret: true, opens: 'member:write' } as const;

type Payload = { requestId: string };
type LinkData = Static<typeof WithLink>;
type NoticeData = Static<typeof Notice>;

async function requestOf(db: TenantDatabase, event: MailEvent): Promise<LinkRow | null> {
  return findRequest(db, (event.payload as Payload).requestId);
}

function findMember(db: TenantDatabase, email: string): Promise<MemberRow | null> {
  return members.findBy(db, { email });
}

/** A mail with a new token for a request; null if the request is no longer open. */
async function withLink(
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

function asNotice(
  to: string,
  { name, locale }: { name: string | null; locale: string | null },
): ComposedMail<NoticeData> {
  return { to, locale, data: { name } };
}

/**
 * For mails to addresses that are not verified: they contain no text of the request that caused them, since it could be
 * an advertisement.
 */
function unnamed(person: { locale: string | null } | null) {
  return { name: null, locale: person?.locale ?? null };
}

/** To an address that is not verified. */
export const registrationMail = defineMail({
  key: linkRequests.registration.type,
  summary: 'To a shopper who registers: the link that verifies the e-mail address',
  ...withSecret,
  sample,
  ...linkMail('confirmSubject', 'register', 'notRegistered', 'confirmRegistration'),
  event: linkRequests.registration,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await findMember(db, request.email));
    if (!request || member?.status === 'disabled' || member?.emailVerifiedAt) return null;
    return withLink(db, request, unnamed(request.profile));
  },
});

/** To the owner of an account, whose address was registered again or requested for another account. */
const alreadyRegistered = {
  ...byShopper,
  data: Notice,
  sample: notice,
  ...noticeMail('alreadySubject', 'already'),
};

export const registeredAgainMail = defineMail({
  key: 'member.registered_again',
  summary: 'To a member, when the e-mail address of the account is registered again',
  ...alreadyRegistered,
  event: linkRequests.registration,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await findMember(db, request.email));
    if (!member?.emailVerifiedAt || member.status === 'disabled') return null;
    return asNotice(member.email, member);
  },
});

export const emailInUseMail = defineMail({
  key: 'member.email_in_use',
  summary: 'To a member, when another member wants to change to the e-mail address of the account',
  ...alreadyRegistered,
  event: linkRequests.email_change,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await findMember(db, request.email));
    if (!member?.emailVerifiedAt || member.status === 'disabled' || member.id === request?.memberId) return null;
    return asNotice(member.email, member);
  },
});

export const verificationMail = defineMail({
  key: linkRequests.verification.type,
  summary: 'To a shopper who requests the link to verify the e-mail address again',
  ...withSecret,
  sample,
  ...linkMail('confirmSubject', 'confirmAddress', 'nothing', 'confirmLink'),
  event: linkRequests.verification,
  async compose(db, event) {
    const request = await requestOf(db, event);
    if (!request) return null;
    const member = await findMember(db, request.email);
    if (member?.status === 'disabled' || member?.emailVerifiedAt) return null;
    const registration = await findRegistration(db, request.email);
    if (registration) return withLink(db, registration, unnamed(registration.profile));
    return member && withLink(db, request, member);
  },
});

export const passwordResetMail = defineMail({
  key: linkRequests.password_reset.type,
  summary: 'To a member who has forgotten the password: the link to set a new one',
  ...withSecret,
  sample: { ...sample, link: `https://www.example.com/account/password?token=${token}` },
  ...linkMail('newPasswordSubject', 'newPassword', 'passwordUnchanged', 'newPasswordLink'),
  event: linkRequests.password_reset,
  async compose(db, event) {
    const request = await requestOf(db, event);
    if (!request) return null;
    const member = await findMember(db, request.email);
    if (member) return member.status === 'active' && !lacksPassword(member) ? withLink(db, request, member) : null;
    const registration = await findRegistration(db, request.email);
    return registration && withLink(db, request, unnamed(registration.profile));
  },
});

/** The link was used elsewhere than the registration: the password of the registration may be another person's. */
function lacksPassword({ emailVerifiedAt, passwordHash }: MemberRow): boolean {
  return emailVerifiedAt !== null && passwordHash === null;
}

export const passwordMissingMail = defineMail({
  key: 'member.password_missing',
  summary: 'To a shopper whose address is verified, and whose account has no password yet: the link to set one',
  ...withSecret,
  sample: { ...sample, link: `https://www.example.com/account/password?token=${token}` },
  ...linkMail('setSubject', 'setPassword', 'ignore', 'setLink'),
  event: linkRequests.password_reset,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await findMember(db, request.email));
    if (!request || member?.status !== 'active' || !lacksPassword(member)) return null;
    return withLink(db, request, member);
  },
});

export const emailChangeMail = defineMail({
  key: linkRequests.email_change.type,
  summary: 'To the new e-mail address of a member: the link that verifies it',
  ...withSecret,
  sample,
  ...linkMail('changeSubject', 'change', 'nothing', 'confirmLink'),
  event: linkRequests.email_change,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await members.find(db, request.memberId as string));
    if (!member || member.status === 'disabled') return null;
    const owner = await findMember(db, request.email);
    return owner && (owner.id !== member.id || owner.emailVerifiedAt) ? null : withLink(db, request, unnamed(member));
  },
});

export const emailChangedMail = defineMail({
  key: linkRequests.email_changed.type,
  summary: 'To the former e-mail address of a member, when it was changed',
  ...byShopper,
  data: Notice,
  sample: notice,
  ...noticeMail('changedSubject', 'changed'),
  event: linkRequests.email_changed,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await members.find(db, request.memberId as string));
    return member && asNotice(request.email, member);
  },
});

export const welcomeMail = defineMail({
  key: memberCreated.type,
  summary: 'To a shopper who has registered and verified the e-mail address',
  ...byShopper,
  data: Notice,
  sample: notice,
  ...noticeMail('welcomeSubject', 'welcome'),
  event: memberCreated,
  async compose(db, { resource }) {
    const member = await members.find(db, resource.id);
    // Members that staff create have no password yet.
    return member?.emailVerifiedAt && member.passwordHash ? asNotice(member.email, member) : null;
  },
});

export const mails = [
  registrationMail,
  registeredAgainMail,
  emailInUseMail,
  verificationMail,
  passwordResetMail,
  passwordMissingMail,
  emailChangeMail,
  emailChangedMail,
  welcomeMail,
];
