/**
 * The contact form: what reaches staff, what is refused, and what is forgotten.
 */
import { erasePerson, exportPerson } from '@carton/runtime';
import { bodyOf, callerOf, exactly, payloadsOf, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { announceMessages, deleteOldMessages } from '../contact/service.ts';
import { openBox } from './helpers.ts';

const box = await openBox(t, { trustProxy: 'loopback' });
const message = { name: 'Ada', email: 'Ada@example.com', message: 'In blue?', secondsOpen: 42 };
const send = (tenant: TestTenant, fields: object = {}) => tenant.visitor().post('/contact', { ...message, ...fields });
const listOf = async ({ staff }: TestTenant, query = '') =>
  (await bodyOf(staff.get(`/admin/contact-messages${query}`))).items;
const tooMany = { status: 429, body: { code: 'too_many_requests' } };

t.test('staff read messages and mark them', async (t) => {
  const tenant = await box.openTenant();
  t.match(await send(tenant, { subject: 'Shirts', website: '' }), { status: 202 });
  const [received, ...others] = await listOf(tenant);
  t.strictSame(others, []);
  t.match(received, { name: 'Ada', email: 'Ada@example.com', subject: 'Shirts', message: 'In blue?', status: 'open' });
  t.strictSame(
    await payloadsOf(tenant, { type: 'contact.received' }),
    [{ createdAt: received.createdAt }],
    'nothing personal',
  );
  const path = `/admin/contact-messages/${received.id}`;
  t.match(await tenant.staff.patch(path, { status: 'done' }), { status: 200, body: { status: 'done' } });
  t.strictSame([(await listOf(tenant, '?status=open')).length, (await listOf(tenant, '?status=done')).length], [0, 1]);
  t.match(await tenant.staff.patch(path, { message: 'Changed' }), { status: 400 });
  t.match(await tenant.visitor().get('/admin/contact-messages'), { status: 401 });
  const other = await box.openTenant();
  t.strictSame(await listOf(other), []);
  t.match(await other.staff.patch(path, { status: 'spam' }), { status: 404 });
});

t.test(
  'a program that fills in the hidden field gets the response of a success, and its message is dropped',
  async (t) => {
    const tenant = await box.openTenant();
    const [dropped, stored] = [await send(tenant, { website: 'https://spam.example' }), await send(tenant)];
    t.strictSame([dropped.status, dropped.body], [stored.status, stored.body]);
    t.equal((await listOf(tenant)).length, 1);
    t.equal((await payloadsOf(tenant, { type: 'contact.received' })).length, 1);
  },
);

t.test('a form that is sent within three seconds is refused', async (t) => {
  const tenant = await box.openTenant();
  const refused = await send(tenant, { secondsOpen: 2 });
  t.match(refused, tooMany);
  t.equal(refused.headers.get('retry-after'), '1');
  t.match(await send(tenant, { secondsOpen: 3 }), { status: 202 });
  t.equal((await listOf(tenant)).length, 1);
});

/** A token that was issued some seconds ago. */
async function tokenOf(tenant: TestTenant, secondsAgo: number): Promise<string> {
  const { now } = Date;
  Date.now = () => now() - secondsAgo * 1000;
  try {
    const { status, body, headers } = await tenant.visitor().get('/contact/token');
    t.equal(status, 200);
    t.equal(headers.get('cache-control'), 'no-store');
    t.equal(Date.parse(body.expiresAt) - Date.parse(body.notBefore), (24 * 3600 - 3) * 1000);
    return body.token;
  } finally {
    Date.now = now;
  }
}
const sendWith = (tenant: TestTenant, token: string, fields: object = {}) =>
  send(tenant, { secondsOpen: undefined, token, ...fields });

t.test('a form that is sent too early with its token is dropped, with the response of a success', async (t) => {
  const tenant = await box.openTenant();
  const [dropped, stored] = [
    await sendWith(tenant, await tokenOf(tenant, 0), { message: 'Early', secondsOpen: 42 }),
    await sendWith(tenant, await tokenOf(tenant, 5), { message: 'In time' }),
  ];
  t.strictSame([dropped.status, dropped.body], [202, stored.body]);
  t.equal(stored.status, 202);
  t.strictSame(
    (await listOf(tenant)).map(({ message }: { message: string }) => message),
    ['In time'],
  );
  t.equal((await payloadsOf(tenant, { type: 'contact.received' })).length, 1);
});

t.test('a token expires, and is valid in its store only, unchanged, and as nothing else', async (t) => {
  const [tenant, other] = [await box.openTenant(), await box.openTenant()];
  const expired = { status: 409, body: { code: 'contact_form_expired' } };
  const token = await tokenOf(tenant, 5);
  t.match(await sendWith(tenant, await tokenOf(tenant, 24 * 3600 + 5)), expired);
  t.match(await sendWith(other, token), expired);
  t.match(await sendWith(tenant, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`), expired);
  t.match(await sendWith(tenant, 'invented'), expired);
  t.match(await sendWith(tenant, await tokenOf(tenant, -60)), { status: 202 }, 'from the future: too early');
  t.strictSame([await listOf(tenant), await listOf(other)], [[], []]);
  t.match(await sendWith(tenant, await tokenOf(tenant, 24 * 3600 - 60)), { status: 202 });
  t.equal((await listOf(tenant)).length, 1);
});

t.test('a store can require tokens', async (t) => {
  const tenant = await box.openTenant();
  t.match(await send(tenant, { secondsOpen: undefined }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/secondsOpen' }]) },
  });
  const set = { settings: { website: { contactTokenRequired: true } } };
  t.match(await tenant.staff.patch('/admin/store', set), { status: 200, body: set });
  t.match(await send(tenant), { status: 400, body: { errors: exactly([{ pointer: '/token' }]) } });
  t.match(await sendWith(tenant, await tokenOf(tenant, 5)), { status: 202 });
  t.equal((await listOf(tenant)).length, 1);
});

/** Messages of others. */
const flood = (tenant: TestTenant, count: number) =>
  box.owner.query(
    `insert into contact_messages (tenant_id, id, name, email, email_key, message, status)
     select $1, gen_random_uuid(), 'A', 'a@b.c', number || '@b.c', 'A', 'open' from generate_series(1, $2::integer) as number`,
    [tenant.id, count],
  );
const anHourLater = (tenant: TestTenant) =>
  box.owner.query(
    `update contact_messages set created_at = created_at - interval '61 minutes',
            announced_at = announced_at - interval '61 minutes' where tenant_id = $1`,
    [tenant.id],
  );

t.test('an address sends five messages an hour, also concurrently', async (t) => {
  const tenant = await box.openTenant();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => send(tenant, index % 2 === 0 ? { email: 'ADA@example.com' } : {})),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  t.strictSame(statuses, [202, 202, 202, 202, 202, 429, 429, 429]);
  t.match(await send(tenant, { email: 'bob@example.com' }), { status: 202 });
  t.match(await send(await box.openTenant()), { status: 202 }, 'another store');
  await anHourLater(tenant);
  t.match(await send(tenant), { status: 202 }, 'an hour later');
});

t.test('one client closes the form for nobody else', async (t) => {
  const tenant = await box.openTenant();
  const from = (address: string, email: string) =>
    callerOf(box.url, { ...tenant.visitor().headers, 'x-forwarded-for': address }).post('/contact', {
      ...message,
      email,
    });
  const attacker = '203.0.113.7';
  for (let number = 1; number <= 5; number++) t.equal((await from(attacker, 'victim@example.com')).status, 202);
  t.match(await from(attacker, 'victim@example.com'), tooMany);
  t.match(await from('198.51.100.1', 'victim@example.com'), { status: 202 }, 'whose address was used');
  for (let number = 6; number <= 20; number++) t.equal((await from(attacker, `${number}@example.com`)).status, 202);
  t.match(await from(attacker, 'another@example.com'), tooMany);
  t.match(await from(`::ffff:0:${attacker}`, 'another@example.com'), tooMany, 'in another notation');
  t.match(await from('203.0.113.8', 'another@example.com'), { status: 202 });
  await announceMessages(tenant.db);
  t.match(await from(attacker, 'another@example.com'), tooMany, 'the job forgets nothing of the last hour');
  await anHourLater(tenant);
  t.match(await from(attacker, 'another@example.com'), { status: 202 });
  await announceMessages(tenant.db);
  const kept = await box.owner.query<{ client: string | null }>(
    'select distinct client_key as client from contact_messages where tenant_id = $1',
    [tenant.id],
  );
  t.equal(kept.length, 2, 'clients are forgotten after an hour, but for the last');
  t.notMatch(JSON.stringify(kept), attacker);
});

t.test('a flood of messages to a store delays their mails, and refuses nobody', async (t) => {
  const tenant = await box.openTenant();
  await flood(tenant, 199);
  const announced = async () => (await payloadsOf(tenant, { type: 'contact.received' })).length;
  t.match(await send(tenant, { email: 'bob@example.com', message: 'The last in time' }), { status: 202 });
  t.equal(await announced(), 1);
  for (const name of ['eve', 'kim']) t.match(await send(tenant, { email: `${name}@example.com` }), { status: 202 });
  t.strictSame(
    (await listOf(tenant, '?limit=2')).map(({ email }: { email: string }) => email),
    ['kim@example.com', 'eve@example.com'],
    'staff see them',
  );
  await announceMessages(tenant.db);
  t.equal(await announced(), 1, 'within the hour');
  await anHourLater(tenant);
  await flood(tenant, 199);
  await announceMessages(tenant.db);
  t.equal(await announced(), 2, 'as far as there is room');
  await announceMessages(tenant.db);
  t.equal(await announced(), 2);
  await anHourLater(tenant);
  await announceMessages(tenant.db);
  await announceMessages(tenant.db);
  t.equal(await announced(), 3, 'once each');
});

t.test('a person gets their messages, and can have them erased', async (t) => {
  const [tenant, other] = [await box.openTenant(), await box.openTenant()];
  await send(tenant);
  await send(tenant, { email: 'bob@example.com' });
  await send(other);
  const person = { memberId: null, emails: ['ada@example.com'] };
  const sections = JSON.stringify(await exportPerson(tenant.db, person));
  t.match(sections, 'In blue?');
  t.match(sections, 'Ada@example.com');
  t.notMatch(sections, 'bob@example.com');
  await tenant.db.transaction((tx) => erasePerson(tx, person));
  const left = (await listOf(tenant)).map(({ email }: { email: string }) => email);
  t.strictSame(left, ['bob@example.com']);
  t.equal((await listOf(other)).length, 1, 'of another store');
  t.notMatch(JSON.stringify(await exportPerson(tenant.db, person)), 'In blue?');
});

t.test('messages are deleted after a year', async (t) => {
  const tenant = await box.openTenant();
  await send(tenant, { name: 'Old' });
  await box.owner.query("update contact_messages set created_at = now() - interval '366 days' where tenant_id = $1", [
    tenant.id,
  ]);
  await send(tenant, { name: 'New' });
  await deleteOldMessages(tenant.db);
  t.strictSame(
    (await listOf(tenant)).map(({ name }: { name: string }) => name),
    ['New'],
  );
});
