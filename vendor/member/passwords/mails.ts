/**
 * Mails with a link to set a password.
 */
import { defineMail } from '@carton/runtime';
import { linkRequests } from '../events.ts';
import { findMember, linkMail, requestOf, sample, unnamed, withLink, withSecret } from '../links/mails.ts';
import { findRegistration } from '../links/store.ts';
import type { MemberRow } from '../store.ts';

export const passwordResetMail = defineMail({
  key: linkRequests.password_reset.type,
  summary: 'To a member who has forgotten the password: the link to set a new one',
  ...withSecret,
  sample: { ...sample, link: `https://www.example.com/account/password?token=${sample.token}` },
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
  sample: { ...sample, link: `https://www.example.com/account/password?token=${sample.token}` },
  ...linkMail('setSubject', 'setPassword', 'ignore', 'setLink'),
  event: linkRequests.password_reset,
  async compose(db, event) {
    const request = await requestOf(db, event);
    const member = request && (await findMember(db, request.email));
    if (!request || member?.status !== 'active' || !lacksPassword(member)) return null;
    return withLink(db, request, member);
  },
});
