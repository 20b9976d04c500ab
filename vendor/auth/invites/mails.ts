/**
 * The mail with an invite. Its token is created when it is sent.
 */
import { DateTime, defineMail, mailTexts, object, Type } from '@carton/runtime';
import { link, linkTo, sample, wayOf } from '../mails.ts';
import { staffPhrases } from '../phrases.ts';
import { staffInvited } from './events.ts';
import { issueInvite } from './service.ts';

const InviteData = object({ role: Type.String(), token: Type.String(), link, expiresAt: DateTime });

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
