/**
 * What a store mails: to whom, in which language, once, and in order.
 */
import { disputeClosed, disputeOpened } from '@carton/payment';
import { newId, publish } from '@carton/runtime';
import { callerOf, until, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { createMailBox, createProduct, mailsWhere, passTime, placeOrder } from './helpers.ts';

const { box, server } = await createMailBox(t, { environment: { STAFF_APP_URL: 'https://staff.example/app/' } });
const { staff } = box;
const variantId = await createProduct(box);
await untilDelivered(box);
server.mails.splice(0);

t.test('the first owner is invited by mail', async (t) => {
  const { body } = await box.operator.post('/admin/tenants', {
    slug: 'second',
    name: 'Second',
    staffEmail: 'grace@staff.example',
  });
  const [mail] = await mailsWhere(server, 1, ({ to }) => to === 'grace@staff.example');
  t.equal(mail?.subject, 'You are invited to Second');
  const [, token = ''] = /https:\/\/staff\.example\/app\/invite\?token=(\S+)/.exec(mail?.text ?? '') ?? [];
  t.not(token, body.invite.token, 'the mail has a token of its own');
  const visitor = callerOf(box.url, { 'x-tenant-slug': 'second', 'x-hosting-secret': box.secrets.hosting });
  const accept = (given: string) =>
    visitor.post('/admin/invites/accept', { token: given, name: 'Grace', password: 'correct horse battery' });
  t.equal((await accept(token)).status, 201, 'the token of the mail');
  t.equal((await accept(body.invite.token)).status, 404, 'only one of both');
});

t.test('an order is confirmed in the shopper’s language', async (t) => {
  await placeOrder(box, variantId, { email: 'en@shopper.example', name: 'Ada Lovelace' });
  const [mail] = await mailsWhere(server, 1, ({ to }) => to === 'en@shopper.example');
  t.match(mail, { from: 'box@mail.example', fromName: box.slug, replyTo: null, subject: /^Your order \d+$/ });
  t.match(mail?.text, /Hello Ada Lovelace,\n\nthank you for your order \d+\.\n\n1 × Mug: €19\.99\n/);
  t.match(mail?.html, /<html lang="en/);
  t.match(mail?.raw, /^Auto-Submitted: auto-generated\r$/m);

  const patched = await staff.patch('/admin/notification-templates/order.placed', {
    texts: [
      {
        locale: 'fr',
        subject: 'Votre commande {{ order.number }}',
        text: 'Total : {{ order.totals.total | money }}',
        html: '<p>{{ order.items[0].title }}{{ order.customer.name }}</p>',
      },
    ],
  });
  t.equal(patched.status, 200);
  const marked = await createProduct(box, '<b>Mug</b> & "co"');
  await placeOrder(box, marked, { email: 'fr@shopper.example', name: '<b>Ada</b>', locale: 'fr-CA' });
  const [french] = await mailsWhere(server, 1, ({ to }) => to === 'fr@shopper.example');
  t.match(french?.subject, /^Votre commande \d+$/);
  t.equal(french?.text.replaceAll('\u00a0', ' ').trim(), 'Total : 19,99 €');
  t.match(french?.html, '<p>&lt;b&gt;Mug&lt;/b&gt; &amp; &#34;co&#34;</p>', 'values are escaped');
});

t.test('the store is notified of a dispute, and of its decision', async (t) => {
  const { id: orderId, number } = await placeOrder(box, variantId, { email: 'dispute@shopper.example' });
  const amount = { amount: 1999, currency: 'EUR' };
  const payment = await staff.post(`/admin/orders/${orderId}/payments`, { method: 'bank_transfer', amount });
  const dispute = { orderId, paymentId: payment.body.id, ...amount };
  const respondBy = '2026-03-08T12:00:00.000Z';
  const id = newId();
  await box.db.insert('payment_disputes', {
    ...{ id, ...dispute, reference: 'dp_1', status: 'inquiry', reason: 'product_not_received' },
    ...{ withdrawnAmount: 0, refundable: true, respondBy, reportedAt: new Date() },
  });
  const changes = [
    [disputeOpened, { status: 'inquiry' as const, respondBy }],
    [disputeOpened, { status: 'open' as const, respondBy }],
    [disputeClosed, { status: 'lost' as const, respondBy: null }],
  ] as const;
  for (const [event, change] of changes) {
    await box.db.transaction((tx) => publish(tx, event, { type: 'dispute', id }, { ...dispute, ...change }));
  }
  const mails = await mailsWhere(server, 3, ({ subject }) => /^(Dispute|Inquiry)/.test(subject));
  t.strictSame(
    mails.map(({ subject, text }) => `${subject}: ${text.trim()}`),
    [
      `Inquiry about a payment: order ${number}: The shopper's bank inquires about €19.99 of order ${number}. Reason: product not received. Respond at the payment provider by March 8, 2026.`,
      `Dispute of a payment: order ${number}: The shopper's bank disputes €19.99 of order ${number}. The payment cannot be refunded until this is decided. Reason: product not received. Respond at the payment provider by March 8, 2026.`,
      `Dispute lost: order ${number}: The dispute of €19.99 of order ${number} was lost. The amount is not due again, and cannot be refunded.`,
    ],
  );
  t.ok(mails.every(({ to }) => to !== 'dispute@shopper.example'));
});

t.test('addresses in other letters than ASCII get their mail, with the domain in ASCII', async (t) => {
  await placeOrder(box, variantId, { email: ' jörg@münchen.example ' });
  const [mail] = await mailsWhere(server, 1, ({ to }) => to.startsWith('jörg@'));
  t.equal(mail?.to, 'jörg@münchen.example', 'as programs show it');
  const path = `/admin/notifications?recipient=${encodeURIComponent('jörg@MÜNCHEN.example')}`;
  // It is recorded once the server has taken it.
  const { body } = await until(
    () => box.staff.get(path),
    (read) => read.body.items[0]?.status === 'sent',
  );
  t.match(body.items[0], { recipient: 'jörg@xn--mnchen-3ya.example', status: 'sent' });
});

t.test('payments, refunds and cancellations are mailed, in the order of their events', async (t) => {
  const email = 'steps@shopper.example';
  const { id, number } = await placeOrder(box, variantId, { email });
  await mailsWhere(server, 1, ({ to }) => to === email);
  // The events of the payment and the order are dispatched together.
  await box.db.transaction(async (tx) => {
    await tx.query(`select from background_tasks where tenant_id = $1 and name = 'events.dispatch' for update`);
    const amount = { amount: 1999, currency: 'EUR' };
    const payment = await staff.post(`/admin/orders/${id}/payments`, { method: 'bank_transfer', amount });
    await staff.post(`/admin/payments/${payment.body.id}/refunds`, { amount });
    await staff.post(`/admin/orders/${id}/cancel`, {});
  });
  const mails = await mailsWhere(server, 4, ({ to }) => to === email);
  t.strictSame(
    mails.map(({ subject }) => subject),
    [
      `Your order ${number}`,
      `We have received your payment for order ${number}`,
      `Refund for your order ${number}`,
      `Your order ${number} is canceled`,
    ],
  );
  await untilDelivered(box);
  const { body } = await staff.get(`/admin/notifications?resourceId=${id}`);
  t.strictSame(
    body.items.map(({ template, status, recipient }: never) => [template, status, recipient]),
    ['order.canceled', 'refund.created', 'payment.captured', 'order.placed'].map((key) => [key, 'sent', email]),
  );
});

t.test('low stock is mailed to the staff, by default to the owners', async (t) => {
  const scarce = await createProduct(box, 'Vase', 6);
  const { items } = (await staff.get(`/admin/stock-items?variantId=${scarce}`)).body;
  await staff.patch(`/admin/stock-items/${items[0].id}`, { lowStockLevel: 4 });
  await placeOrder(box, scarce, { email: 'low@shopper.example', quantity: 2 });
  const [mail] = await mailsWhere(server, 1, ({ subject }) => subject.startsWith('Low stock'));
  t.match(mail, { to: box.email, subject: 'Low stock: Vase (Vase)' });
  t.equal(mail?.text, 'Vase (Vase): 4 available. The low-stock level is 4.\n');

  const addresses = ['one@staff.example', 'two@staff.example'];
  await staff.patch('/admin/store', { settings: { notification: { staffAddresses: addresses } } });
  await staff.post(`/admin/stock-items/${items[0].id}/adjustments`, { quantity: 3, reason: 'received' });
  await placeOrder(box, scarce, { email: 'low@shopper.example', quantity: 3 });
  const mails = await mailsWhere(server, 3, ({ subject }) => subject.startsWith('Low stock'));
  t.strictSame(
    mails
      .slice(1)
      .map(({ to }) => to)
      .sort(),
    addresses,
  );
  await staff.patch('/admin/store', { settings: { notification: { staffAddresses: [] } } });
});

t.test('a reset link works once, and no row contains it', async (t) => {
  await box.visitor().post('/admin/auth/password/forgot', { email: box.email });
  const [mail] = await mailsWhere(server, 1, ({ subject }) => subject === 'Reset your password');
  const [, token = ''] = /\/reset\?token=(\S+)/.exec(mail?.text ?? '') ?? [];
  await untilDelivered(box);
  for (const table of ['notifications', 'event_outbox', 'event_deliveries', 'staff_tokens']) {
    const [row] = await box.owner.query<{ found: number }>(
      `select count(*)::integer as found from ${table} row where strpos(row::text, $1) > 0`,
      [token],
    );
    t.equal(row?.found, 0, table);
  }
  const [sent] = (await staff.get('/admin/notifications?template=staff.password_reset_requested')).body.items;
  t.equal(sent.subject, null, 'a subject may contain the secret');

  // Sending it again creates another token, which replaces the first.
  t.equal((await staff.post(`/admin/notifications/${sent.id}/resend`)).status, 202);
  const [, again] = await mailsWhere(server, 2, ({ subject }) => subject === 'Reset your password');
  const [, second = ''] = /\/reset\?token=(\S+)/.exec(again?.text ?? '') ?? [];
  t.not(second, token);
  t.not(again?.messageId, mail?.messageId);
  const reset = (given: string) =>
    box.visitor().post('/admin/auth/password/reset', { token: given, password: 'another horse battery' });
  t.equal((await reset(token)).status, 404);
  t.equal((await reset(second)).status, 204);

  // Once the link is used, the mail has no reason any more: another one would open the account to its reader.
  const login = { email: box.email, password: 'another horse battery' };
  const { token: session } = (await box.visitor().post('/admin/auth/login', login)).body;
  const owner = callerOf(box.url, { ...box.visitor().headers, authorization: `Bearer ${session}` });
  const { body: late } = await owner.post(`/admin/notifications/${sent.id}/resend`);
  const left = await until(
    async () => (await owner.get(`/admin/notifications?template=${sent.template}`)).body.items,
    ([newest]) => newest.id === late.id && newest.status !== 'queued',
  );
  t.match(left[0], { status: 'not_sent', error: /no longer exists/ });
  t.equal(server.mails.filter(({ subject }) => subject === 'Reset your password').length, 2);
});

t.test('an event that is delivered twice is mailed once', async (t) => {
  const email = 'twice@shopper.example';
  const { id } = await placeOrder(box, variantId, { email });
  await mailsWhere(server, 1, ({ to }) => to === email);
  await until(
    () => box.db.query(`select 1 from event_deliveries where tenant_id = $1 and status = 'pending'`),
    (rows) => rows.length === 0,
  );
  await box.owner.query(`update event_deliveries set status = 'pending' where tenant_id = $1 and resource_id = $2`, [
    box.id,
    id,
  ]);
  await passTime(box);
  await untilDelivered(box);
  t.equal(server.mails.filter(({ to }) => to === email).length, 1);
});
