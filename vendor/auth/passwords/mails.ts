/**
 * The mail with a link to reset the password. Its token is created when it is sent.
 */
import { defineMail, mailTexts, type Static } from '@carton/runtime';
import { LinkData, linkTo, sample, textsWithLink } from '../mails.ts';
import { staffPhrases } from '../phrases.ts';
import { passwordResetRequested } from './events.ts';
import { issuePasswordReset } from './service.ts';

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
