/**
 * Events of notification. They carry no personal data: consumers with access read the record.
 */
import { defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

const template = Type.String({ examples: ['order.placed'] });
const about = object({ type: Type.String({ examples: ['order'] }), id: Uuid });

/** Of the resource that the mail is about, so that mails about one resource are sent in order. */
export const notificationQueued = defineEvent({
  type: 'notification.queued',
  summary: 'A mail about the resource was recorded, to be sent',
  payload: object({ notificationId: Uuid, template }),
});
export const notificationSent = defineEvent({
  type: 'notification.sent',
  summary: 'The mail server has accepted a mail',
  payload: object({ template, about }),
});
export const notificationFailed = defineEvent({
  type: 'notification.failed',
  summary: 'A mail cannot be sent and will not be retried',
  payload: object({ template, about, code: nullable(Type.String({ examples: ['550'] })) }),
});
