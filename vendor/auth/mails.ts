/**
 * Mails to staff: invites, links to reset the password and to change the e-mail address, and notices. Tokens are created as the mails are sent.
 */
import { DateTime, defineMail, nullable, object, type Static, type TenantDatabase, Type } from '@carton/runtime';
import { issueEmailChange } from './email.ts';
import { emailChanged, emailChangeRequested, passwordResetRequested, staffInvited } from './events.ts';
import { issueInvite } from './invites.ts';
import { issuePasswordReset } from './recovery.ts';
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

/** The end of mails with a link: the link, or the token alone. */
const way = {
  text: `{% if link %}{{ link }}{% else %}Token: {{ token }}{% endif %}

Valid until {{ expiresAt | date }}, {{ expiresAt | time }}.`,
  html: (
    label: string,
  ) => `{% if link %}<p><a href="{{ link }}">${label}</a></p>{% else %}<p>Token: {{ token }}</p>{% endif %}
<p>Valid until {{ expiresAt | date }}, {{ expiresAt | time }}.</p>`,
};

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
  subject: 'You are invited to {{ store.name }}',
  text: `You are invited to join the staff of {{ store.name }} as {{ role }}.\n\n${way.text}\n`,
  html: `<p>You are invited to join the staff of {{ store.name }} as {{ role }}.</p>\n${way.html('Accept the invite')}`,
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
  subject: 'Reset your password',
  text: `Hello {{ name }},

someone, probably you, wants to reset your password for {{ store.name }}. If not, ignore this mail.

${way.text}
`,
  html: `<p>Hello {{ name }},</p>
<p>someone, probably you, wants to reset your password for {{ store.name }}. If not, ignore this mail.</p>
${way.html('Reset the password')}`,
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
  subject: 'Confirm your e-mail address',
  text: `Hello {{ name }},

confirm that you want to use this e-mail address at {{ store.name }}. If you have not requested this, ignore this mail.

${way.text}
`,
  html: `<p>Hello {{ name }},</p>
<p>confirm that you want to use this e-mail address at {{ store.name }}. If you have not requested this, ignore this mail.</p>
${way.html('Confirm the address')}`,
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
  subject: 'Your e-mail address was changed',
  text: `Hello {{ name }},

the e-mail address of your staff account at {{ store.name }} was changed, and this one no longer gives access. If it was not you, tell an owner of the store now.
`,
  html: `<p>Hello {{ name }},</p>
<p>the e-mail address of your staff account at {{ store.name }} was changed, and this one no longer gives access. If it was not you, tell an owner of the store now.</p>`,
  event: emailChanged,
  async compose(db, { resource, payload }) {
    const { formerEmail } = payload as Static<typeof emailChanged.payload>;
    const user = await staffUsers.find(db, resource.id);
    return user && { to: formerEmail, locale: user.locale, data: { name: user.name } };
  },
});
