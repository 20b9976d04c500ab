/**
 * Mails about a change of the e-mail address: the link to the new one, whose token is created when it is sent, and the
 * notice to the former one.
 */
import { defineMail, mailTexts, object, type Static, Type } from '@carton/runtime';
import { hello, LinkData, linkTo, sample, textsWithLink } from '../mails.ts';
import { staffPhrases } from '../phrases.ts';
import { staffUsers } from '../store.ts';
import { emailChanged, emailChangeRequested } from './events.ts';
import { issueEmailChange } from './service.ts';

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

const NoticeData = object({ name: Type.String() });

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
