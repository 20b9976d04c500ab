/**
 * Routes of the contact form for shoppers and for staff.
 */
import { resource, route, tooManyRequests } from '@carton/runtime';
import {
  ChangeContactMessage,
  ContactMessage,
  ContactMessagePage,
  ContactMessageQuery,
  SendMessage,
} from './schemas.ts';
import { receiveMessage } from './service.ts';
import { messages } from './store.ts';

const tag = 'Contact';

export const sendMessage = route(
  {
    tag,
    method: 'post',
    path: '/contact',
    operationId: 'sendContactMessage',
    summary: 'Send a message to the store by the contact form',
    description: 'At most 5 messages an hour from one e-mail address.',
    access: 'public',
    body: SendMessage,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ db, body }) => receiveMessage(db, body),
);

export const adminMessages = resource({
  tag,
  access: 'staff',
  path: '/admin/contact-messages',
  noun: 'contact message',
  beyond: true,
  rows: messages,
  item: ContactMessage,
  list: { query: ContactMessageQuery, page: ContactMessagePage },
  change: {
    summary: 'Mark a contact message as open, done or spam',
    body: ChangeContactMessage,
    run: ({ db, params, body }) => messages.change(db, params.id, body),
  },
});
