/**
 * Any sale becomes an order through the same steps as a cart: here, a draft written by staff.
 */
import { priceSale, type Sale } from '@carton/cart';
import { placeSale } from '@carton/checkout';
import { findStore } from '@carton/core';
import { newId, type TenantDatabase } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle } from './helpers.ts';
import { boxWithPerks } from './perks.ts';

const box = await boxWithPerks(t);
const { db } = box;
const mug = await createArticle(box, 'mug', 1250, 10);

/** A draft, as its package would store it. */
function draftOf(quantity: number): Sale {
  const repair = { variantId: null, title: 'Repair', unitPrice: 4000, taxCategory: null, weight: null };
  return {
    cartId: null,
    choices: {},
    currency: 'EUR',
    regionId: null,
    memberId: null,
    channelId: null,
    locale: 'de-DE',
    email: 'ada@example.com',
    shippingAddress: null,
    billingAddress: null,
    time: new Date(),
    lines: [
      { id: 'mug', variantId: mug.variantId, quantity, properties: { engraving: 'For Ada' }, unitPrice: 900 },
      { ...repair, id: 'repair', quantity: 1, properties: {} },
    ],
  };
}

function placeDraft(id: string, sale: Sale, complete: (tx: TenantDatabase) => Promise<unknown>) {
  return placeSale(db, async (tx) => ({
    source: { type: 'draft_order', id },
    sale: await priceSale(tx, sale, { stock: false }),
    store: await findStore(tx),
    shopper: null,
    paymentMethod: null,
    reservation: null,
    customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
    notes: 'By phone',
    complete,
  }));
}

const onHand = async () => (await box.staff.get(`/admin/stock-items/${mug.stockItemId}`)).body.onHand;

t.test('a draft becomes an order with agreed prices, a custom line and the claims of all steps', async (t) => {
  // Settings for shoppers do not apply to staff.
  await box.staff.patch('/admin/checkout-settings', {
    guestCheckout: false,
    paymentRequired: true,
    checkoutRequires: ['phone'],
    unpaidOrderMinutes: 5,
  });
  const id = newId();
  await db.insert('vouchers', { code: 'STAFF', amount: 100, usesLeft: 1 });
  await db.insert('voucher_choices', { cartId: id, code: 'STAFF' });
  const completed: string[] = [];
  const order = await placeDraft(id, draftOf(2), async () => completed.push(id));
  t.match(order, { status: 'placed', paymentStatus: 'unpaid', locale: 'de-DE', notes: 'By phone', payBy: null });
  t.match(
    order.items,
    exactly([
      { variantId: mug.variantId, title: 'mug', total: { amount: 1800 }, properties: { engraving: 'For Ada' } },
      { variantId: null, title: 'Repair', variantTitle: null, total: { amount: 4000 } },
    ]),
  );
  t.equal(order.totals.total.amount, 5800);
  t.equal(await onHand(), 8);
  t.strictSame(completed, [id]);
  const uses = await db.query('select order_id from voucher_uses where tenant_id = $1');
  t.strictSame(uses, [{ orderId: order.id }]);
  t.strictSame((await box.staff.get(`/admin/orders/${order.id}`)).body.items.length, 2);
  t.equal((await box.staff.post(`/admin/orders/${order.id}/cancel`)).status, 200);
  t.equal(await onHand(), 10, 'the stocked line is restocked');
});

t.test('a rejected sale leaves no order', async (t) => {
  const count = async () => (await db.query('select id from orders where tenant_id = $1')).length;
  const before = await count();
  const done = () => Promise.resolve();
  await t.rejects(placeDraft(newId(), draftOf(11), done), /MUG: 11 requested, 10 available/);
  const large = { ...draftOf(1), lines: draftOf(1).lines.map((line) => ({ ...line, unitPrice: 100_000 })) } as Sale;
  await t.rejects(placeDraft(newId(), large, done), /Ask your manager/);
  const fails = () => Promise.reject(new Error('the draft does not exist'));
  await t.rejects(placeDraft(newId(), draftOf(1), fails), /the draft does not exist/);
  t.equal(await count(), before);
  t.equal(await onHand(), 10);
});
