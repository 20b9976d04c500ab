/**
 * Routes of the contact form for shoppers and for staff.
 */
import { resource, route, tooManyRequests } from '@carton/runtime';
import { formExpired } from '../problems.ts';
import {
  ChangeContactMessage,
  ContactMessage,
  ContactMessagePage,
  ContactMessageQuery,
  ContactToken,
  SendMessage,
} from './schemas.ts';
import { receiveMessage } from './service.ts';
import { messages } from './store.ts';
import { newFormToken } from './token.ts';

const tag = 'Contact';

export const readContactToken = route(
  {
    tag,
    method: 'get',
    path: '/contact/token',
    operationId: 'readContactToken',
    summary: 'Get a token for the contact form',
    description: 'It tells when the form was shown. A message that is sent within 3 seconds is dropped without notice.',
    access: 'public',
    cacheControl: 'no-store',
    status: 200,
    response: ContactToken,
    beyond: true,
  },
  ({ db, box }) => newFormToken(box.database, db.tenantId),
);

export const sendMessage = route(
  {
    tag,
    method: 'post',
    path: '/contact',
    operationId: 'sendContactMessage',
    summary: 'Send a message to the store by the contact form',
    description:
      'A client sends at most 5 messages an hour with one e-mail address, and 20 in all. Send the token that ' +
      '`GET /contact/token` returned when the form was shown.',
    access: 'public',
    body: SendMessage,
    // Texts at their longest, also where a client escapes their characters.
    bodyLimit: 128 * 1024,
    status: 202,
    problems: [formExpired, tooManyRequests],
  },
  ({ db, box, client, body }) => receiveMessage(db, { database: box.database, client }, body),
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
