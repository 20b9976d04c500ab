/**
 * Events that were recorded before their names and payloads had one convention, and that wait while a box is upgraded: each
 * becomes an event of today, and its mail is sent. Types and payloads are as release 0.2.0 wrote them, and as events that
 * came later were written at first.
 */
import { startMailServer } from '@carton/notification/testing';
import { newId, Type } from '@carton/runtime';
import { createTestBox, describeBox, type RecordedEvent, recordEvents, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { eventReader } from '../../runtime/events/recorded.ts';
import { faults } from '../../runtime/http/validation.ts';

const { packages } = await describeBox();
const events = packages.flatMap((loaded) => loaded.events ?? []);
const reader = eventReader(events);

const id = newId();
const at = '2026-11-20T10:00:00.000Z';
const order = {
  ...{ number: '1001', status: 'placed', paymentStatus: 'unpaid', fulfillmentStatus: 'unfulfilled' },
  ...{ currency: 'EUR', totalAmount: 1999, memberId: null },
};
const member = { status: 'active', emailVerifiedAt: at, acceptsMarketing: false, locale: null };
const dispute = {
  ...{ orderId: id, paymentId: id, status: 'open', amount: 1999, currency: 'EUR', respondBy: at },
  reason: 'fraudulent',
};
const rate = {
  ...{ code: 'vat', name: 'VAT', rate: 19, country: 'DE', province: null, postalCode: null },
  ...{ categoryId: null, compound: false, override: false },
};
const category = { handle: 'hats', name: 'Hats', parentId: null, visible: true };
const collection = { handle: 'hats', title: 'Hats', kind: 'manual' };
const promotion = { label: 'Sale', status: 'active', automatic: true, startsAt: null, endsAt: null };
const region = { name: 'Germany', currency: 'EUR', taxInclusive: true, countries: ['DE'] };
const shippingOption = { code: 'dhl', name: 'DHL', zoneId: null, profile: null, type: 'flat' };
const product = { handle: 'hat', title: 'Hat', status: 'published' };
const variant = { productId: id, sku: 'HAT' };
const key = { name: 'Scanner of Ada', kind: 'secret', lastFour: 'a1b2' };
const media = { kind: 'picture', mediaType: 'image/jpeg', fileName: 'ada.jpg', size: 1 };
const tenant = { slug: 'hats', name: 'Hats by Ada' };

type Case = [former: string, payload: object, today: string, without: readonly string[]];

/** A resource of which one event reported all writes. */
const oneEvent = (type: string, payload: object, without: readonly string[]): Case[] => [
  [`${type}.updated`, { ...payload, deleted: false }, `${type}.updated`, ['deleted', ...without]],
  [`${type}.updated`, { ...payload, deleted: true }, `${type}.deleted`, ['deleted', ...without]],
];

const cases: readonly Case[] = [
  ...oneEvent('category', category, ['name']),
  ...oneEvent('collection', collection, ['title']),
  ...oneEvent('member', member, []),
  ...oneEvent('promotion', promotion, ['label']),
  ...oneEvent('region', region, ['name']),
  ...oneEvent('shipping_option', shippingOption, ['name']),
  ...oneEvent('tax_rate', rate, ['name']),
  ...oneEvent('variant', variant, []),
  ['stock.low', { variantId: id, available: 2, lowStockLevel: 5 }, 'stock.ran_low', []],
  ['order.pending', { ...order, status: 'pending' }, 'order.held', []],
  ['order.payment_due', order, 'order.cancellation_announced', []],
  ['staff.login_failed', { factor: 'password', staffUserId: null }, 'staff_log_in.failed', []],
  ['staff.invited', { email: 'ada@shop.example', role: 'manager' }, 'staff.invited', ['email']],
  ['staff.joined', { email: 'ada@shop.example', role: 'manager' }, 'staff.joined', ['email']],
  [
    'staff.email_changed',
    { formerEmail: 'ada@shop.example', email: 'ada@new.example' },
    'staff.email_changed',
    ['email'],
  ],
  [
    'staff.password_reset_requested',
    { requestId: id, email: 'ada@shop.example', expiresAt: at },
    'staff.password_reset_requested',
    ['email'],
  ],
  ['dispute.opened', dispute, 'dispute.opened', ['reason']],
  ['dispute.closed', { ...dispute, status: 'won' }, 'dispute.closed', ['reason']],
  ['product.created', product, 'product.created', ['title']],
  ['product.updated', product, 'product.updated', ['title']],
  ['product.deleted', product, 'product.deleted', ['title']],
  ['api_key.created', key, 'api_key.created', ['name']],
  ['api_key.rotated', key, 'api_key.rotated', ['name']],
  ['api_key.revoked', key, 'api_key.revoked', ['name']],
  ['media.created', media, 'media.created', ['fileName']],
  ['media.deleted', media, 'media.deleted', ['fileName']],
  ['tenant.created', tenant, 'tenant.created', ['name']],
  ['tenant.suspended', tenant, 'tenant.suspended', ['name']],
  ['tenant.deleted', { ...tenant, deletionAt: at }, 'tenant.deleted', ['name']],
  ['page.published', { handle: 'sale', title: 'Sale' }, 'page.published', ['title']],
  ['store.updated', { name: 'Hats by Ada', defaultCurrency: 'EUR', defaultLocale: 'en' }, 'store.updated', ['name']],
];

/** Fields that these events have since. */
const later: Readonly<Record<string, object>> = {
  'region.updated': { shippingTaxInclusive: null },
  'region.deleted': { shippingTaxInclusive: null },
};

t.test('each event whose name or payload has changed is read as the event of today', async (t) => {
  for (const [type, payload, today, without] of cases) {
    const read = reader.read({ type, payload: payload as Record<string, unknown> });
    const rest = Object.entries(payload).filter(([name]) => !without.includes(name));
    t.strictSame(read, { type: today, payload: { ...later[today], ...Object.fromEntries(rest) } }, `${type} ${today}`);
    const declared = events.find((event) => event.type === today);
    t.equal(faults(declared?.payload ?? Type.Never(), read.payload), null, `${today} is valid`);
  }
});

t.test('a field that the release did not have is null', (t) => {
  const { postalCode: _, ...former } = rate;
  const { payload } = reader.read({ type: 'tax_rate.updated', payload: { ...former, deleted: false } });
  t.match(payload, { code: 'vat', postalCode: null });
  const price = { currency: 'EUR', regionId: null, amount: 1999 };
  t.strictSame(reader.read({ type: 'price.updated', payload: { prices: [price] } as object }).payload, {
    prices: [{ ...price, compareAt: null }],
  });
  t.end();
});

t.test('every event with a former type has a case here', async (t) => {
  const former = events.flatMap((event) => (event.formerly ?? []).map(({ type }) => `${type} ${event.type}`));
  const known = new Set(cases.map(([type, , today]) => `${type} ${today}`));
  // Resources of which an event reports each write since before: their updates had no `deleted`.
  known.add('product.updated product.deleted');
  t.strictSame(
    former.filter((one) => !known.has(one)),
    [],
  );
});

t.test('mails of events that wait are recorded and sent', async (t) => {
  const server = await startMailServer();
  const box = await createTestBox(t, { environment: server.environment });
  t.teardown(() => server.stop());
  const { staff } = box;
  const { body } = await staff.post('/admin/products', {
    title: 'Hat',
    status: 'published',
    variants: [{ sku: 'HAT' }],
  });
  const [{ id: variantId }] = body.variants;
  await staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] });
  const [item] = (await staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items;
  await staff.post(`/admin/stock-items/${item.id}/adjustments`, { quantity: 10, reason: 'received' });
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId, quantity: 1 });
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@shopper.example', name: 'Ada' } });
  t.equal(placed.status, 201);
  const orderId = placed.body.id;
  // Later than a day from now: the job that announces cancellations leaves it alone.
  await box.owner.query(`update orders set pay_by = now() + interval '9 days' where tenant_id = $1 and id = $2`, [
    box.id,
    orderId,
  ]);
  const me = (await staff.get('/admin/me')).body.id;

  const low = { variantId, available: 2, lowStockLevel: 5 };
  const changed = { formerEmail: 'owner@former.example', email: 'owner@new.example' };
  const stock = { type: 'stock_item', id: variantId };
  const due = { type: 'order', id: orderId };
  const subscriber = 'notification.record';
  const waiting: RecordedEvent[] = [
    { type: 'stock.low', resource: stock, payload: low },
    { type: 'stock.low', resource: stock, payload: { ...low, available: 1 }, subscriber },
    { type: 'order.payment_due', resource: due, payload: { ...order, number: placed.body.number } },
    { type: 'order.payment_due', resource: due, payload: { ...order, number: placed.body.number }, subscriber },
    { type: 'staff.email_changed', resource: { type: 'staff_user', id: me }, payload: changed },
    {
      type: 'dispute.opened',
      resource: { type: 'dispute', id: newId() },
      payload: { ...dispute, orderId },
      subscriber,
    },
  ];
  await recordEvents(box, box, waiting);
  // Sending a mail is a delivery, too.
  await untilDelivered(box);
  const sent = server.mails.map(({ to, subject }) => `${to}: ${subject}`);
  const mails = sent.filter((mail) => !/Your order \d+$/.test(mail));
  t.strictSame(mails.map((mail) => mail.replace(box.slug, 'tenant')).toSorted(), [
    'ada@shopper.example: Your order 1001 is not paid yet',
    'ada@shopper.example: Your order 1001 is not paid yet',
    'owner@former.example: Your e-mail address was changed',
    'owner@tenant.example: Dispute of a payment: order 1001',
    'owner@tenant.example: Low stock: Hat (HAT)',
    'owner@tenant.example: Low stock: Hat (HAT)',
  ]);
});
