/**
 * Mails to staff: invites, links to reset the password and to change the e-mail address, and notices. Tokens are created as the mails are sent.
 */
import {
  DateTime,
  defineMail,
  fullStop,
  greetingTo,
  type Language,
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
import { issueEmailChange } from './email/service.ts';
import { emailChanged, emailChangeRequested, passwordResetRequested, staffInvited } from './events.ts';
import { issueInvite } from './invites/service.ts';
import { issuePasswordReset } from './passwords/service.ts';
import { staffPhrases } from './phrases.ts';
import { authSettings } from './settings.ts';
import { staffUsers } from './store.ts';

const link = nullable(Type.String({ description: 'Null if the box does not know the application for staff' }));
const InviteData = object({ role: Type.String(), token: Type.String(), link, expiresAt: DateTime });
const NoticeData = object({ name: Type.String() });
const LinkData = object({ name: Type.String(), token: Type.String(), link, expiresAt: DateTime });

function linkTo(db: TenantDatabase, page: 'invite' | 'reset' | 'email', token: string): string | null {
  const { STAFF_APP_URL: address } = authSettings.of(db);
  return address === undefined ? null : `${address.replace(/\/$/, '')}/${page}?token=${encodeURIComponent(token)}`;
}

const hello = greetingTo('name');

/** The end of mails with a link: the link, or the token alone. */
function wayOf(language: Language, label: string): { text: string; html: string } {
  const token = `${tokenLabel[language]}{{ token }}`;
  const until = `${validUntil('expiresAt')[language]}${fullStop[language]}`;
  return {
    text: `{% if link %}{{ link }}{% else %}${token}{% endif %}\n\n${until}`,
    html: `{% if link %}<p><a href="{{ link }}">${label}</a></p>{% else %}<p>${token}</p>{% endif %}\n<p>${until}</p>`,
  };
}

/** A mail with a link, to a person whom it greets. */
function textsWithLink(subject: string, paragraph: string, label: string, language: Language): MailTexts {
  const way = wayOf(language, label);
  return {
    subject,
    text: `${hello[language]}\n\n${paragraph}\n\n${way.text}\n`,
    html: `<p>${hello[language]}</p>\n<p>${paragraph}</p>\n${way.html}`,
  };
}

const sample = {
  token: 'inv_sample',
  link: 'https://staff.example.com/invite?token=inv_sample',
  expiresAt: '2026-03-01T12:00:00.000Z',
};

export const inviteMail = defineMail<typeof InviteData>({
  key: 'staff.invited',
  summary: 'To the invited person, when someone is invited to the staff',
  audience: 'staff',
  secret: true,
  opens: '*',
  data: InviteData,
  sample: { role: 'manager', ...sample },
  ...mailTexts(staffPhrases, ({ inviteSubject, invite, acceptInvite }, language) => {
    const way = wayOf(language, acceptInvite);
    return { subject: inviteSubject, text: `${invite}\n\n${way.text}\n`, html: `<p>${invite}</p>\n${way.html}` };
  }),
  event: staffInvited,
  async compose(db, { resource }) {
    const issued = await issueInvite(db, resource.id);
    if (!issued) return null;
    const { email, role, token, expiresAt } = issued;
    return { to: email, locale: null, data: { role, token, link: linkTo(db, 'invite', token), expiresAt } };
  },
});

export const passwordResetMail = defineMail<typeof LinkData>({
  key: 'staff.password_reset_requested',
  summary: 'To a member of staff who has requested a password reset link',
  audience: 'staff',
  secret: true,
  opens: '*',
  data: LinkData,
  sample: { ...sample, name: 'Ada', token: 'rst_sample', link: 'https://staff.example.com/reset?token=rst_sample' },
  ...mailTexts(staffPhrases, ({ resetSubject, reset, resetLink }, language) =>
    textsWithLink(resetSubject, reset, resetLink, language),
  ),
  event: passwordResetRequested,
  async compose(db, { payload }) {
    const { requestId } = payload as Static<typeof passwordResetRequested.payload>;
    const issued = await issuePasswordReset(db, requestId);
    if (!issued) return null;
    const { email, name, locale, token, expiresAt } = issued;
    return { to: email, locale, data: { name, token, link: linkTo(db, 'reset', token), expiresAt } };
  },
});

export const emailChangeMail = defineMail<typeof LinkData>({
  key: 'staff.email_change_requested',
  summary: 'To the new e-mail address of a member of staff: the link that confirms it',
  audience: 'staff',
  secret: true,
  opens: '*',
  data: LinkData,
  sample: { ...sample, name: 'Ada', token: 'eml_sample', link: 'https://staff.example.com/email?token=eml_sample' },
  ...mailTexts(staffPhrases, ({ confirmSubject, confirm, confirmLink }, language) =>
    textsWithLink(confirmSubject, confirm, confirmLink, language),
  ),
  event: emailChangeRequested,
  async compose(db, { payload }) {
    const { requestId } = payload as Static<typeof emailChangeRequested.payload>;
    const issued = await issueEmailChange(db, requestId);
    if (!issued) return null;
    const { email, name, locale, token, expiresAt } = issued;
    return { to: email, locale, data: { name, token, link: linkTo(db, 'email', token), expiresAt } };
  },
});

/** To the former address, in case that another person has changed it. */
export const emailChangedMail = defineMail<typeof NoticeData>({
  key: 'staff.email_changed',
  summary: 'To the former e-mail address of a member of staff, when it was changed',
  audience: 'staff',
  data: NoticeData,
  sample: { name: 'Ada' },
  ...mailTexts(staffPhrases, ({ changedSubject, changed }, language) => ({
    subject: changedSubject,
    text: `${hello[language]}\n\n${changed}\n`,
    html: `<p>${hello[language]}</p>\n<p>${changed}</p>`,
  })),
  event: emailChanged,
  async compose(db, { resource, payload }) {
    const { formerEmail } = payload as Static<typeof emailChanged.payload>;
    const user = await staffUsers.find(db, resource.id);
    return user && { to: formerEmail, locale: user.locale, data: { name: user.name } };
  },
});
