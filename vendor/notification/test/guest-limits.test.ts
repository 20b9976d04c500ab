/**
 * Guests cannot use the mails of a store as a weapon: mails to one address, and on request of one client, are limited by
 * delays; every order is placed, and staff see what waits.
 */
import { randomBytes } from 'node:crypto';
import { createMember } from '@carton/member/testing';
import { wakeBackground } from '@carton/runtime';
import { exactly, type TestTenant, until, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { guestLimits, releaseDue } from '../sending/limits.ts';
import { createMailBox, createProduct, placeOrder, recordsOf } from './helpers.ts';

const { box, server } = await createMailBox(t, { tier: 'basic', trustProxy: 'loopback', idleJobs: true });

async function openStore(): Promise<{ tenant: TestTenant; mug: string }> {
  const tenant = await box.openTenant();
  return { tenant, mug: await createProduct(tenant) };
}

/** A guest orders from an address of a client. */
async function order(tenant: TestTenant, variantId: string, { email, from }: { email: string; from?: string }) {
  const guest = tenant.shopper();
  guest.headers['x-forwarded-for'] = from ?? `203.0.${randomBytes(1)[0]}.${randomBytes(1)[0]}`;
  await guest.post('/cart/items', { variantId, quantity: 1 });
  const customer = { email, name: 'Visit https://evil.example now' };
  const answer = await guest.post('/checkout', { customer });
  t.equal(answer.status, 201, 'the order is always placed');
  return answer.body;
}

const mailsTo = (email: string) => server.mails.filter(({ to }) => to === email);

async function queuedIn({ staff }: TestTenant) {
  const { body } = await staff.get('/admin/notifications?status=queued&limit=100');
  return body.items as { id: string; delayedUntil: string | null; recipient: string; error: string }[];
}

/** Passes an hour for what was sent and what waits. */
async function passHour(tenant: TestTenant): Promise<void> {
  await box.owner.query(
    `update notifications set admitted_at = admitted_at - interval '1 hour', delayed_until = delayed_until - interval '1 hour'
      where tenant_id = $1`,
    [tenant.id],
  );
  await releaseDue(tenant.db);
  wakeBackground(tenant.db);
  await untilDelivered(tenant);
}

t.test(
  'of 25 orders with the address of another person, that person gets a few mails, and the rest later',
  async (t) => {
    const { tenant, mug } = await openStore();
    const email = 'victim@shopper.example';
    for (let times = 0; times < 25; times++)
      await order(tenant, mug, { email: times % 2 ? email : email.toUpperCase() });
    const all = () => server.mails.filter(({ to }) => to.toLowerCase() === email);
    await untilDelivered(tenant);
    t.equal(all().length, guestLimits.recipient);
    const waiting = await queuedIn(tenant);
    t.equal(waiting.length, 25 - guestLimits.recipient);
    for (const { delayedUntil, recipient, error } of waiting) {
      t.ok(Date.parse(delayedUntil ?? '') > Date.now());
      t.equal(recipient.toLowerCase(), email);
      t.match(error, /^Delayed/);
    }
    await passHour(tenant);
    t.equal(all().length, 2 * guestLimits.recipient);
    await passHour(tenant);
    t.equal(all().length, 25, 'none is dropped');
    t.strictSame(await queuedIn(tenant), []);
    t.notMatch(JSON.stringify(all()), /evil\.example/);
  },
);

t.test('one client causes a limited number of mails, to whatever addresses', async (t) => {
  const { tenant, mug } = await openStore();
  const from = '198.51.100.7';
  const count = guestLimits.client + 3;
  for (let times = 0; times < count; times++)
    await order(tenant, mug, { email: `many-${times}@shopper.example`, from });
  const other = await order(tenant, mug, { email: 'other-client@shopper.example', from: '198.51.100.8' });
  await untilDelivered(tenant);
  t.equal((await queuedIn(tenant)).length, 3);
  t.match(await recordsOf(tenant, other.id), exactly([{ status: 'sent', delayedUntil: null }]));
  await passHour(tenant);
  t.strictSame(await queuedIn(tenant), []);
});

t.test('members, staff and other stores have no limit', async (t) => {
  const { tenant, mug } = await openStore();
  const member = await createMember(tenant, { email: 'member@shopper.example' });
  for (let times = 0; times < guestLimits.recipient + 2; times++) {
    await member.post('/cart/items', { variantId: mug, quantity: 1 });
    t.equal((await member.post('/checkout', { customer: { email: member.email } })).status, 201);
  }
  await untilDelivered(tenant);
  t.equal(mailsTo(member.email).length, guestLimits.recipient + 2);
  t.strictSame(await queuedIn(tenant), []);
});

t.test('mails about what was paid or shipped do not wait for those that others have caused', async (t) => {
  const { tenant, mug } = await openStore();
  const email = 'customer@shopper.example';
  const [paid, shipped] = [await order(tenant, mug, { email }), await order(tenant, mug, { email })];
  for (let times = 0; times < guestLimits.recipient + 2; times++) await order(tenant, mug, { email });
  await untilDelivered(tenant);
  const waiting = (await queuedIn(tenant)).length;
  t.equal(waiting, 4);
  const { staff } = tenant;
  const amount = paid.totals.total;
  t.match(await staff.post(`/admin/orders/${paid.id}/payments`, { amount, method: 'cash' }), { status: 201 });
  for (const each of [paid, shipped]) {
    const items = each.items.map(({ id }: { id: string }) => ({ lineItemId: id, quantity: 1 }));
    const parcel = await staff.post(`/admin/orders/${each.id}/fulfillments`, { items });
    t.match(await staff.post(`/admin/fulfillments/${parcel.body.id}/ship`), { status: 200 });
  }
  await untilDelivered(tenant);
  t.equal((await queuedIn(tenant)).length, waiting);
  for (const each of [paid, shipped]) {
    const sent = (await recordsOf(tenant, each.id)).filter(
      ({ template }: { template: string }) => template === 'fulfillment.shipped',
    );
    t.match(sent, exactly([{ status: 'sent', delayedUntil: null }]));
  }
});

t.test('staff send a delayed mail at once, and it is sent once', async (t) => {
  const { tenant, mug } = await openStore();
  const email = 'patient@shopper.example';
  for (let times = 0; times <= guestLimits.recipient; times++) await order(tenant, mug, { email });
  await untilDelivered(tenant);
  const [waiting] = await queuedIn(tenant);
  const answer = await tenant.staff.post(`/admin/notifications/${waiting?.id}/resend`);
  t.match(answer, { status: 202, body: { id: waiting?.id, status: 'queued', delayedUntil: null } });
  await until(
    () => mailsTo(email),
    (found) => found.length > guestLimits.recipient,
  );
  await passHour(tenant);
  t.equal(mailsTo(email).length, guestLimits.recipient + 1);
});

t.test('the mails of usual orders are not delayed', async (t) => {
  const { tenant, mug } = await openStore();
  const placed = await placeOrder(tenant, mug, { email: 'usual@shopper.example' });
  await tenant.staff.post(`/admin/orders/${placed.id}/cancel`, { reason: 'Sold out' });
  await untilDelivered(tenant);
  t.match(await recordsOf(tenant, placed.id), exactly([{ status: 'sent' }, { status: 'sent' }]));
});
