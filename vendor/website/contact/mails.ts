/**
 * The mail about a message by the contact form to the store, which answers it to the sender.
 */
import { defineMail, nullable, object, Type } from '@carton/runtime';
import { contactReceived } from '../events.ts';
import { messages } from './store.ts';

const ContactMailData = object({
  name: Type.String(),
  email: Type.String(),
  subject: nullable(Type.String()),
  message: Type.String(),
});

/** Records of mails have their subjects, so it has nothing of the message. */
export const contactMail = defineMail<typeof ContactMailData>({
  key: 'contact.received',
  summary: 'To the contact address of the store, else its staff, for each message by the contact form',
  audience: 'staff',
  toStore: 'contact',
  data: ContactMailData,
  sample: {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    subject: 'A question about shirts',
    message: 'Do you have it in blue?',
  },
  subject: 'New message by the contact form',
  text: `From: {{ name }} <{{ email }}>
{% if subject %}Subject: {{ subject }}
{% endif %}
{{ message }}
`,
  html: `<p>From: {{ name }} &lt;{{ email }}&gt;{% if subject %}<br>Subject: {{ subject }}{% endif %}</p>
<p style="white-space: pre-line">{{ message }}</p>`,
  event: contactReceived,
  async compose(db, { resource }) {
    const found = await messages.find(db, resource.id);
    if (!found || found.status === 'spam') return null;
    const { name, email, subject, message } = found;
    const replyTo = { name, address: email };
    return { to: null, locale: null, replyTo, data: { name, email, subject, message } };
  },
});
