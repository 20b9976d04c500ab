/**
 * Events of the website.
 */
import { DateTime, defineEvent, Handle, object } from '@carton/runtime';

export const pagePublished = defineEvent({
  type: 'page.published',
  summary: 'A page became visible to shoppers: it was published, or its time of publication was reached',
  payload: object({ handle: Handle }),
});

export const contactReceived = defineEvent({
  type: 'contact.received',
  summary: 'A shopper sent a message by the contact form; the event has nothing of its contents',
  payload: object({ createdAt: DateTime }),
});
