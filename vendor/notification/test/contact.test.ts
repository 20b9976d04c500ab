/**
 * The mail about a message by the contact form: to whom it goes, who gets the answer, and what is stored of it.
 */
import { erasePerson } from '@carton/runtime';
import { exactly, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { createMailBox, mailsWhere } from './helpers.ts';

const { box, server } = await createMailBox(t);
const { staff } = box;
await untilDelivered(box);
server.mails.splice(0);
const message = {
  name: 'Ada Lovelace',
  email: 'Ada@shopper.example',
  subject: 'Shirts',
  message: 'In <b>blue</b>?\nAda',
};
const send = async (fields: object = {}) =>
  t.equal((await box.visitor().post('/contact', { ...message, secondsOpen: 42, ...fields })).status, 202);
const recordsOf = async () => (await staff.get('/admin/notifications?template=contact.received')).body.items;

t.test('it goes to the contact address of the store, and the answer to the sender', async (t) => {
  await send();
  const [first] = await mailsWhere(server, 1);
  t.match(first, { to: box.email, replyTo: 'Ada@shopper.example' }, 'without a contact address: the owner');
  await staff.patch('/admin/store', { email: 'hello@store.example' });
  await staff.patch('/admin/store', {
    settings: { notification: { senderName: 'Own', senderAddress: 'own@store.example' } },
  });
  await send({ name: 'Ada\r\nBcc: all@shopper.example' });
  const [, mail] = await mailsWhere(server, 2);
  t.match(mail, {
    to: 'hello@store.example',
    replyTo: 'Ada@shopper.example',
    subject: 'New message by the contact form',
  });
  t.match(mail?.text, 'Subject: Shirts\n\nIn <b>blue</b>?\nAda');
  t.match(mail?.html, 'In &lt;b&gt;blue&lt;/b&gt;?\nAda');
  const [headers = ''] = mail?.raw.split('\r\n\r\n') ?? [];
  t.notMatch(headers, /^Bcc:/m);
  t.match(headers, /^Reply-To: .*Bcc: all@shopper\.example.*<Ada@shopper\.example>\r$/m);
  await untilDelivered(box);
  t.equal(server.mails.length, 2);
});

t.test('nothing of the message is in events or records of mails', async (t) => {
  for (const table of ['event_outbox', 'event_deliveries', 'notifications']) {
    const rows = JSON.stringify(await box.db.query(`select * from ${table} where tenant_id = $1`));
    t.notMatch(rows, /Lovelace|ada@shopper|Shirts|blue/i, table);
  }
  t.match(await recordsOf(), exactly([{ status: 'sent' }, { status: 'sent' }]));
});

t.test('a dropped message is not mailed; one that was erased is not mailed again', async (t) => {
  await send({ website: 'https://spam.example' });
  const [newest] = await recordsOf();
  await box.db.transaction((tx) => erasePerson(tx, { memberId: null, emails: ['ada@shopper.example'] }));
  t.match(
    await recordsOf(),
    exactly([
      { recipient: null, subject: null },
      { recipient: null, subject: null },
    ]),
  );
  t.match(await staff.post(`/admin/notifications/${newest.id}/resend`), { status: 409 });
  await untilDelivered(box);
  t.equal(server.mails.length, 2);
});

t.test('spam that staff have marked is not mailed again', async (t) => {
  await send({ email: 'eve@shopper.example' });
  await mailsWhere(server, 3);
  await untilDelivered(box);
  const [{ id, status }] = await recordsOf();
  t.equal(status, 'sent');
  const [received] = (await staff.get('/admin/contact-messages')).body.items;
  await staff.patch(`/admin/contact-messages/${received.id}`, { status: 'spam' });
  t.equal((await staff.post(`/admin/notifications/${id}/resend`)).status, 202);
  await untilDelivered(box);
  t.match((await recordsOf())[0], { status: 'not_sent' });
  t.equal(server.mails.length, 3);
});
