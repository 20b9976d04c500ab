/**
 * The mail about a message by the contact form to the store, which answers it to the sender.
 */
import { defineMail, type InLanguages, mailTexts, nullable, object, Type } from '@carton/runtime';
import { contactReceived } from '../events.ts';
import { messages } from './store.ts';

const ContactMailData = object({
  name: Type.String(),
  email: Type.String(),
  subject: nullable(Type.String()),
  message: Type.String(),
});

const phrases: InLanguages<{ newMessage: string; from: string; about: string }> = {
  en: { newMessage: 'New message by the contact form', from: 'From: ', about: 'Subject: ' },
  de: { newMessage: 'Neue Nachricht über das Kontaktformular', from: 'Von: ', about: 'Betreff: ' },
  fr: { newMessage: 'Nouveau message du formulaire de contact', from: 'De : ', about: 'Objet : ' },
  es: { newMessage: 'Nuevo mensaje del formulario de contacto', from: 'De: ', about: 'Asunto: ' },
  it: { newMessage: 'Nuovo messaggio dal modulo di contatto', from: 'Da: ', about: 'Oggetto: ' },
  nl: { newMessage: 'Nieuw bericht via het contactformulier', from: 'Van: ', about: 'Onderwerp: ' },
  pl: { newMessage: 'Nowa wiadomość z formularza kontaktowego', from: 'Od: ', about: 'Temat: ' },
  ja: { newMessage: 'お問い合わせフォームからの新しいメッセージ', from: '差出人：', about: '件名：' },
  ar: { newMessage: 'رسالة جديدة من نموذج الاتصال', from: 'من: ', about: 'الموضوع: ' },
};

const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');

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
  ...mailTexts(phrases, ({ newMessage, from, about }) => ({
    subject: newMessage,
    text: `${from}{{ name }} <{{ email }}>
{% if subject %}${about}{{ subject }}
{% endif %}
{{ message }}
`,
    html: `<p>${from}{{ name }} &lt;{{ email }}&gt;{% if subject %}<br>${about}{{ subject }}{% endif %}</p>
<p style="white-space: pre-line">{{ message }}</p>`,
  })),
  event: contactReceived,
  async compose(db, { resource }) {
    const found = await messages.find(db, resource.id);
    if (!found || found.status === 'spam') return null;
    const { email, message } = found;
    // One line each, so that nothing of them looks like a part of the mail's own.
    const [name, subject] = [oneLine(found.name), found.subject === null ? null : oneLine(found.subject)];
    const replyTo = { name, address: email };
    return { to: null, locale: null, replyTo, data: { name, email, subject, message } };
  },
});
