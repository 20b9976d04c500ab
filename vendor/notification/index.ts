/**
 * @carton/notification: the mails that packages declare, their texts, and sending them.
 */
import { storeSettingsGroups, storeTasks } from '@carton/core';
import { definePackage, mailTemplates, personalData, subscriber } from '@carton/runtime';
import { notificationFailed, notificationQueued, notificationSent } from './events.ts';
import { personalNotifications } from './records/persons.ts';
import { orderOfMails, recordMails } from './records/recording.ts';
import { listAdminNotifications, resendNotification } from './records/routes.ts';
import { forgetOld } from './records/sweep.ts';
import { releaseDelayedMails } from './sending/limits.ts';
import { sendMail, sendRetries } from './sending/service.ts';
import { mailSettings, senderSettings } from './settings.ts';
import {
  listNotificationTemplates,
  previewNotificationTemplate,
  readNotificationTemplate,
  testNotificationTemplate,
  updateNotificationTemplate,
} from './templates/routes.ts';
import { boundTransport, mailServerMissing } from './transports/bound.ts';

export { mailTransports } from './transports/bound.ts';
export { type Mailbox, MailRefused, type MailTransport, type OutgoingMail } from './transports/transport.ts';

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
