/**
 * Mails to staff: invites and password reset links. Their tokens are created as the mails are sent.
 */
import { DateTime, defineMail, nullable, object, type Static, type TenantDatabase, Type } from '@carton/runtime';
import { passwordResetRequested, staffInvited } from './events.ts';
import { issueInvite } from './invites.ts';
import { issuePasswordReset } from './recovery.ts';
import { authSettings } from './settings.ts';

const link = nullable(Type.String({ description: 'Null if the box does not know the application for staff' }));
const InviteData = object({ role: Type.String(), token: Type.String(), link, expiresAt: DateTime });
const ResetData = object({ name: Type.String(), token: Type.String(), link, expiresAt: DateTime });

function linkTo(db: TenantDatabase, page: 'invite' | 'reset', token: string): string | null {
  const { STAFF_APP_URL: address } = authSettings.of(db);
  return address === undefined ? null : `${address.replace(/\/$/, '')}/${page}?token=${encodeURIComponent(token)}`;
}

/** The end of both mails: the link, or the token alone. */
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

export const passwordResetMail = defineMail<typeof ResetData>({
  key: 'staff.password_reset_requested',
  summary: 'To a member of staff who has requested a password reset link',
  audience: 'staff',
  secret: true,
  data: ResetData,
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
