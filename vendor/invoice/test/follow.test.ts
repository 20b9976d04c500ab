/**
 * Invoices that follow their orders: issued on payment or shipment, corrected after refunds and cancellations, each once.
 */
import { object, publish, Type } from '@carton/runtime';
import { bodyOf, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { followOrder } from '../following/service.ts';
import {
  credit,
  draftOf,
  eur,
  invoicesOf,
  issue,
  openBox,
  pay,
  place,
  placeTaxed,
  refund,
  setInvoices,
  summaryOf,
} from './helpers.ts';

const box = await openBox(t);
const invoice = 'invoice 3466 + 658 = 4124';

async function summaryAfter(orderId: string): Promise<string[]> {
  await untilDelivered(box);
  return summaryOf(box, orderId);
}

t.test('on payment: once the order is paid in full', async (t) => {
  await setInvoices(box, { issueOn: 'payment' });
  const { id } = await placeTaxed(box);
  await pay(box, id, 4000);
  t.strictSame(await summaryAfter(id), []);
  await pay(box, id, 124);
  t.strictSame(await summaryAfter(id), [invoice]);
  const free = await place(box, draftOf(0));
  t.strictSame(await summaryAfter(free.id), ['invoice 0 + 0 = 0'], 'an order with nothing to pay');
});

t.test('not on payment, if staff issue invoices', async (t) => {
  await setInvoices(box, { issueOn: 'manual' });
  const { id } = await placeTaxed(box);
  await pay(box, id, 4124);
  t.strictSame(await summaryAfter(id), []);
});

/** Publishes the event of a package that this box does not have. */
const ship = (orderId: string, byResource: boolean) =>
  box.db.transaction(async (tx) => {
    const payload = byResource ? object({}) : object({ orderId: Type.String() });
    const event = { type: 'fulfillment.shipped', summary: 'A parcel was shipped', payload };
    const resource = byResource ? { type: 'order', id: orderId } : { type: 'fulfillment', id: box.id };
    await publish(tx, event, resource, (byResource ? {} : { orderId }) as never);
  });

t.test('on shipment: with the first parcel, whose day is the day of supply', async (t) => {
  await setInvoices(box, { issueOn: 'shipment' });
  for (const byResource of [true, false]) {
    const { id } = await placeTaxed(box);
    await pay(box, id, 4124);
    t.strictSame(await summaryAfter(id), []);
    await ship(id, byResource);
    await ship(id, byResource);
    t.strictSame(await summaryAfter(id), [invoice]);
    const [issued] = await invoicesOf(box, id);
    t.match(issued, { suppliedOn: new Date().toISOString().slice(0, 10) });
  }
});

t.test('a refund of units is credited with the amounts of the refund', async (t) => {
  await setInvoices(box, { issueOn: 'payment' });
  const { id, items } = await placeTaxed(box);
  const [shirts] = items.map((item) => item.id);
  const payment = await pay(box, id, 4124);
  await untilDelivered(box);
  const refunded = await refund(box, payment, { items: [{ lineItemId: shirts, quantity: 1 }], shipping: true });
  t.match(refunded, { amount: eur(1323), tax: eur(211) });
  t.strictSame(await summaryAfter(id), [invoice, 'credit_note 1112 + 211 = 1323']);
  const [, note] = await invoicesOf(box, id);
  t.match(note, { refundId: refunded.id });
  await refund(box, payment, { items: [{ lineItemId: shirts, quantity: 2 }] });
  await refund(box, payment, {});
  t.strictSame(await summaryAfter(id), [
    invoice,
    'credit_note 1112 + 211 = 1323',
    'credit_note 1934 + 367 = 2301',
    'credit_note 420 + 80 = 500',
  ]);
});

t.test('a refund of an amount is credited, what was paid beyond the total is not', async (t) => {
  const { id } = await placeTaxed(box);
  const first = await pay(box, id, 4124);
  await untilDelivered(box);
  // Staff cannot record more than is owed, so this is what a provider would have captured twice.
  await box.owner.query('update payments set amount = 5124, captured_amount = 5124 where id = $1', [first]);
  await box.owner.query('update orders set paid_amount = 5124 where id = $1', [id]);
  await refund(box, first, { amount: eur(1000) });
  t.strictSame(await summaryAfter(id), [invoice]);
  await refund(box, first, { amount: eur(400) });
  const summary = await summaryAfter(id);
  t.equal(summary.length, 2);
  t.match(summary[1], / = 400$/);
});

t.test('what staff have credited is not credited again by the refund', async (t) => {
  const { id, items } = await placeTaxed(box);
  const [shirts] = items.map((item) => item.id) as [string];
  const payment = await pay(box, id, 4124);
  await untilDelivered(box);
  const [{ id: issued } = { id: '' }] = await invoicesOf(box, id);
  await bodyOf(credit(box, issued, { items: [{ lineItemId: shirts, quantity: 1 }] }));
  await bodyOf(credit(box, issued, { amount: eur(500) }));
  const before = await summaryOf(box, id);
  t.equal(before.length, 3);
  await refund(box, payment, { items: [{ lineItemId: shirts, quantity: 1 }] });
  await refund(box, payment, { amount: eur(500) });
  t.strictSame(await summaryAfter(id), before);
  await refund(box, payment, { items: [{ lineItemId: shirts, quantity: 1 }] });
  t.equal((await summaryAfter(id)).length, 4);
});

t.test('refunds before the invoice are credited with it', async (t) => {
  await setInvoices(box, { issueOn: 'manual' });
  const { id, items } = await placeTaxed(box);
  const payment = await pay(box, id, 4124);
  await refund(box, payment, { items: [{ lineItemId: items[1]?.id, quantity: 1 }] });
  t.strictSame(await summaryAfter(id), []);
  await bodyOf(issue(box, id));
  t.strictSame(await summaryAfter(id), [invoice, 'credit_note 420 + 80 = 500']);
});

t.test('a cancellation credits all that is left', async (t) => {
  const { id } = await placeTaxed(box);
  const { id: issued } = await bodyOf(issue(box, id));
  await bodyOf(credit(box, issued, { amount: eur(1000) }));
  const payment = await pay(box, id, 4124);
  await bodyOf(box.staff.post(`/admin/orders/${id}/cancel`));
  const canceled = await summaryAfter(id);
  t.equal(canceled.length, 3);
  t.match(canceled[2], / = 3124$/);
  await refund(box, payment, {});
  t.strictSame(await summaryAfter(id), canceled, 'the refund of a canceled order is credited already');
});

t.test('a repeated delivery changes nothing, nor does one for an order without an invoice', async (t) => {
  await setInvoices(box, { issueOn: 'payment' });
  const { id } = await placeTaxed(box);
  const payment = await pay(box, id, 4124);
  await refund(box, payment, { amount: eur(100) });
  const summary = await summaryAfter(id);
  t.equal(summary.length, 2);
  const again = { type: 'refund.created', createdAt: new Date().toISOString() };
  await followOrder(box.db, id, again);
  await followOrder(box.db, box.id, again);
  t.strictSame(await summaryOf(box, id), summary);
});

t.test('an invoice waits until the store has a legal name and an address', async (t) => {
  await setInvoices(box, { issueOn: 'payment', address: null });
  const { id } = await placeTaxed(box);
  await pay(box, id, 4124);
  const paid = { type: 'payment.captured', createdAt: new Date().toISOString() };
  await t.rejects(followOrder(box.db, id, paid), /legal ?[nN]ame/);
  await setInvoices(box, { address: 'Lyon' });
  await followOrder(box.db, id, paid);
  t.strictSame(await summaryOf(box, id), [invoice]);
});
