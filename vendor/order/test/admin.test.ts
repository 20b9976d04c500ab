import { changePaymentState, createOrder, lockOrder, type OrderState } from '@carton/order';
import { newId } from '@carton/runtime';
import { eventTypesOf, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { draftOf, openBox, place, timelineOf } from '../testing/index.ts';

const box = await openBox(t, ['@carton/audit']);
const paid = {
  paymentStatus: 'paid',
  paidAmount: 2550,
  refundedAmount: 0,
  disputedAmount: 0,
  excessRefundedAmount: 0,
} as const;

const pay = (tenant: TestTenant, id: string, note: string) =>
  tenant.db.transaction(async (tx) => changePaymentState(tx, (await lockOrder(tx, id)) as OrderState, paid, note));

t.test('orders are listed newest first, with pages and filters', async (t) => {
  const tenant = await box.openTenant();
  const orders = [];
  for (const email of ['ada@example.com', 'BOB@example.com', 'ada@example.com', 'eve@example.com']) {
    orders.push(await place(tenant, { customer: { email } }));
  }
  const [first, second, third, fourth] = orders.map(({ id }) => id) as [string, string, string, string];
  await tenant.db.query("update orders set fulfillment_status = 'fulfilled' where tenant_id = $1 and id = $2", [
    second,
  ]);
  await pay(tenant, third, 'Paid');
  await tenant.staff.post(`/admin/orders/${first}/cancel`);
  await tenant.staff.post(`/admin/orders/${fourth}/archive`);

  const cases: [string, string[]][] = [
    ['', [fourth, third, second, first]],
    ['?status=canceled', [first]],
    ['?status=placed', [fourth, third, second]],
    ['?paymentStatus=paid', [third]],
    ['?fulfillmentStatus=fulfilled', [second]],
    ['?status=placed&paymentStatus=unpaid&fulfillmentStatus=unfulfilled', [fourth]],
    [`?number=${orders[1]?.number}`, [second]],
    ['?email=Ada@Example.com', [third, first]],
    ['?email=bob@example.com', [second]],
    ['?email=ada', []],
    ['?archived=true', [fourth]],
    ['?archived=false', [third, second, first]],
  ];
  for (const [query, expected] of cases) {
    const { status, body } = await tenant.staff.get(`/admin/orders${query}`);
    const ids = body.items?.map(({ id }: { id: string }) => id);
    t.strictSame([status, ids], [200, expected], query);
  }
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await tenant.staff.get(`/admin/orders?limit=3${cursor}`);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor && `&cursor=${body.nextCursor}`;
  } while (cursor);
  t.strictSame(seen, [fourth, third, second, first]);
  for (const query of ['status=open', 'payment_status=paid', 'number=', 'archived=maybe', 'cursor=x']) {
    t.match(
      await tenant.staff.get(`/admin/orders?${query}`),
      { status: 400, body: { code: 'invalid_request' } },
      query,
    );
  }
});

t.test('e-mail, addresses and metadata change; null removes a value', async (t) => {
  const { id } = await place(box, { customer: { email: 'old@example.com', name: 'Old', billing: 'Old street' } });
  const path = `/admin/orders/${id}`;
  const first = await box.staff.patch(path, {
    customer: { email: 'new@example.com', address: { city: 'Lyon', note: null }, billing: { city: 'Paris' } },
    metadata: { gift: true },
  });
  t.match(first, {
    status: 200,
    body: {
      customer: {
        email: 'new@example.com',
        name: 'Old',
        address: { city: 'Lyon', note: null },
        billing: { city: 'Paris' },
      },
      metadata: { gift: true },
    },
  });
  const second = await box.staff.patch(path, {
    customer: { name: null, phone: '1', address: 'Text', billing: null },
    metadata: {},
  });
  t.strictSame(second.body.customer, {
    email: 'new@example.com',
    name: null,
    phone: '1',
    address: 'Text',
    billing: null,
    taxNumber: null,
  });
  t.strictSame(second.body.metadata, {});
  t.strictSame((await box.staff.get(path)).body, second.body);
  t.strictSame(await timelineOf(box, id), [
    'Changed: name, phone, address, billing, metadata',
    'Changed: email, address, billing, metadata',
    'Order placed',
  ]);
  t.strictSame(await eventTypesOf(box, id), ['order.placed', 'order.updated', 'order.updated']);
  const log = await box.staff.get(`/admin/audit-log?resource=order&resourceId=${id}`);
  t.match(log.body.items[1], { before: { email: 'old@example.com' }, after: { email: 'new@example.com' } });
});

t.test('invalid changes are rejected', async (t) => {
  const { id } = await place(box);
  const path = `/admin/orders/${id}`;
  const bodies: unknown[] = [
    {},
    { customer: {} },
    { customer: { email: null } },
    { customer: { email: 'nobody' } },
    { customer: { address: {} } },
    { customer: { address: { city: 7 } } },
    { customer: { address: { city: ['Lyon'] } } },
    { customer: { address: 'a'.repeat(1001) } },
    { customer: { address: 'nul \u0000' } },
    { metadata: null },
    { status: 'canceled' },
    { totals: {} },
  ];
  for (const body of bodies) t.match(await box.staff.patch(path, body), { status: 400 }, JSON.stringify(body));
  t.strictSame(await timelineOf(box, id), ['Order placed'], 'nothing was changed');
  const both = await Promise.all(
    ['One', 'Two'].map((address) => box.staff.patch(path, { customer: { address, billing: address } })),
  );
  t.strictSame(
    both.map(({ status }) => status),
    [200, 200],
    'concurrent changes that set the first address',
  );
  const { address, billing } = (await box.staff.get(path)).body.customer;
  t.equal(address, billing);
});

t.test('an order is archived once', async (t) => {
  const { id } = await place(box);
  const path = `/admin/orders/${id}/archive`;
  const both = await Promise.all([box.staff.post(path), box.staff.post(path)]);
  t.strictSame(
    both.map(({ status }) => status),
    [200, 200],
  );
  t.ok(both[0]?.body.archivedAt);
  t.strictSame(both[0]?.body, both[1]?.body);
  t.strictSame(await eventTypesOf(box, id), ['order.placed', 'order.updated']);
});

t.test('an order is unarchived once, and can be archived again', async (t) => {
  const { id } = await place(box);
  const path = `/admin/orders/${id}`;
  t.match(await box.staff.post(`${path}/unarchive`), { status: 200, body: { archivedAt: null } });
  t.strictSame(await timelineOf(box, id), ['Order placed'], 'an order that is not archived is unaffected');
  await box.staff.post(`${path}/archive`);
  const both = await Promise.all([box.staff.post(`${path}/unarchive`), box.staff.post(`${path}/unarchive`)]);
  t.match(both, exactly([{ status: 200, body: { archivedAt: null } }, { status: 200 }]));
  t.strictSame(both[0]?.body, both[1]?.body);
  t.strictSame(await timelineOf(box, id), ['Unarchived', 'Archived', 'Order placed']);
  t.strictSame(await eventTypesOf(box, id), ['order.placed', 'order.updated', 'order.updated']);
  t.match((await box.staff.get(`${path}/timeline`)).body.items[0], { type: 'unarchived', label: 'Unarchived' });
  t.ok((await box.staff.post(`${path}/archive`)).body.archivedAt);
  t.match(await box.staff.post(`/admin/orders/${newId()}/unarchive`), { status: 404, body: { code: 'not_found' } });
});

t.test('the timeline shows actors, with pages', async (t) => {
  const { id } = await place(box);
  const me = (await box.staff.get('/admin/me')).body;
  const note = await box.staff.post(`/admin/orders/${id}/notes`, { note: 'Called' });
  t.match(note, {
    status: 201,
    body: { type: 'note', message: 'Called', actor: { type: 'staff', id: me.id, label: box.email } },
  });
  await box.db.transaction(async (tx) => {
    const order = (await lockOrder(tx, id)) as OrderState;
    t.match(order, { id, status: 'placed', paymentStatus: 'unpaid', totalAmount: 2550 });
    await changePaymentState(tx, order, paid, 'Paid 25.50 EUR');
  });
  t.match(await box.staff.get(`/admin/orders/${id}`), { body: { paymentStatus: 'paid' } });
  const path = `/admin/orders/${id}/timeline`;
  const page = await box.staff.get(`${path}?limit=2`);
  const rest = await box.staff.get(`${path}?cursor=${page.body.nextCursor}`);
  t.match(
    [...page.body.items, ...rest.body.items],
    exactly([
      { type: 'payment', message: 'Paid 25.50 EUR', actor: { type: 'system', id: null } },
      { type: 'note', message: 'Called' },
      { type: 'placed', actor: { type: 'shopper' } },
    ]),
  );
  t.equal(rest.body.nextCursor, null);
  for (const body of [{}, { note: '' }, { note: 'a'.repeat(5001) }, { note: 'x', by: 'me' }]) {
    t.match(await box.staff.post(`/admin/orders/${id}/notes`, body), { status: 400 });
  }
  const stale = { id, status: 'placed', paymentStatus: 'unpaid', fulfillmentStatus: 'unfulfilled' } as const;
  await t.rejects(
    box.db.transaction((tx) => changePaymentState(tx, stale, paid, 'Paid')),
    /is not as it was locked/,
  );
  t.equal(await box.db.transaction((tx) => lockOrder(tx, newId())), null);
});

t.test('an order placed by staff has them as actor in its timeline', async (t) => {
  const actor = { type: 'staff' as const, id: newId(), label: 'ada@shop.example' };
  const order = await box.db
    .as(actor)
    .transaction((tx) => createOrder(tx, draftOf({ sessionHash: null, cartId: null })));
  const { body } = await box.staff.get(`/admin/orders/${order.id}/timeline`);
  t.strictSame(body.items[0].actor, actor);
});
