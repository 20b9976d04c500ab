/**
 * Promotions of orders, over HTTP: what an order keeps, the uses that it takes and returns, and whose they are.
 */
import { shopperWith } from '@carton/cart/testing';
import { exportPerson } from '@carton/runtime';
import { bodyOf, createTestBox, exactly, payloadsOf } from '@carton/runtime/testing';
import t from 'tap';
import { personalUses } from '../uses/persons.ts';
import { returnUses } from '../uses/placing.ts';
import { buyer, createArticle, endAll, fixed, percent, promote, promoteByCode, rules, shownOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;
const { database } = box.box;
const [shirt, socks] = [await createArticle(box, 5000), await createArticle(box, 1000)];
t.afterEach(() => endAll(box));

interface Adjusted {
  adjustments: { code: string; label: string; amount: { amount: number }; source?: unknown }[];
}
const adjustmentsOf = ({ adjustments }: Adjusted) =>
  adjustments.map(({ code, label, amount, source }) => [code, label, amount.amount, source]);

t.test('an order keeps what was applied, whatever becomes of the promotion', async (t) => {
  const ten = await promote(box, { label: 'Ten', discount: percent(10) });
  const twenty = await promoteByCode(box, 'Summer', { label: 'Summer sale', discount: percent(20), maxUses: 5 });
  const shopper = await shopperWith(box, [shirt, 1], [socks, 1]);
  t.strictSame(await shownOf(shopper), [[['Ten', -600]], 5400]);
  const applied = await shopper.post('/cart/promotions', { code: ' sUMMER ' });
  t.match(applied, { status: 201, body: { totals: { total: { amount: 4320 } } } });
  t.strictSame(await shownOf(shopper), [[['Ten', -600], ['sUMMER', -1080]], 4320]); // biome-ignore format: short
  const order = await bodyOf(shopper.post('/checkout', buyer()));
  const discounts = [
    [ten, 'Ten', -500, { type: 'promotion', id: ten }],
    [ten, 'Ten', -100, { type: 'promotion', id: ten }],
    ['sUMMER', 'Summer sale', -900, { type: 'promotion', id: twenty }],
    ['sUMMER', 'Summer sale', -180, { type: 'promotion', id: twenty }],
  ];
  t.strictSame(adjustmentsOf(order), discounts);
  const use = { orderId: order.id, code: 'sUMMER', amount: { amount: 1080, currency: 'EUR' }, returnedAt: null };
  t.match((await staff.get(`/admin/promotions/${twenty}/usage`)).body, { items: exactly([use]), nextCursor: null });
  t.strictSame(await payloadsOf(box, { resourceId: twenty, type: 'promotion.used' }), [
    { orderId: order.id, code: 'sUMMER', amount: { amount: 1080, currency: 'EUR' } },
  ]);
  await bodyOf(staff.patch(`/admin/promotions/${ten}`, { discount: percent(50) }));
  await bodyOf(staff.delete(`/admin/promotions/${twenty}`));
  t.strictSame(adjustmentsOf(await bodyOf(staff.get(`/admin/orders/${order.id}`))), discounts);
  await bodyOf(staff.post(`/admin/orders/${order.id}/cancel`));
  t.strictSame(adjustmentsOf(await bodyOf(staff.get(`/admin/orders/${order.id}`))), discounts);
});

t.test('a canceled order returns its use, for everyone and for the customer', async (t) => {
  const limits = { maxUses: 1, maxUsesPerCustomer: 1, maxUsesOfCode: 1 };
  const id = await promoteByCode(box, 'ONCE', { discount: percent(10), ...limits });
  const [first, second] = [await shopperWith(box, [socks, 1]), await shopperWith(box, [socks, 1])];
  await bodyOf(first.post('/cart/promotions', { code: 'ONCE' }));
  const order = await bodyOf(first.post('/checkout', buyer()));
  t.match(await second.post('/cart/promotions', { code: 'ONCE' }), {
    status: 409,
    body: { code: 'promotion_used_up' },
  });
  await bodyOf(staff.post(`/admin/orders/${order.id}/cancel`));
  t.match((await staff.get(`/admin/promotions/${id}`)).body, { uses: 0 });
  // Once more has no effect: a second use returned would be a counter below zero, which the database rejects.
  await database.forTenant(box.id).transaction((tx) => returnUses(tx, order));
  await bodyOf(second.post('/cart/promotions', { code: 'ONCE' }));
  t.equal((await bodyOf(second.post('/checkout', buyer('ADA@example.com')))).totals.total.amount, 900);
  t.match((await staff.get(`/admin/promotions/${id}/usage`)).body, {
    items: exactly([{ returnedAt: null }, { orderId: order.id, returnedAt: /T/ }]),
  });
});

t.test('a customer is limited by e-mail address, whatever its case', async (t) => {
  await promoteByCode(box, 'WELCOME', { discount: percent(10), maxUsesPerCustomer: 1 });
  const order = async (email: string) => {
    const shopper = await shopperWith(box, [socks, 1]);
    await bodyOf(shopper.post('/cart/promotions', { code: 'welcome' }));
    const { status, body } = await shopper.post('/checkout', buyer(email));
    return status === 201 ? body.totals.total.amount : body.code;
  };
  t.equal(await order('Grace@example.com'), 900);
  t.equal(await order('grace@EXAMPLE.com'), 'promotion_used_up');
  t.equal(await order('other@example.com'), 900);
});

t.test('a promotion for first orders', async (t) => {
  await promoteByCode(box, 'HELLO', { discount: percent(10), rules: rules({ firstOrder: true }) });
  const shopper = await shopperWith(box, [socks, 1]);
  await bodyOf(shopper.patch('/cart', { email: 'first@example.com' }));
  await bodyOf(shopper.post('/cart/promotions', { code: 'HELLO' }));
  const order = await bodyOf(shopper.post('/checkout', buyer('first@example.com')));
  t.equal(order.totals.total.amount, 900);
  const again = await shopperWith(box, [socks, 1]);
  await bodyOf(again.post('/cart/promotions', { code: 'HELLO' }));
  const refused = { status: 409, body: { code: 'promotion_first_order_only' } };
  t.match(await again.post('/checkout', buyer('First@Example.com')), refused);
  await bodyOf(again.patch('/cart', { email: 'FIRST@example.com' }));
  t.strictSame((await shownOf(again))[0], [['HELLO', 'first_order_only']]);
  const third = box.shopper();
  await bodyOf(third.patch('/cart', { email: 'first@example.com' }));
  t.match(await third.post('/cart/promotions', { code: 'HELLO' }), refused);
  await bodyOf(staff.post(`/admin/orders/${order.id}/cancel`));
  const second = await bodyOf(again.post('/checkout', buyer('first@example.com')));
  t.equal(second.totals.total.amount, 900);
  // The order is no longer found by the address, as when both are placed at the same time; the use is.
  await bodyOf(staff.patch(`/admin/orders/${second.id}`, { customer: { email: 'changed@example.com' } }));
  const last = await shopperWith(box, [socks, 1]);
  await bodyOf(last.post('/cart/promotions', { code: 'HELLO' }));
  t.match(await last.post('/checkout', buyer('first@example.com')), {
    status: 409,
    body: { code: 'promotion_used_up' },
  });
});

t.test('a code that can no longer be used blocks the order until it is removed', async (t) => {
  const id = await promoteByCode(box, 'SOON', { discount: percent(10), maxUses: 1 });
  const shopper = await shopperWith(box, [socks, 1]);
  await bodyOf(shopper.post('/cart/promotions', { code: 'SOON' }));
  await bodyOf(staff.patch(`/admin/promotions/${id}`, { endsAt: '2020-01-01' }));
  t.match((await shopper.get('/checkout')).body, {
    ready: false,
    requirements: exactly([{ code: 'promotion_expired' }]),
  });
  t.match(await shopper.post('/checkout', buyer()), { status: 409, body: { code: 'promotion_expired' } });
  await bodyOf(staff.patch(`/admin/promotions/${id}`, { endsAt: null }));
  const other = await shopperWith(box, [socks, 1]);
  await bodyOf(other.post('/cart/promotions', { code: 'SOON' }));
  await bodyOf(other.post('/checkout', buyer()));
  t.match(await shopper.post('/checkout', buyer()), { status: 409, body: { code: 'promotion_used_up' } });
  await bodyOf(staff.delete(`/admin/promotions/${id}`));
  t.match(await shopper.post('/checkout', buyer()), { status: 409, body: { code: 'promotion_code_gone' } });
  await bodyOf(shopper.delete('/cart/promotions/SOON'));
  t.equal((await bodyOf(shopper.post('/checkout', buyer()))).totals.total.amount, 1000);
});

t.test('100 % and 15 % make zero, and the order is paid', async (t) => {
  await promote(box, { label: 'All', discount: percent(100) });
  await promote(box, { label: 'More', discount: percent(15) });
  await promote(box, { label: 'Fixed', discount: fixed(700) });
  const shopper = await shopperWith(box, [shirt, 1]);
  t.strictSame(await shownOf(shopper), [
    [
      ['All', -5000],
      ['More', 'nothing_left'],
      ['Fixed', 'nothing_left'],
    ],
    0,
  ]);
  const order = await bodyOf(shopper.post('/checkout', buyer()));
  t.match(order, { paymentStatus: 'paid', totals: { discount: { amount: -5000 }, total: { amount: 0 } } });
  const { items } = await bodyOf(staff.get('/admin/promotions'));
  t.strictSame(
    items.map(({ label, uses }: { label: string; uses: number }) => [label, uses]),
    [
      ['Fixed', 0],
      ['More', 0],
      ['All', 1],
    ],
    'a promotion that took nothing off was not used',
  );
});

t.test('uses are exported to the person and erased, and the uses themselves stay', async (t) => {
  const id = await promoteByCode(box, 'MINE', { label: 'Mine', discount: percent(10), maxUsesPerCustomer: 1 });
  const shopper = await shopperWith(box, [socks, 1]);
  await bodyOf(shopper.post('/cart/promotions', { code: 'MINE' }));
  const order = await bodyOf(shopper.post('/checkout', buyer('Person@example.com')));
  const db = database.forTenant(box.id);
  const person = { memberId: null, emails: ['person@example.com'] };
  const used = { orderId: order.id, code: 'MINE', label: 'Mine', amount: 100 };
  t.match((await exportPerson(db, person)).promotions?.data, exactly([used]));
  t.notOk('promotions' in (await exportPerson(db, { memberId: null, emails: ['nobody@example.com'] })));
  await db.transaction((tx) => personalUses.erase(tx, { ...person, sessions: [], records: { order: [order.id] } }));
  const keys = 'select customer_key from promotion_usages where tenant_id = $1 and promotion_id = $2';
  t.strictSame(await db.query(keys, [id]), [{ customerKey: null }]);
  t.strictSame(
    await db.query('select uses from promotion_customers where tenant_id = $1 and promotion_id = $2', [id]),
    [],
  );
  t.match((await staff.get(`/admin/promotions/${id}`)).body, { uses: 1 });
});
