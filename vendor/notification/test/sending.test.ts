/**
 * Sending: retries, final failures, a server that is away, senders, and several boxes.
 */
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { erasePerson, exportPerson, newId } from '@carton/runtime';
import { eventsOf, exactly, temporaryFolder, until, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { deleteOld } from '../records/sweep.ts';
import { sendMail, sendRetries } from '../sending/service.ts';
import { claimNotification } from '../sending/store.ts';
import { createMailBox, createProduct, mailsWhere, passTime, placeOrder, recordsOf } from './helpers.ts';

const folder = await temporaryFolder('mails-');
t.teardown(() => rm(folder, { recursive: true, force: true }));
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const keyFile = join(folder, 'dkim.json');
await writeFile(keyFile, JSON.stringify({ 'own.example': { selector: 'carton', privateKey } }), { mode: 0o600 });

const { box, server } = await createMailBox(t, { environment: { MAIL_DKIM_KEYS: keyFile } });
const { staff } = box;
const variantId = await createProduct(box);
await untilDelivered(box);

function untilRecord(
  id: string,
  holds: (record: { status: string; error: string | null; attempts: number }) => boolean,
) {
  return until(
    async () => (await recordsOf(box, id))[0],
    (record) => record !== undefined && holds(record),
  );
}

t.test('a temporary refusal delays the mail, and later mails about the order wait', async (t) => {
  const email = 'busy@shopper.example';
  server.behaviour = { recipient: (to) => (to === email ? { code: 450, text: `${email} is busy` } : null) };
  const { id } = await placeOrder(box, variantId, { email });
  const waiting = await untilRecord(id, ({ error }) => error !== null);
  t.match(waiting, { status: 'queued', error: /450/ });
  await staff.post(`/admin/orders/${id}/cancel`, {});
  await placeOrder(box, variantId, { email: 'other@shopper.example' });
  await mailsWhere(server, 1, ({ to }) => to === 'other@shopper.example');
  t.equal(server.mails.filter(({ to }) => to === email).length, 0);
  const errors = await box.owner.query<{ error: string }>(
    `select error from event_deliveries where tenant_id = $1 and error is not null`,
    [box.id],
  );
  t.ok(errors.length > 0);
  t.notMatch(JSON.stringify(errors), email, 'deliveries do not store addresses');
  server.behaviour = {};
  await passTime(box);
  const mails = await mailsWhere(server, 2, ({ to }) => to === email);
  t.match(
    mails.map(({ subject }) => subject),
    exactly([/^Your order \d+$/, /is canceled$/]),
  );
  await untilDelivered(box);
  t.match(
    await recordsOf(box, id),
    exactly([
      { status: 'sent', error: null },
      { status: 'sent', error: null },
    ]),
  );
});

t.test('a permanent refusal is a visible failure, and can be sent again', async (t) => {
  const email = 'gone@shopper.example';
  server.behaviour = { recipient: (to) => (to === email ? { code: 550, text: 'no such user' } : null) };
  const { id } = await placeOrder(box, variantId, { email });
  const failed = await untilRecord(id, ({ status }) => status === 'failed');
  t.match(failed, { attempts: 1, error: /550/, sentAt: null });
  const { items } = (await staff.get('/admin/notifications?status=failed')).body;
  t.match(items, exactly([{ id: failed.id }]));
  await untilDelivered(box);
  const events = await eventsOf(box, failed.id);
  const about = { type: 'order', id };
  t.strictSame(
    events.map(({ type, payload }) => [type, payload]),
    [['notification.failed', { template: 'order.placed', about, code: '550' }]],
  );
  server.behaviour = {};
  const resent = await staff.post(`/admin/notifications/${failed.id}/resend`);
  t.match(resent, { status: 202, body: { status: 'queued', about } });
  await mailsWhere(server, 1, ({ to }) => to === email);
  await untilDelivered(box);
  t.match(await recordsOf(box, id), exactly([{ status: 'failed' }, { status: 'sent', id: resent.body.id }]));
  t.equal((await staff.post(`/admin/notifications/${newId()}/resend`)).status, 404);
});

t.test('a server that is away delays mails and loses none', async (t) => {
  await server.stop();
  const emails = Array.from({ length: 8 }, (_, at) => `away-${at}@shopper.example`);
  for (const email of emails) await placeOrder(box, variantId, { email });
  await until(
    async () => (await staff.get('/admin/notifications?status=queued')).body.items,
    (items) => items.length === emails.length && items.every(({ error }: { error: string | null }) => error !== null),
  );
  await server.start();
  await passTime(box);
  const mails = await mailsWhere(server, emails.length, ({ to }) => emails.includes(to));
  t.strictSame(mails.map(({ to }) => to).sort(), emails);
  await untilDelivered(box);
  t.equal(server.mails.filter(({ to }) => emails.includes(to)).length, emails.length, 'each once');
});

t.test('an answer that is lost is followed by the same mail, with the same Message-ID', async (t) => {
  const email = 'lost@shopper.example';
  let lost = 0;
  server.behaviour = {
    stored: ({ to }) => (to === email && lost++ === 0 ? { code: 451, text: 'try again' } : null),
  };
  const { id } = await placeOrder(box, variantId, { email });
  await untilRecord(id, ({ error }) => error !== null);
  await passTime(box);
  const [first, second] = await mailsWhere(server, 2, ({ to }) => to === email);
  t.equal(first?.messageId, second?.messageId);
  t.match(first?.messageId, /^<[0-9a-f-]{36}@mail\.example>$/);
  server.behaviour = {};
});

t.test('a repeated mail with a secret has a new secret and a new Message-ID', async (t) => {
  let lost = 0;
  server.behaviour = { stored: () => (lost++ === 0 ? { code: 451, text: 'try again' } : null) };
  await box.visitor().post('/admin/auth/password/forgot', { email: box.email });
  const isReset = ({ subject }: { subject: string }) => subject === 'Reset your password';
  await mailsWhere(server, 1, isReset);
  await until(
    async () => (await staff.get('/admin/notifications?template=staff.password_reset_requested')).body.items[0],
    ({ error }) => error !== null,
  );
  await passTime(box);
  const [first, second] = await mailsWhere(server, 2, isReset);
  const tokenOf = (mail = first) => /rst_\S+/.exec(mail?.text ?? '')?.[0];
  t.ok(tokenOf(first));
  t.not(tokenOf(first), tokenOf(second));
  t.not(first?.messageId, second?.messageId, 'or a server could deliver only the first, whose link no longer works');
  server.behaviour = {};
  await untilDelivered(box);
});

t.test('two boxes never send a mail at the same time', async (t) => {
  const email = 'claim@shopper.example';
  server.behaviour = { stored: () => ({ code: 451, text: 'try again' }) };
  const { id } = await placeOrder(box, variantId, { email });
  const { id: notificationId } = await untilRecord(id, ({ error }) => error !== null);
  server.behaviour = {};
  const claims = await Promise.all(Array.from({ length: 10 }, () => claimNotification(box.db, notificationId)));
  t.equal(claims.filter((claimed) => claimed !== null).length, 1);
  const before = server.mails.length;
  await t.rejects(sendMail(box.db, { payload: { notificationId }, attempt: 1 }), { message: /another box is sending/ });
  t.equal(server.mails.length, before);
  await passTime(box);
  await mailsWhere(server, 2, ({ to }) => to === email);
  await untilDelivered(box);
  await sendMail(box.db, { payload: { notificationId }, attempt: 1 });
  t.equal(server.mails.filter(({ to }) => to === email).length, 2, 'a mail that was sent is not sent again');
});

t.test('the last attempt is a visible failure', async (t) => {
  const email = 'last@shopper.example';
  server.behaviour = { stored: () => ({ code: 451, text: 'try again' }) };
  const { id } = await placeOrder(box, variantId, { email });
  const { id: notificationId } = await untilRecord(id, ({ error }) => error !== null);
  await sendMail(box.db, { payload: { notificationId }, attempt: sendRetries.attempts });
  t.match(await recordsOf(box, id), exactly([{ status: 'failed', error: /451/ }]));
  server.behaviour = {};
  await passTime(box);
  await untilDelivered(box);
});

t.test('a store sends from its own address only in its own domain, signed with its key', async (t) => {
  const set = (senderAddress: string | null) =>
    staff.patch('/admin/store', { settings: { notification: { senderName: 'Own', senderAddress } } });
  t.equal((await set('hello@own.example')).status, 200);
  for (const [senderName, stored] of [
    [' Ow\u202en\u200b ', 'Own'],
    ['\u200b', ''],
    ['Own', 'Own'],
  ] as const) {
    const changed = await staff.patch('/admin/store', { settings: { notification: { senderName } } });
    t.match(changed.body.settings.notification, { senderName: stored }, JSON.stringify(senderName));
  }
  await placeOrder(box, variantId, { email: 'foreign@shopper.example' });
  const [foreign] = await mailsWhere(server, 1, ({ to }) => to === 'foreign@shopper.example');
  t.match(foreign, { from: 'box@mail.example', fromName: 'Own', replyTo: 'hello@own.example' });
  t.notMatch(foreign?.raw, /^DKIM-Signature/m);

  await box.operator.post(`/admin/tenants/${box.id}/domains`, { host: 'www.own.example' });
  await placeOrder(box, variantId, { email: 'own@shopper.example' });
  const [own] = await mailsWhere(server, 1, ({ to }) => to === 'own@shopper.example');
  t.match(own, { from: 'hello@own.example', fromName: 'Own', replyTo: null, messageId: /@own\.example>$/ });
  t.match(own?.raw.replaceAll(/\r\n\s+/g, ' '), /^DKIM-Signature: .*d=own\.example;.* s=carton;/m);
  const answers = JSON.stringify([
    (await staff.get('/admin/store')).body,
    (await staff.get('/admin/notifications')).body,
  ]);
  t.notMatch(answers, 'PRIVATE KEY');
  await set(null);
});

t.test('personal data is exported, and erased for good', async (t) => {
  const email = 'erase@shopper.example';
  const { id } = await placeOrder(box, variantId, { email });
  await mailsWhere(server, 1, ({ to }) => to === email);
  await staff.post(`/admin/orders/${id}/cancel`, {});
  await mailsWhere(server, 2, ({ to }) => to === email);
  await untilDelivered(box);
  const person = { memberId: null, emails: [email] };
  t.match(
    (await exportPerson(box.db, person)).notifications?.data,
    exactly([{ recipient: email }, { recipient: email }]),
  );
  await erasePerson(box.db, person);
  const records = await recordsOf(box, id);
  t.match(
    records,
    exactly([
      { recipient: null, subject: null },
      { recipient: null, subject: null },
    ]),
  );
  const [row] = await box.owner.query<{ found: number }>(
    `select count(*)::integer as found from notifications row where strpos(row::text, $1) > 0`,
    [email],
  );
  t.equal(row?.found, 0);
  t.match(await staff.post(`/admin/notifications/${records[0].id}/resend`), {
    status: 409,
    body: { code: 'notification_erased' },
  });
});

t.test('old records are deleted, except queued ones', async (t) => {
  const old = '00000000-0000-7000-8000-00000000000';
  for (const [at, status] of ['sent', 'queued'].entries()) {
    await box.owner.query(
      `insert into notifications (tenant_id, id, template, dedupe_key, status, resource_type, resource_id)
       values ($1, $2::uuid, 'order.placed', $2::text, $3, 'order', $2::uuid)`,
      [box.id, `${old}${at}`, status],
    );
  }
  const [{ count: before } = { count: 0 }] = await countRecords();
  await deleteOld(box.db);
  t.equal((await countRecords())[0]?.count, before - 1);
  const found = await box.owner.query('select status from notifications where id = $1', [`${old}1`]);
  t.strictSame(found, [{ status: 'queued' }]);
  await box.owner.query('delete from notifications where id = $1', [`${old}1`]);
});

const countRecords = () =>
  box.db.query<{ count: number }>('select count(*)::integer as count from notifications where tenant_id = $1');

t.test('lists have filters', async (t) => {
  const count = async (query: string) => (await staff.get(`/admin/notifications?limit=100&${query}`)).body.items.length;
  t.equal(await count('recipient=OTHER@shopper.example'), 1);
  t.equal(await count('recipient=nobody@shopper.example'), 0);
  t.equal(await count('template=order.placed&status=failed'), 2);
  t.equal(await count('to=2020-01-01T00:00:00Z'), 0);
  t.ok((await count('from=2020-01-01T00:00:00Z')) > 10);
  const all = (await staff.get('/admin/notifications?limit=100')).body.items;
  const [third, sixth] = [all[2].createdAt, all[5].createdAt];
  const listed: string[] = [];
  let cursor = '';
  do {
    const { body } = await staff.get(`/admin/notifications?limit=2&from=${sixth}&to=${third}${cursor}`);
    listed.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  const expected = all.filter(({ createdAt }: { createdAt: string }) => createdAt >= sixth && createdAt < third);
  t.ok(expected.length > 0);
  t.strictSame(
    listed,
    expected.map(({ id }: { id: string }) => id),
    'a period, page by page',
  );
});

t.test('the answer of a mail server, which may name the recipient, is erased too', async (t) => {
  const email = 'named@shopper.example';
  server.behaviour = { recipient: (to) => (to === email ? { code: 550, text: `${email} is unknown` } : null) };
  const { id } = await placeOrder(box, variantId, { email });
  t.match(await untilRecord(id, ({ status }) => status === 'failed'), { error: /named@shopper.example is unknown/ });
  server.behaviour = {};
  await staff.post(`/admin/orders/${id}/cancel`, {});
  await untilDelivered(box);
  await erasePerson(box.db, { memberId: null, emails: [email] });
  const named = 'select id from notifications row where strpos(row::text, $1) > 0';
  t.strictSame(await box.owner.query(named, [email]), []);
});
