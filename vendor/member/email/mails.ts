/**
 * Mails about a change of the e-mail address.
 */
import { defineMail } from '@carton/runtime';
import { linkRequests } from '../events.ts';
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
import { members } from '../store.ts';

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
