/**
 * @carton/notification: the mails that packages declare, their texts, and sending them.
 */
import { storeSettingsGroups, storeTasks } from '@carton/core';
import { definePackage, mailTemplates, personalData, subscriber } from '@carton/runtime';
import { boundTransport, mailServerMissing } from './bound.ts';
import { notificationFailed, notificationQueued, notificationSent } from './events.ts';
import { releaseDelayedMails } from './limits.ts';
import { personalNotifications } from './persons.ts';
import { orderOfMails, recordMails } from './record.ts';
import { listAdminNotifications, resendNotification } from './routes/notifications.ts';
import {
  listNotificationTemplates,
  previewNotificationTemplate,
  readNotificationTemplate,
  testNotificationTemplate,
  updateNotificationTemplate,
} from './routes/templates.ts';
import { sendMail, sendRetries } from './send.ts';
import { mailSettings, senderSettings } from './settings.ts';
import { forgetOld } from './sweep.ts';

export { mailTransports } from './bound.ts';
export { type Mailbox, MailRefused, type MailTransport, type OutgoingMail } from './transport.ts';

export default definePackage({
  routes: [
    listAdminNotifications,
    resendNotification,
    listNotificationTemplates,
    readNotificationTemplate,
    updateNotificationTemplate,
    previewNotificationTemplate,
    testNotificationTemplate,
  ],
  events: [notificationQueued, notificationSent, notificationFailed],
  subscribers: [
    subscriber({
      name: 'notification.record',
      events: (box) => mailTemplates.of(box).flatMap(({ event }) => event ?? []),
      orderedBy: orderOfMails,
      handle: recordMails,
    }),
    subscriber({
      name: 'notification.send',
      events: [notificationQueued],
      outsideTransaction: true,
      retries: sendRetries,
      handle: sendMail,
    }),
  ],
  jobs: [forgetOld, releaseDelayedMails],
  extends: [
    storeSettingsGroups.with(senderSettings),
    storeTasks.with(mailServerMissing),
    personalData.with(personalNotifications),
  ],
  settings: mailSettings,
  onStart(box) {
    if (!boundTransport(box)) box.log.warn('no mail server is configured: set SMTP_HOST, or no mail is sent');
  },
});
