/**
 * A box in production with rows that the schemas of responses refuse, as a faulty release may leave them: lists and
 * exports work, and operators learn of it.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import { pino } from 'pino';
import t from 'tap';

const lines: string[] = [];
const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
const box = await createTestBox(t, { strictResponses: false, log });
const { staff, owner } = box;
const { variantId } = await createForSale(box, 1000);
const member = await createMember(box);
const address = 'Ada\nA 1\nBerlin';

async function order(): Promise<string> {
  await bodyOf(member.post('/cart/items', { variantId, quantity: 1 }));
  return (await bodyOf(member.post('/checkout', { customer: { email: member.email, address } }))).id;
}

const orders: string[] = [];
for (let count = 1; count <= 5; count++) orders.unshift(await order());
const [newest, , harmed] = orders as [string, string, string];

interface Page {
  items: { id: string; customer: { address: unknown } }[];
  nextCursor: string | null;
}

/** What the metric says of an operation, by outcome. */
async function refusedIn(operation: string): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${box.secrets.metrics}` };
  const { body } = await box.visitor().get('/metrics', { headers });
  const samples = String(body).matchAll(
    /^carton_response_values_refused_total\{operation="(\w+)",outcome="(\w+)"\} (\d+)$/gm,
  );
  const own = [...samples].filter(([, name]) => name === operation);
  return Object.fromEntries(own.map(([, , outcome, count]) => [outcome as string, Number(count)]));
}

t.test('an order whose address cannot be read has none, in lists and by itself', async (t) => {
  await owner.query(`update order_addresses set address = '{}' where order_id = $1`, [harmed]);
  const found: [string, unknown][] = [];
  let path: string | null = '/admin/orders?limit=2';
  while (path !== null) {
    const { items, nextCursor }: Page = await bodyOf(staff.get(path));
    for (const { id, customer } of items) found.push([id, customer.address]);
    path = nextCursor && `/admin/orders?limit=2&cursor=${nextCursor}`;
  }
  t.strictSame(
    found,
    orders.map((id) => [id, id === harmed ? null : address]),
  );
  t.match(await staff.get(`/admin/orders/${harmed}`), { status: 200, body: { customer: { address: null } } });
  t.match(await member.get('/member/orders'), { status: 200, body: { items: { length: 5 } } });
  t.equal((await member.get('/member/data-export')).body.orders.data.length, 5);
  t.strictSame(await refusedIn('listAdminOrders'), { null: 1 });
  t.strictSame(await refusedIn('readAdminOrder'), { null: 1 });
  const logged = lines.map((line) => JSON.parse(line));
  t.match(
    logged,
    exactly([
      { operationId: 'listAdminOrders' },
      { operationId: 'readAdminOrder' },
      { operationId: 'listMemberOrders' },
    ]),
  );
  t.match(logged[1], {
    route: '/admin/orders/:id',
    refused: exactly([{ pointer: '/customer/address', outcome: 'null' }]),
  });
});

t.test('a change of it succeeds, also with the tag of what was read', async (t) => {
  const { headers } = await staff.get(`/admin/orders/${harmed}`);
  const options = { headers: { 'if-match': headers.get('etag') as string }, body: { tags: ['seen'] } };
  t.match(await staff.call('PATCH', `/admin/orders/${harmed}`, options), {
    status: 200,
    body: { tags: exactly(['seen']) },
  });
  t.match(await staff.call('PATCH', `/admin/orders/${harmed}`, options), { status: 412 });
});

t.test('a row without what it must have is left out of lists, and its own read fails', async (t) => {
  const parcels: string[] = [];
  for (const id of [newest, harmed]) {
    parcels.push((await bodyOf(staff.post(`/admin/orders/${id}/fulfillments`, {}))).id);
  }
  await owner.query(`update fulfillments set tracking = '{"carrier": "DHL"}' where id = $1`, [parcels[0]]);
  t.match(await staff.get('/admin/fulfillments'), { status: 200, body: { items: exactly([{ id: parcels[1] }]) } });
  t.match(await staff.get(`/admin/fulfillments/${parcels[0]}`), { status: 500, body: { code: 'internal_error' } });
  t.match(await staff.get(`/admin/fulfillments/${parcels[1]}`), { status: 200 });
  t.strictSame(await refusedIn('listFulfillments'), { row_omitted: 1 });
  t.strictSame(await refusedIn('readFulfillment'), { failed: 1 });
  t.match(JSON.parse(lines.find((line) => line.includes('"readFulfillment"')) as string), {
    refused: exactly([{ pointer: '/tracking', outcome: 'failed' }]),
  });
});

t.test('what shoppers see of others is not affected', async (t) => {
  const { productId } = await createForSale(box, 500, { product: { title: 'Second' } });
  await owner.query(`update products set attributes = '[{"name": 1, "value": "Linen"}]' where id = $1`, [productId]);
  const { status, body } = await box.visitor().get('/products');
  t.equal(status, 200);
  t.strictSame(
    body.items.map(({ id }: { id: string }) => id === productId),
    [false],
  );
  t.equal((await (await shopperWith(box, [variantId, 1])).get('/cart')).status, 200);
});
