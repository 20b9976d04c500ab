/**
 * Mails about the registration of an account.
 */
import { defineMail } from '@carton/runtime';
import { linkRequests, memberEvents } from '../events.ts';
import {
  alreadyRegistered,
  asNotice,
  byShopper,
  findMember,
  linkMail,
  Notice,
  notice,
  noticeMail,
  requestOf,
  sample,
  unnamed,
  withLink,
  withSecret,
} from '../links/mails.ts';
import { findRegistration } from '../links/store.ts';
import { members } from '../store.ts';

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

export const welcomeMail = defineMail({
  key: memberEvents.created.type,
  summary: 'To a shopper who has registered and verified the e-mail address',
  ...byShopper,
  data: Notice,
  sample: notice,
  ...noticeMail('welcomeSubject', 'welcome'),
  event: memberEvents.created,
  async compose(db, { resource }) {
    const member = await members.find(db, resource.id);
    // Members that staff create have no password yet.
    return member?.emailVerifiedAt && member.passwordHash ? asNotice(member.email, member) : null;
  },
});
