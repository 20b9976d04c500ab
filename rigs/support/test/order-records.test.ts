/**
 * The check of orders' records passes for orders that were paid, refunded, canceled and shipped, and finds each fault.
 */
import { place } from '@carton/order/testing';
import { createTestBox, packagesOfTier, until } from '@carton/runtime/testing';
import t from 'tap';
import { checkOrderRecords } from '../order-records.ts';
import { withReader } from '../postgres.ts';

const box = await createTestBox(t, { packages: packagesOfTier('enterprise') });
const { staff } = box;
const eur = (amount: number) => ({ amount: { amount, currency: 'EUR' } });
const post = async (path: string, body?: object) => {
  const answer = await staff.post(path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
await staff.patch('/admin/store', {
  legalName: 'Demo Store SAS',
  address: 'Lyon',
  settings: { invoice: { issueOn: 'payment' } },
});

/** An order of 25.50 with its payment. */
async function paid() {
  const { id } = await place(box);
  const payment = await post(`/admin/orders/${id}/payments`, { ...eur(2550), method: 'bank_transfer' });
  return { id, payment: payment.id as string };
}

const [shipped, refunded, canceled] = [await paid(), await paid(), await paid()];
const check = () => withReader(box.databaseUrl, (read) => checkOrderRecords(read, box.id));
await until(check, ({ counts }) => counts.invoices === 3);
const parcel = await post(`/admin/orders/${shipped.id}/fulfillments`);
await post(`/admin/fulfillments/${parcel.id}/ship`);
await post(`/admin/payments/${refunded.payment}/refunds`, eur(500));
await post(`/admin/orders/${canceled.id}/cancel`);
await post(`/admin/payments/${canceled.payment}/refunds`);
await until(check, ({ counts }) => counts.creditedAmount === 3050);

t.test('consistent records', async (t) => {
  t.strictSame(await check(), {
    broken: [],
    counts: { invoices: 3, creditedAmount: 3050, refundedAmount: 3050, parcels: 1 },
  });
});

const corruptions: [fault: RegExp, statement: string, orderId: string][] = [
  [
    /has received 2550, its payments 2540/,
    'update payments set captured_amount = 2540 where order_id = $1',
    shipped.id,
  ],
  [
    /has refunded 500, its payments 400, the ledger 500/,
    'update payments set refunded_amount = 400 where order_id = $1',
    refunded.id,
  ],
  [/its payments 500, the ledger 400/, 'update refunds set amount = 400 where order_id = $1', refunded.id],
  [
    /is canceled, and has refunded 2500 and disputed 0 of 2550/,
    'update orders set refunded_amount = 2500 where id = $1',
    canceled.id,
  ],
  [/has 10 in dispute, its payments 0/, 'update orders set disputed_amount = 10 where id = $1', shipped.id],
  [/has refunded 500 and disputed 2100 of 2550/, 'update orders set disputed_amount = 2100 where id = $1', refunded.id],
  [/is paid and has 0 invoices/, "delete from invoices where order_id = $1 and kind = 'invoice'", shipped.id],
  [
    /has 3 invoices/,
    `update invoices set order_id = $1 where kind = 'invoice' and order_id <> $1 and tenant_id = '${box.id}'`,
    shipped.id,
  ],
  [
    /has a total of 2550 and invoices of 2540/,
    'update invoices set total_amount = 2540, net_amount = 2540 where order_id = $1',
    shipped.id,
  ],
  [
    /has credited 0 of 2550, and refunded 500/,
    "delete from invoices where order_id = $1 and kind = 'credit_note'",
    refunded.id,
  ],
  [
    /the series INV- has 2 numbers up to 3/,
    "delete from invoices where order_id = $1 and kind = 'invoice'",
    shipped.id,
  ],
  [
    /the series INV- has 3 numbers up to 4/,
    `update invoice_series set last_sequence = 4 where series = 'INV-' and $1::uuid is not null`,
    shipped.id,
  ],
  [
    /the series INV- has 3 numbers up to 3, the last of them 9/,
    "update invoices set sequence = 9 where order_id = $1 and kind = 'invoice'",
    shipped.id,
  ],
  [/3 of 2 units of the placed order/, 'update fulfillment_items set quantity = 3 where order_id = $1', shipped.id],
  [
    /2 of 2 units of the canceled order/,
    "update orders set status = 'canceled', canceled_at = now() where id = $1",
    shipped.id,
  ],
];

t.test('each fault is found', async (t) => {
  for (const [fault, statement, orderId] of corruptions) {
    await withReader(box.databaseUrl, async (read) => {
      await read('begin');
      await read('alter table invoices disable trigger all');
      await read(statement, [orderId]);
      const { broken } = await checkOrderRecords(read, box.id);
      t.ok(
        broken.some((line) => fault.test(line)),
        `${fault} in ${broken.join('; ')}`,
      );
      await read('rollback');
    });
  }
  t.strictSame((await check()).broken, []);
});
