/**
 * The mails of accounts. A mail with a link gets its token when it is sent: neither events nor stored mails contain it.
 * Whether an address has an account shows only here, to the reader of its mail.
 */
import { findStore } from '@carton/core';
import {
  type ComposedMail,
  defineMail,
  type MailEvent,
  nullable,
  object,
  type TenantDatabase,
  Type,
} from '@carton/runtime';
import { linkRequests, memberCreated } from './events.ts';
import { findRegistration, findRequest, issueToken, type LinkRow } from './links.ts';
import { memberSettings } from './settings.ts';
import { type MemberRow, members } from './store.ts';

const storeName = Type.String({ examples: ['Demo Store'] });
const name = nullable(Type.String({ examples: ['Ada Lovelace'] }));
const Notice = object({ storeName, name });
const WithLink = object({
  storeName,
  name,
  link: nullable(Type.String({ description: 'Null if the store has set no page for it' })),
  token: Type.String(),
});
const token = 'mbv_Jm4PZbT0rjYp3hL1sVw8QkXc6NfUgE2aMdRyOiB5H7t';
const sample = {
  storeName: 'Demo Store',
  name: 'Ada Lovelace',
  link: `https://www.example.com/account/verify?token=${token}`,
  token,
};
const notice = { storeName: 'Demo Store', name: 'Ada Lovelace' };
const greeting = 'Hello{% if name %} {{ name }}{% endif %},';
const linkOrToken = '{% if link %}{{ link }}{% else %}Your code: {{ token }}{% endif %}';
const byShopper = { audience: 'shopper' } as const;
const withSecret = { ...byShopper, data: WithLink, secret: true } as const;

type Payload = { requestId: string };
type LinkData = { storeName: string; name: string | null; link: string | null; token: string };
type NoticeData = { storeName: string; name: string | null };

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
  const store = await findStore(db);
  const { verificationUrl, passwordResetUrl } = memberSettings.of(store);
  const page = request.purpose === 'password_reset' ? passwordResetUrl : verificationUrl;
  const link = page?.replace('{token}', token) ?? null;
  return { to: request.email, locale, data: { storeName: store.name, name, link, token } };
}

async function asNotice(
  db: TenantDatabase,
  to: string,
  { name, locale }: { name: string | null; locale: string | null },
): Promise<ComposedMail<NoticeData>> {
  const { name: storeName } = await findStore(db);
  return { to, locale, data: { storeName, name } };
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
  subject: 'Confirm your e-mail address for {{ storeName }}',
  text: `${greeting}\n\nplease confirm that you want to register at {{ storeName }} with this e-mail address and the password that you have just chosen:\n\n${linkOrToken}\n\nIf you have not registered, do nothing: without the confirmation there is no account.`,
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
  subject: 'You already have an account at {{ storeName }}',
  text: `${greeting}\n\nthis e-mail address was entered for another account at {{ storeName }}. You already have an account with it. If it was you and you have forgotten your password, request a link to reset it. Otherwise do nothing: your account is unchanged.`,
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
    return asNotice(db, member.email, member);
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
    return asNotice(db, member.email, member);
  },
});

export const verificationMail = defineMail({
  key: linkRequests.verification.type,
  summary: 'To a shopper who requests the link to verify the e-mail address again',
  ...withSecret,
  sample,
  subject: 'Confirm your e-mail address for {{ storeName }}',
  text: `${greeting}\n\nplease confirm your e-mail address for {{ storeName }}:\n\n${linkOrToken}\n\nIf you have not requested this, do nothing.`,
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
  subject: 'Set a new password for {{ storeName }}',
  text: `${greeting}\n\nset a new password for your account at {{ storeName }} within 30 minutes:\n\n${linkOrToken}\n\nIf you have not requested this, do nothing: your password is unchanged.`,
  event: linkRequests.password_reset,
  async compose(db, event) {
    const request = await requestOf(db, event);
    if (!request) return null;
    const member = await findMember(db, request.email);
    if (member) return member.status === 'active' ? withLink(db, request, member) : null;
    const registration = await findRegistration(db, request.email);
    return registration && withLink(db, request, unnamed(registration.profile));
  },
});

export const emailChangeMail = defineMail({
  key: linkRequests.email_change.type,
  summary: 'To the new e-mail address of a member: the link that verifies it',
  ...withSecret,
  sample,
  subject: 'Confirm your new e-mail address for {{ storeName }}',
  text: `${greeting}\n\nplease confirm this e-mail address for your account at {{ storeName }}:\n\n${linkOrToken}\n\nIf you have not requested this, do nothing.`,
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
  subject: 'Your e-mail address for {{ storeName }} was changed',
  text: `${greeting}\n\nthe e-mail address of your account at {{ storeName }} was changed to another one. If it was not you, please contact the store.`,
  event: linkRequests.email_changed,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await members.find(db, request.memberId as string));
    return member && asNotice(db, request.email, member);
  },
});

export const welcomeMail = defineMail({
  key: memberCreated.type,
  summary: 'To a shopper who has registered and verified the e-mail address',
  ...byShopper,
  data: Notice,
  sample: notice,
  subject: 'Welcome to {{ storeName }}',
  text: `${greeting}\n\nyour account at {{ storeName }} is ready. You can log in with your e-mail address and your password.`,
  event: memberCreated,
  async compose(db, { resource }) {
    const member = await members.find(db, resource.id);
    // Members that staff create have no password yet.
    return member?.emailVerifiedAt && member.passwordHash ? asNotice(db, member.email, member) : null;
  },
});

export const mails = [
  registrationMail,
  registeredAgainMail,
  emailInUseMail,
  verificationMail,
  passwordResetMail,
  emailChangeMail,
  emailChangedMail,
  welcomeMail,
];
