/**
 * Tracking numbers and their links, the parcels of members, mails, the packing list and the picking queue.
 */
import { createMember } from '@carton/member/testing';
import { newId } from '@carton/runtime';
import { createTestBox, eventsOf, exactly, faultsOfPhrases } from '@carton/runtime/testing';
import t from 'tap';
import { deliveredMail, shippedMail } from '../mails.ts';
import { packingPhrases } from '../packing-list/phrases.ts';
import { carriers, isTrackingLink, trackingUrl } from '../tracking/carriers.ts';
import { act, pack, placeTaken, unitsOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const dhl = 'https://www.dhl.com/global-en/home/tracking.html?tracking-id=';

t.test('the links of well-known carriers have the number, and only https', (t) => {
  for (const { code, name } of carriers) {
    const url = trackingUrl(name, 'AB 12&x') as string;
    t.match(url, /AB12%26x/, name);
    t.ok(isTrackingLink(url), name);
    t.equal(trackingUrl(code.toUpperCase(), 'AB 12&x'), url, code);
  }
  t.equal(trackingUrl('royal mail', '1'), trackingUrl('RoyalMail', '1'));
  t.equal(trackingUrl('Bike courier', '1'), null);
  for (const url of ['http://x.example', 'javascript:alert(1)', 'https://a:b@x.example', 'https://a@x.example', 'x']) {
    t.notOk(isTrackingLink(url), url);
  }
  t.end();
});

t.test('staff set tracking numbers, with links of their own', async (t) => {
  const { order } = await placeTaken(box, [1]);
  const { id } = (await pack(box, order.id, undefined, { tracking: [{ carrier: 'dhl', number: ' 0034 04 ' }] })).body;
  const path = `/admin/fulfillments/${id}`;
  const first = (await box.staff.get(path)).body;
  t.strictSame(first.tracking, [{ carrier: 'DHL', number: '0034 04', url: `${dhl}003404` }]);
  const url = 'https://courier.example/t/1';
  const tracking = [
    { carrier: 'Bike courier', number: '1' },
    { carrier: 'UPS', number: '1Z', url },
  ];
  const changed = await box.staff.patch(path, { tracking, externalId: 'wms-1', metadata: { shelf: 'A' } });
  t.match(changed, { status: 200, body: { externalId: 'wms-1', metadata: { shelf: 'A' } } });
  t.strictSame(changed.body.tracking, [
    { ...tracking[0], url: null },
    { ...tracking[1], url },
  ]);
  for (const wrong of ['http://courier.example', 'javascript:alert(1)', 'https://a:b@courier.example', 'https://']) {
    const answer = await box.staff.patch(path, { tracking: [{ carrier: 'UPS', number: '1Z', url: wrong }] });
    t.match(answer, { status: 400, body: { errors: exactly([{ pointer: '/tracking/0/url' }]) } }, wrong);
  }
  const shipped = await act(box, 'ship', id, { tracking: [{ carrier: 'UPS', number: '1Z' }] });
  t.match(shipped.body.tracking, exactly([{ url: 'https://www.ups.com/track?tracknum=1Z' }]));
  const { items } = (await box.staff.get(`/admin/orders/${order.id}/timeline`)).body;
  t.match(items[0], {
    type: 'fulfillment.shipped',
    label: 'Shipped',
    message: `Parcel 1 shipped: 1 × ${order.items[0]?.title}. UPS 1Z`,
    actor: { type: 'staff' },
  });
});

t.test('members see the parcels of their own orders, without canceled ones', async (t) => {
  const [member, other] = [await createMember(box), await createMember(box)];
  const { order, lineIds } = await placeTaken(box, [3], { memberId: member.id });
  const parcels = [];
  for (let count = 0; count < 3; count++) {
    parcels.push((await pack(box, order.id, [unitsOf(lineIds[0], 1)])).body.id);
  }
  await act(box, 'cancel', parcels[0]);
  await act(box, 'ship', parcels[1], { tracking: [{ carrier: 'DHL', number: '1' }] });
  const path = `/member/orders/${order.id}/fulfillments`;
  const { status, body } = await member.get(path);
  t.equal(status, 200);
  t.match(
    body.items,
    exactly([
      {
        id: parcels[1],
        number: 2,
        status: 'shipped',
        tracking: exactly([{ url: `${dhl}1` }]),
        items: [{ quantity: 1 }],
      },
      { id: parcels[2], number: 3, status: 'pending', shippedAt: null },
    ]),
  );
  for (const field of ['metadata', 'externalId', 'restocked']) t.notOk(field in body.items[0], field);
  t.equal((await other.get(path)).status, 404);
  t.equal((await box.visitor().get(path)).status, 401);
  t.equal((await member.get(`/member/orders/${newId()}/fulfillments`)).status, 404);
});

t.test('a member cannot cancel an order that is being packed; staff can', async (t) => {
  const member = await createMember(box);
  const { order, onHand } = await placeTaken(box, [1], { memberId: member.id, spare: 0 });
  const { id } = (await pack(box, order.id)).body;
  const refused = await member.post(`/member/orders/${order.id}/cancel`);
  t.match(refused, { status: 409, body: { code: 'order_fulfillment_started', detail: 'The order is being packed.' } });
  t.strictSame(await onHand(), [0]);
  t.match((await box.staff.get(`/admin/fulfillments/${id}`)).body, { status: 'pending' });
  await act(box, 'cancel', id, { restock: false });
  t.match(await member.post(`/member/orders/${order.id}/cancel`), { status: 200 });
  t.strictSame(await onHand(), [1]);
});

t.test('the mails have the items and the links, and are about the order', async (t) => {
  const customer = { email: 'ada@example.com', name: 'Ada' };
  const { order } = await placeTaken(box, [2], { customer });
  const { id } = (await pack(box, order.id, undefined, { tracking: [{ carrier: 'DHL', number: '1' }] })).body;
  await act(box, 'ship', id);
  await act(box, 'deliver', id);
  const events = await eventsOf(box, id);
  for (const mail of [shippedMail, deliveredMail]) {
    const sent = events.find(({ type }) => type === mail.event?.type) as (typeof events)[number];
    t.strictSame(mail.about?.(sent), { type: 'order', id: order.id });
    t.match(await mail.compose?.(box.db, sent), {
      to: 'ada@example.com',
      data: {
        order: { number: order.number },
        fulfillment: {
          items: exactly([{ title: order.items[0]?.title, quantity: 2 }]),
          isPickup: false,
          tracking: exactly([{ carrier: 'DHL', number: '1', url: `${dhl}1` }]),
        },
      },
    });
    const preview = await box.staff.post(`/admin/notification-templates/${mail.key}/preview`, {});
    t.match(preview, {
      status: 200,
      body: { html: /<a href="https:\/\/www\.dhl\.com[^"]+"><bdi>00340434292135100186<\/bdi><\/a>/ },
    });
    t.match(preview.body.text, /tracking-id=00340434292135100186/);
  }
});

t.test('a parcel has the shipping option of its goods; the queue is filtered', async (t) => {
  const tenant = await box.openTenant();
  const { order, lineIds } = await placeTaken(tenant, [5]);
  const [standard, bulky] = [newId(), newId()];
  const method = { orderId: order.id, type: 'flat', amount: 490 };
  await tenant.db.insertMany('order_shipping_methods', [
    { ...method, profile: '', optionId: standard, code: 'standard', name: 'Standard' },
    { ...method, profile: 'bulky', optionId: bulky, code: 'freight', name: 'Freight' },
  ]);
  const ids: string[] = [];
  for (const shippingProfile of [undefined, null, 'bulky']) {
    const { body } = await pack(tenant, order.id, [unitsOf(lineIds[0], 1)], { shippingProfile });
    ids.push(body.id);
  }
  const [, plain, freight] = ids as [string, string, string];
  await act(tenant, 'ship', plain);
  const middle = (await tenant.staff.get(`/admin/fulfillments/${plain}`)).body.createdAt;
  t.match((await tenant.staff.get(`/admin/fulfillments/${freight}`)).body.shippingMethod, {
    optionId: bulky,
    profile: 'bulky',
    name: 'Freight',
    type: 'flat',
  });
  const listed = async (query: string) =>
    (await tenant.staff.get(`/admin/fulfillments${query}`)).body.items.map(({ id }: { id: string }) => ids.indexOf(id));
  for (const [query, expected] of [
    ['', [2, 1, 0]],
    ['?status=pending', [2, 0]],
    [`?orderId=${order.id}&status=shipped`, [1]],
    [`?orderId=${newId()}`, []],
    [`?shippingOptionId=${standard}`, [1]],
    ['?shippingProfile=bulky', [2]],
    [`?createdFrom=${middle}`, [2, 1]],
    [`?createdTo=${middle}`, [0]],
    [`?createdTo=${middle}&status=shipped`, []],
    ['?createdFrom=2999-01-01T00:00:00Z', []],
  ] as const) {
    t.strictSame(await listed(query), expected, query);
  }
  t.equal((await tenant.staff.get('/admin/fulfillments?status=lost')).status, 400);
  const changes = `?updatedAfter=${middle}`;
  t.equal((await tenant.staff.get(`/admin/fulfillments${changes}&createdFrom=${middle}`)).status, 400);
  t.match((await box.staff.get(`/admin/fulfillments/${freight}`)).status, 404, 'another tenant');
});

t.test('the packing list escapes what shoppers write and has no prices', async (t) => {
  const customer = {
    ...{ email: 'ada@example.com', name: 'Ada <b>', phone: '+33 1' },
    address: { name: 'Ada Lovelace', line1: '1 <script>', postalCode: '75001', city: 'Paris', country: 'FR' },
  };
  const { order, lineIds } = await placeTaken(box, [7], { customer, notes: 'Ring & wait' });
  await box.db.query(`update order_line_items set properties = $3 where tenant_id = $1 and order_id = $2`, [
    order.id,
    JSON.stringify({ engraving: '<i>', wrapped: true }),
  ]);
  const tracking = [{ carrier: 'DHL', number: '42' }];
  const { id } = (await pack(box, order.id, [unitsOf(lineIds[0], 3)], { tracking })).body;
  const page = await box.staff.get(`/admin/fulfillments/${id}/packing-list`);
  t.equal(page.status, 200);
  t.match(page.headers.get('content-type'), /^text\/html/);
  const text = String(page.body);
  for (const shown of [
    order.number,
    'SKU-0',
    'Ada &lt;b&gt;',
    '1 &lt;script&gt;',
    '75001 PARIS',
    'France',
    'DHL 42',
    'Ring &amp; wait',
    '&lt;i&gt;',
    'wrapped',
    '<td class="number">3</td>',
  ]) {
    t.ok(text.includes(shown), shown);
  }
  t.notMatch(text, /EUR|€|<script|<i>/);
  t.equal((await box.visitor().get(`/admin/fulfillments/${id}/packing-list`)).status, 401);
  t.strictSame(faultsOfPhrases(packingPhrases), []);
  await box.staff.patch('/admin/store', { defaultLocale: 'ja' });
  const japanese = await box.staff.get(`/admin/fulfillments/${id}/packing-list`);
  t.match(japanese.body, /<html lang="ja" dir="ltr">(.|\n)*<h1>梱包明細書<\/h1>/);
  await box.staff.patch('/admin/store', { defaultLocale: 'en' });
});

t.test('the migration removes tracking numbers from the timelines of erased persons only', async (t) => {
  const messages = async (orderId: string) =>
    (await box.staff.get(`/admin/orders/${orderId}/timeline`)).body.items.map(
      ({ type, message }: Record<string, string>) => [type, message],
    );
  const orders = [];
  for (let count = 0; count < 2; count++) {
    const { order } = await placeTaken(box, [1]);
    const { id } = (await pack(box, order.id)).body;
    await act(box, 'ship', id, { tracking: [{ carrier: 'UPS', number: '1Z' }] });
    orders.push(order.id);
  }
  const [erased, other] = orders as [string, string];
  const [before, othersBefore] = [await messages(erased), await messages(other)];
  await box.owner.query(`update orders set email = 'erased@erased.invalid' where id = $1`, [erased]);
  const { up } = await import(
    new URL('../migrations/20261126010100_fulfillment_erase_tracking.js', import.meta.url).href
  );
  await up({ raw: (sql: string) => box.owner.query(sql) });
  const [shipped, ...earlier] = await messages(erased);
  t.strictSame(shipped, ['fulfillment.shipped', 'Shipped']);
  t.strictSame(earlier, before.slice(1));
  t.strictSame(await messages(other), othersBefore);
});
