/**
 * How to pay by hand: names and instructions of methods, as staff write them, where shoppers read them.
 */
import { shopperWith } from '@carton/cart/testing';
import { mailTemplates, type TenantDatabase } from '@carton/runtime';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle, textOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic', environment: { PAYMENT_ADAPTERS: 'manual' } });
const { staff } = box;
const mug = await createArticle(box, 'mug', 1250, 100);
const instructions = 'IBAN FR76 3000 6000 0112\n<b>State</b> the reference';

async function placeBy(paymentMethod: string) {
  const shopper = await shopperWith(box, [mug, 2]);
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com' }, paymentMethod });
  t.equal(placed.status, 201);
  const { id } = placed.body;
  const page = async () => String((await shopper.get(`/checkout/${id}/confirmation`)).body);
  return { id, page };
}

/** The data of the mail about a placed order. */
async function mailOf(id: string) {
  const template = mailTemplates.of(box.box.database).find(({ key }) => key === 'order.placed');
  const compose = template?.compose as unknown as (
    db: TenantDatabase,
    event: object,
  ) => Promise<{ data: { payments: object[] } }>;
  return (await compose(box.db, { resource: { type: 'order', id }, payload: {} })).data.payments;
}

t.test('staff name methods and write instructions; shoppers read both', async (t) => {
  const path = '/payment-methods';
  t.match((await box.visitor().get(path)).body, {
    items: exactly([
      { code: 'bank_transfer', name: 'Bank transfer', instructions: null },
      { code: 'cash_on_delivery', name: 'Cash on delivery', instructions: null },
    ]),
  });
  const [transfer] = (await staff.get('/admin/payment-methods')).body.items;
  t.match(transfer, { name: null, instructions: null });
  const change = { name: 'Wire', instructions };
  t.match(await staff.patch(`/admin/payment-methods/${transfer.id}`, change), { status: 200, body: change });
  t.match((await box.visitor().get(path)).body.items[0], { code: 'bank_transfer', ...change });
  t.match(
    await staff.patch(`/admin/payment-methods/${transfer.id}`, { name: '' }),
    { body: { name: null } },
    'no name',
  );
  t.match(await staff.patch(`/admin/payment-methods/${transfer.id}`, change), { status: 200, body: change });
});

t.test('the confirmation and the mail say how to pay, until it is paid', async (t) => {
  const { id, page } = await placeBy('bank_transfer');
  const [payment] = (await staff.get(`/admin/payments?orderId=${id}`)).body.items;
  const text = await page();
  t.match(text, /Wire<\/bdi>: <bdi class="nowrap">€25\.00/);
  t.ok(text.includes('IBAN FR76 3000 6000 0112') && text.includes('&lt;b&gt;State&lt;/b&gt; the reference'));
  t.ok(text.includes(payment.reference));
  const amount = (value: number) => ({ amount: value, currency: 'EUR' });
  const notice = { name: 'Wire', instructions: instructions.split('\n'), reference: payment.reference };
  t.strictSame(await mailOf(id), [{ ...notice, amount: amount(2500) }]);
  await staff.post(`/admin/payments/${payment.id}/capture`, { amount: amount(1000) });
  t.strictSame(await mailOf(id), [{ ...notice, amount: amount(1500) }]);
  await staff.post(`/admin/payments/${payment.id}/capture`);
  t.strictSame(await mailOf(id), []);
  t.notOk((await page()).includes('IBAN'));
});

t.test('a method without instructions has its name; a canceled order nothing to pay', async (t) => {
  const { id, page } = await placeBy('cash_on_delivery');
  t.match(await mailOf(id), exactly([{ name: 'Cash on delivery', instructions: [] }]));
  await staff.post(`/admin/orders/${id}/cancel`);
  t.strictSame(await mailOf(id), []);
  t.notOk((await page()).includes('Cash on delivery'));
});

t.test('no more is to be paid by hand than is due', async (t) => {
  const { id, page } = await placeBy('bank_transfer');
  const amount = (value: number) => ({ amount: value, currency: 'EUR' });
  const record = (value: number) =>
    staff.post(`/admin/orders/${id}/payments`, { amount: amount(value), method: 'cash' });
  await record(2000);
  t.match(await mailOf(id), exactly([{ name: 'Wire', amount: amount(500) }]));
  t.match(await page(), /Wire<\/bdi>: <bdi class="nowrap">€5\.00/);
  t.match(await page(), /Left to pay/);
  const { body: rest } = await record(500);
  t.strictSame(await mailOf(id), []);
  t.notOk((await page()).includes('IBAN'));
  const [item] = (await staff.get(`/admin/orders/${id}`)).body.items;
  const refunded = await staff.post(`/admin/payments/${rest.id}/refunds`, {
    items: [{ lineItemId: item.id, amount: amount(400) }],
  });
  t.equal(refunded.status, 201);
  const text = await page();
  t.match(text, 'Partially refunded');
  t.notOk(text.includes('IBAN') || text.includes('Left to pay'), 'what was refunded is not to be paid');
  t.match(textOf(text), 'Total €25.00 Paid €25.00 Refunded -€4.00');
  t.strictSame(await mailOf(id), []);
});
