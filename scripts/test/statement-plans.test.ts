/**
 * Statements of shoppers and of money, which no list calls, over a large store: each reads what it needs by an index, as the
 * box's role, to which row-level security applies. Lists are measured by `plans.test.ts`.
 */
import { mergeCarts, shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { findUnplaced } from '@carton/order';
import { paymentAdapters, succeededRefunds } from '@carton/payment';
import { reconcile, TestProvider } from '@carton/payment/testing';
import { bodyOf, createTestBox, sessionHashOf } from '@carton/runtime/testing';
import { readingsOf, StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { multiplyRows } from '../../runtime/testing/plans/multiply-rows.ts';
import { fillTenant } from '../../tools/plans/full-tenant.ts';
import { removeOldCarts } from '../../vendor/cart/guests/old-carts.ts';
import { cancelOverdue } from '../../vendor/order/states/overdue.ts';

/** Copies of each row. A statement without an index reads at least as many. */
const copies = 400;
const most = { rows: 300, pages: 400 };
/** Tables of which a store has few rows, and which carts read as a whole: their copies do not count. */
const settings = /^\w[\w ]* of (promotions|tax_rates|shipping_options)\b/;

const provider = new TestProvider();
provider.confirmed = 'pending';
const box = await createTestBox(t, { idleJobs: true, extends: [paymentAdapters.with(provider)] });
const { staff, db } = box;
await fillTenant(box, box);
const recorder = new StatementRecorder(box.box.database);
const [, variantId] = (await bodyOf(staff.get('/admin/variants?limit=2'))).items.map(({ id }: { id: string }) => id);
const buyer = {
  customer: { email: 'ada@example.com', address: { name: 'Ada', line1: '1', city: 'Lyon', country: 'FR' } },
};

/** An order of two units that waits for its payment, of a guest with a session. */
async function placePending() {
  const shopper = await shopperWith(box, [variantId, 2]);
  const order = await bodyOf(shopper.post('/checkout', { ...buyer, paymentMethod: 'card' }));
  t.equal(order.status, 'pending');
  return { shopper, order };
}

/** A placed order that was paid twice, so that a refund by amount has an excess. */
async function placePaid() {
  const shopper = await shopperWith(box, [variantId, 2]);
  const order = await bodyOf(shopper.post('/checkout', buyer));
  const { id } = await bodyOf(
    staff.post(`/admin/orders/${order.id}/payments`, { method: 'cash', amount: order.balance }),
  );
  return { orderId: order.id as string, lineItemId: order.items[0].id as string, paymentId: id as string };
}

for (let count = 0; count < 3; count++) await placePending();
const pendings = [await placePending(), await placePending()];
const paid = [await placePaid(), await placePaid()];
const guest = await shopperWith(box, [variantId, 1]);
await multiplyRows(box.databaseUrl, box.id, copies);

const byMember = await createMember(box);
const calls: Record<string, () => Promise<unknown>> = {
  'reads of a cart': () => bodyOf(guest.get('/cart')),
  'a change of a cart': () => bodyOf(guest.patch('/cart', { country: 'DE' })),
  'the preview of a checkout': () => bodyOf(guest.get('/checkout')),
  'products in the order of the prices that a cart charges': () => bodyOf(guest.get('/products?sort=price')),
  'carts for staff': () => bodyOf(staff.get('/admin/carts?limit=20')),
  'a log-in with a pending order': () =>
    db.transaction((tx) => mergeCarts(tx, { hash: sessionHashOf(pendings[0]?.shopper as never) }, byMember.id)),
  'which orders were placed': () => findUnplaced(db, [pendings[0]?.order.id, paid[0]?.orderId as string]),
  'the cancellation of a pending order': () => bodyOf(staff.post(`/admin/orders/${pendings[1]?.order.id}/cancel`)),
  'the reconciliation of payments': () => reconcile(db),
  'overdue orders': () => cancelOverdue(db),
  'old carts': () => removeOldCarts(db),
  'a refund by units': () =>
    bodyOf(
      staff.post(`/admin/payments/${paid[0]?.paymentId}/refunds`, {
        items: [{ lineItemId: paid[0]?.lineItemId, quantity: 1 }],
      }),
    ),
  'a refund by amount': () =>
    bodyOf(staff.post(`/admin/payments/${paid[1]?.paymentId}/refunds`, { amount: { amount: 100, currency: 'EUR' } })),
  'the refunds of an order': () => succeededRefunds(db, paid[0]?.orderId as string),
  'an order with its balance': () => bodyOf(staff.get(`/admin/orders/${paid[0]?.orderId}`)),
  'the open tasks of the store': () => bodyOf(staff.get('/admin/store')),
};

for (const [name, call] of Object.entries(calls)) {
  t.test(name, async (t) => {
    const readings = await readingsOf(box.box.database, box.id, await recorder.record(call));
    t.ok(readings.length > 0, 'it reads something');
    const tooMuch = readings.filter(
      ({ rows, pages, scan }) => (rows > most.rows || pages > most.pages) && !settings.test(scan),
    );
    t.strictSame(
      tooMuch.map(({ rows, pages, scan, text }) => `${rows} rows, ${pages} pages: ${scan}: ${text.slice(0, 160)}`),
      [],
    );
    const [worst] = readings.sort((one, other) => other.rows - one.rows);
    t.comment(`${name}: ${readings.length} statements, at most ${worst?.rows} rows (${worst?.scan})`);
  });
}
