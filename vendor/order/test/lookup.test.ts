/**
 * Orders by a link in a mail: a visitor who knows a number and an address learns nothing, the reader of the mail all.
 */
import { forgetAttempts } from '@carton/auth/testing';
import { erasePerson } from '@carton/runtime';
import { eventsOf, type TestTenant } from '@carton/runtime/testing';
import { StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { orderLinkMail } from '../links/mails.ts';
import { deleteExpiredLinks } from '../links/service.ts';
import { isPlacedBy } from '../owners/masking.ts';
import { readOrder } from '../service.ts';
import { openBox, place } from '../testing/index.ts';

const box = await openBox(t);
const recorder = new StatementRecorder(box.box.database);
const email = 'ada@example.com';
const address = { line1: '1 Main Street', city: 'Paris' };

interface LinkMail {
  to: string;
  data: { token: string };
}

/** The mail that the latest request causes, as the package that sends mails would compose it now; null for none. */
async function latestMail(tenant: Pick<TestTenant, 'db'> = box) {
  const event = (await eventsOf(tenant, { type: 'order.lookup_requested' })).at(-1);
  return ((event && (await orderLinkMail.compose?.(tenant.db, event))) ?? null) as LinkMail | null;
}

async function request(number: string, to = email): Promise<void> {
  await forgetAttempts(box);
  const { status, body } = await box.visitor().post('/orders/lookup', { number, email: to });
  t.strictSame([status, body || null], [202, null]);
}

const open = (token: string | undefined, tenant: TestTenant = box) =>
  tenant.visitor().post('/orders/lookup/open', { token });

async function linkTo(number: string, to = email): Promise<string> {
  await request(number, to);
  return (await latestMail())?.data.token as string;
}

t.test('the link opens the order unmasked', async (t) => {
  const order = await place(box, { customer: { email: 'Ada@Example.com', name: 'Ada Lovelace', address } });
  for (const [number, to] of [
    [order.number, email],
    [` #${order.number} `, 'ADA@example.com'],
    [order.number.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))), email],
  ] as const) {
    await request(number, to);
    const mail = await latestMail();
    t.match(mail, { to: 'Ada@Example.com', data: { link: null, order: { number: order.number } } });
    const { status, body } = await open(mail?.data.token);
    t.equal(status, 200);
    t.match(body, { id: order.id, customer: { email: 'Ada@Example.com', name: 'Ada Lovelace', address } });
    t.notOk('attribution' in body || 'memberId' in body, 'as shoppers see it');
    t.equal((await open(mail?.data.token)).status, 200, 'until it expires');
  }
});

t.test('a number is found without regard to case, also by staff', async (t) => {
  const number = 'Ord-1004';
  const order = await place(box, { number, customer: { email, name: 'Ada Lovelace', address } });
  const written = [number, number.toLowerCase(), ` #${number.toUpperCase()}`, number.replace('Ord-', 'ｏｒｄ－')];
  for (const each of written) {
    await request(each);
    t.match(await latestMail(), { data: { order: { number } } }, each);
  }
  await request(number.toLowerCase(), 'eve@example.com');
  t.equal(await latestMail(), null, 'for its own address only');
  for (const each of [number, number.toLowerCase(), `${number.toUpperCase()} `, `#${number}`, `＃${number}`]) {
    const { body } = await box.staff.get(`/admin/orders?number=${encodeURIComponent(each)}`);
    t.strictSame(
      body.items.map(({ id }: { id: string }) => id),
      [order.id],
      each,
    );
  }
  await place(box, { number: 'ORD-1004', customer: { email: 'eve@example.com', name: null, address: null } });
  await request('ord-1004');
  t.match(await latestMail(), { data: { order: { number } } }, 'of two such orders, that of the address');
});

t.test('the response and the work tell nothing of orders', async (t) => {
  const { number } = await place(box);
  const observe = async (body: object) => {
    await forgetAttempts(box);
    let answer: unknown;
    const sent = await recorder.record(async () => {
      const { status, body: received, headers } = await box.visitor().post('/orders/lookup', body);
      answer = [status, received, [...headers.keys()].sort()];
    });
    const isOfRequest = (text: string) => /auth_attempts|orders|order_links|insert into event_outbox/.test(text);
    return { answer, statements: sent.map(({ text }) => text).filter(isOfRequest) };
  };
  const unknown = await observe({ number: 'unknown', email: 'eve@example.com' });
  t.equal(await latestMail(), null);
  t.ok(unknown.statements.length > 2);
  t.notOk(
    unknown.statements.some((text) => /\borders\b/.test(text)),
    'orders are not even read',
  );
  t.strictSame(await observe({ number, email: 'eve@example.com' }), unknown, "another person's order");
  t.equal(await latestMail(), null);
  t.strictSame(await observe({ number: 'unknown', email }), unknown, 'an address with another order');
  t.equal(await latestMail(), null);
  t.strictSame(await observe({ number, email }), unknown, 'an order');
  t.match(await latestMail(), { to: email });
});

t.test('each sending has a token of its own, of which only the hash is stored', async (t) => {
  const { number } = await place(box);
  await request(number);
  const [one, two] = [await latestMail(), await latestMail()];
  t.not(one?.data.token, two?.data.token);
  for (const mail of [one, two]) t.equal((await open(mail?.data.token)).status, 200);
  const stored = JSON.stringify(await box.db.query('select * from order_links where tenant_id = $1'));
  const events = JSON.stringify(await eventsOf(box));
  t.notOk(stored.includes(one?.data.token as string) || events.includes(one?.data.token as string));
  t.match(one?.data.token, /^ord_[\w-]{43}$/);
});

t.test('an unknown or expired link, and one of another store, opens nothing', async (t) => {
  const { number } = await place(box);
  const token = await linkTo(number);
  const unknown = { status: 404, body: { code: 'order_link_unknown' } };
  t.match(await open(`${token.slice(0, -2)}xx`), unknown);
  t.match(await open(token, await box.openTenant()), unknown);
  t.equal((await open(token)).status, 200);
  await box.db.query("update order_links set expires_at = now() - interval '1 second' where tenant_id = $1");
  t.match(await open(token), unknown);
  t.equal(await latestMail(), null, 'an expired request sends no mail');
  await deleteExpiredLinks(box.db);
  t.strictSame(await box.db.query('select id from order_links where tenant_id = $1'), []);
});

t.test('a link to the former address of an order opens nothing', async (t) => {
  const { id, number } = await place(box);
  const token = await linkTo(number);
  await box.staff.patch(`/admin/orders/${id}`, { customer: { email: 'bob@example.com' } });
  t.match(await open(token), { status: 404, body: { code: 'order_link_unknown' } });
  t.equal(await latestMail(), null, 'nor is another sent there');
  t.equal((await open(await linkTo(number, 'bob@example.com'))).status, 200);
});

t.test('requests for an address and guesses of tokens are throttled', async (t) => {
  await forgetAttempts(box);
  const statuses = [];
  for (let n = 0; n < 4; n++) {
    statuses.push((await box.visitor().post('/orders/lookup', { number: `${n}`, email })).status);
  }
  t.strictSame(statuses, [202, 202, 202, 429]);
  await forgetAttempts(box);
  const guesses = [];
  for (let n = 0; n < 11; n++) guesses.push((await open(`ord_${'x'.repeat(42)}${n % 10}`)).status);
  t.strictSame(guesses, [...Array(10).fill(404), 429]);
  const { number } = await place(box);
  t.equal((await open(await linkTo(number))).status, 200, 'a right one at the same address');
  await forgetAttempts(box);
});

t.test('erasure deletes the links of a person, and detaches the order from its session', async (t) => {
  const session = { hash: 'b'.repeat(64), memberId: null };
  const customer = { email: 'grace@example.com' };
  const order = await place(box, { customer, sessionHash: session.hash });
  const { id, number } = order;
  t.ok(isPlacedBy(order, session));
  await box.staff.post(`/admin/orders/${id}/cancel`);
  const token = await linkTo(number, 'grace@example.com');
  await request('unknown', 'grace@example.com');
  await erasePerson(box.db, { memberId: null, emails: ['grace@example.com'] });
  const left = await box.db.query('select id from order_links where tenant_id = $1 and email_key = $2', [
    'grace@example.com',
  ]);
  t.strictSame(left, []);
  t.equal((await open(token)).status, 404);
  t.notOk(isPlacedBy(await readOrder(box.db, id), session));
});
