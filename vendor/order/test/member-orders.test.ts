/**
 * Members list, read and cancel their own orders only.
 */
import { createMember } from '@carton/member/testing';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, place, placeStocked } from '../testing/index.ts';

const box = await openBox(t, ['@carton/member']);

t.test('members see their own orders, complete', async (t) => {
  const [member, other] = [await createMember(box), await createMember(box)];
  const customer = { email: 'ada@example.com', name: 'Ada Lovelace', phone: '+33 1 23 45 67 89' };
  const [first, second] = [
    await place(box, { memberId: member.id, customer }),
    await place(box, { memberId: member.id }),
  ];
  const [foreign, guests] = [await place(box, { memberId: other.id }), await place(box)];
  const list = await member.get('/member/orders');
  t.strictSame(
    list.body.items.map(({ id }: { id: string }) => id),
    [second.id, first.id],
  );
  const { body } = await member.get(`/member/orders/${first.id}`);
  t.match(body, { id: first.id, customer });
  for (const field of ['metadata', 'tags', 'memberId', 'sessionHash', 'attribution']) t.notOk(field in body, field);
  for (const { id } of [foreign, guests]) {
    t.match(await member.get(`/member/orders/${id}`), { status: 404, body: { code: 'not_found' } });
    t.equal((await member.post(`/member/orders/${id}/cancel`)).status, 404);
    t.match((await box.staff.get(`/admin/orders/${id}`)).body, { status: 'placed' });
  }
  const page = (await member.get('/member/orders?limit=1')).body;
  const rest = (await member.get(`/member/orders?limit=1&cursor=${page.nextCursor}`)).body;
  t.match(rest, { items: exactly([{ id: first.id }]), nextCursor: null });
  t.equal((await box.visitor().get('/member/orders')).status, 401);
  const elsewhere = await box.openTenant();
  t.equal(
    (
      await elsewhere
        .visitor()
        .get('/member/orders', { headers: { authorization: member.headers.authorization ?? '' } })
    ).status,
    401,
  );
});

t.test('members cancel an order until its fulfillment starts, and the timeline tells who did', async (t) => {
  const member = await createMember(box);
  const { order, onHand } = await placeStocked(box, 5, 2);
  await box.db.query('update orders set member_id = $2 where tenant_id = $1 and id = $3', [member.id, order.id]);
  const path = `/member/orders/${order.id}/cancel`;
  const canceled = await member.post(path, { reason: 'Ordered twice' });
  t.match(canceled, { status: 200, body: { id: order.id, status: 'canceled' } });
  t.equal(await onHand(), 7, 'restocked');
  t.match(await member.post(path), { status: 409, body: { code: 'order_already_canceled' } });
  const { items } = (await box.staff.get(`/admin/orders/${order.id}/timeline`)).body;
  t.match(items[0], {
    type: 'canceled',
    message: 'Canceled: Ordered twice',
    actor: { type: 'shopper', id: member.id },
  });
  const shipped = await place(box, { memberId: member.id });
  await box.db.query("update orders set fulfillment_status = 'partially_fulfilled' where tenant_id = $1 and id = $2", [
    shipped.id,
  ]);
  t.match(await member.post(`/member/orders/${shipped.id}/cancel`), {
    status: 409,
    body: { code: 'order_fulfillment_started' },
  });
});
