/**
 * Invoices of an order that gets or loses the fee of a payment method after its invoice: all invoices and credit notes
 * together are what is charged.
 */
import { bodyOf, exactly, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import type { ContentLine } from '../content.ts';
import { isCharged } from '../following/charges.ts';
import { followOrder } from '../following/service.ts';
import {
  credit,
  draftOf,
  eur,
  invoicesOf,
  issue,
  openBox,
  packages,
  pay,
  place,
  placeTaxed,
  refund,
  setInvoices,
  summaryOf,
} from './helpers.ts';

const box = await openBox(t, { packages: [...packages, '@carton/tax'], environment: { PAYMENT_ADAPTERS: 'manual' } });
for (const { id, code } of (await box.staff.get('/admin/payment-methods')).body.items) {
  if (code === 'cash_on_delivery') await bodyOf(box.staff.patch(`/admin/payment-methods/${id}`, { fees: [eur(500)] }));
}
const fee = 'payment:cash_on_delivery';

async function choose(orderId: string, paymentMethod: string) {
  const answer = await box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod });
  await untilDelivered(box);
  return answer;
}

/** An order over 41.24 that was invoiced; the tax of its shipping charge is 27 of 146, that of the fee 92 of 500. */
async function invoiced() {
  const order = await placeTaxed(box);
  await bodyOf(issue(box, order.id));
  return order;
}

const invoice = 'invoice 3466 + 658 = 4124';
const added = 'invoice 500 + 92 = 592';
const removed = 'credit_note 500 + 92 = 592';

async function summaryAfter(orderId: string): Promise<string[]> {
  await untilDelivered(box);
  return summaryOf(box, orderId);
}

interface Checks {
  equal(found: number, wanted: number, message: string): boolean;
  ok(value: boolean, message: string): boolean;
}

/** Requires that invoices less credit notes are this, and that no line of an invoice is credited beyond what it is. */
async function checkBooks({ equal, ok }: Checks, orderId: string, charged: number): Promise<void> {
  await untilDelivered(box);
  const found = await invoicesOf(box, orderId);
  const details = await Promise.all(found.map(({ id }) => bodyOf(box.staff.get(`/admin/invoices/${id}`))));
  const total = (kind: string) =>
    details.filter((each) => each.kind === kind).reduce((sum, { totals }) => sum + totals.total.amount, 0);
  equal(total('invoice') - total('credit_note'), charged, 'invoices less credit notes are what is charged');
  for (const { id, lines } of details.filter(({ kind }) => kind === 'invoice')) {
    for (const { lineItemId, shippingCode, gross, tax } of lines) {
      const own = details
        .filter(({ invoiceId }) => invoiceId === id)
        .flatMap((note) => note.lines)
        .filter((line) => line.lineItemId === lineItemId && line.shippingCode === shippingCode);
      const of = (name: 'gross' | 'tax') => own.reduce((sum, line) => sum + line[name].amount, 0);
      ok(of('gross') <= gross.amount && of('tax') <= tax.amount, 'no line is credited beyond what it is');
    }
  }
}

t.test('without an invoice nothing is issued, and the first one has the fee', async (t) => {
  const { id } = await placeTaxed(box);
  t.match((await choose(id, 'cash_on_delivery')).body, { amount: eur(4716), total: eur(4716) });
  t.strictSame(await summaryOf(box, id), []);
  await bodyOf(issue(box, id));
  t.strictSame(await summaryAfter(id), ['invoice 3966 + 750 = 4716']);
});

t.test('a fee that is added has an invoice of its own, one that is removed a credit note', async (t) => {
  const { id } = await invoiced();
  const [own] = await invoicesOf(box, id);
  await choose(id, 'cash_on_delivery');
  t.strictSame(await summaryOf(box, id), [invoice, added]);
  const [, { id: second } = { id: '' }] = await invoicesOf(box, id);
  t.match(await bodyOf(box.staff.get(`/admin/invoices/${second}`)), {
    addsTo: own?.number,
    lines: exactly([{ shippingCode: fee, title: 'Cash on delivery', gross: eur(592), tax: eur(92) }]),
    taxGroups: exactly([{ taxes: exactly([{ code: 'vat', rate: 19, amount: eur(92) }]) }]),
    totals: { total: eur(592) },
  });
  const page = String((await box.visitor().get(`/checkout/${id}/invoice`)).body);
  t.match(page, `In addition to invoice <bdi>${own?.number}</bdi>`);
  await choose(id, 'bank_transfer');
  t.strictSame(await summaryOf(box, id), [invoice, added, removed]);
  t.match((await invoicesOf(box, id))[2], { invoiceId: second, addsTo: null });
  await choose(id, 'cash_on_delivery');
  t.strictSame(await summaryOf(box, id), [invoice, added, removed, added], 'a fee that comes back is another');
  await checkBooks(t, id, 4716);
  t.match(await issue(box, id), { status: 409, body: { code: 'invoice_already_issued' } });
});

t.test('a fee on the first invoice that is removed is credited there, and later refunds besides', async (t) => {
  const { id } = await placeTaxed(box);
  await choose(id, 'cash_on_delivery');
  await bodyOf(issue(box, id));
  await choose(id, 'bank_transfer');
  const first = 'invoice 3966 + 750 = 4716';
  t.strictSame(await summaryOf(box, id), [first, removed]);
  const payment = await pay(box, id, 4124);
  await refund(box, payment, { amount: eur(300) });
  await checkBooks(t, id, 3824);
  t.equal((await invoicesOf(box, id)).length, 3);
  await refund(box, payment, {});
  await checkBooks(t, id, 0);
});

t.test('refunds are credited on the invoice that has what they are for', async (t) => {
  const { id, items } = await invoiced();
  await choose(id, 'cash_on_delivery');
  const payment = await pay(box, id, 4716);
  await refund(box, payment, { shipping: [{ code: fee, amount: eur(100) }] });
  t.strictSame((await summaryAfter(id)).slice(2), ['credit_note 84 + 16 = 100']);
  t.match((await invoicesOf(box, id))[2], { refundId: null });
  const { id: divided } = await refund(box, payment, { amount: eur(1000) });
  await checkBooks(t, id, 3616);
  const notes = (await invoicesOf(box, id)).slice(3);
  t.equal(notes.length, 2, 'a refund by amount is divided among both');
  t.same(new Set(notes.map((note) => (note as unknown as { refundId: string }).refundId)), new Set([null, divided]));
  await refund(box, payment, { items: [{ lineItemId: items[1]?.id, quantity: 1 }] });
  await refund(box, payment, { shipping: [fee] });
  await refund(box, payment, {});
  await checkBooks(t, id, 0);
  const found = (await invoicesOf(box, id)) as unknown as {
    kind: string;
    credited: object;
    totals: { total: object };
  }[];
  for (const { credited, totals } of found.filter(({ kind }) => kind === 'invoice')) t.same(credited, totals.total);
});

t.test('a cancellation credits all of both', async (t) => {
  const { id } = await invoiced();
  await choose(id, 'cash_on_delivery');
  await bodyOf(box.staff.post(`/admin/orders/${id}/cancel`));
  t.strictSame((await summaryAfter(id)).toSorted(), ['credit_note 3466 + 658 = 4124', removed, invoice, added]);
});

t.test('a corrected invoice leaves out the fee that has an invoice of its own', async (t) => {
  const { id } = await invoiced();
  await choose(id, 'cash_on_delivery');
  const [{ id: first } = { id: '' }] = await invoicesOf(box, id);
  await bodyOf(credit(box, first));
  await bodyOf(issue(box, id, { buyer: { name: 'Analytical Engines Ltd' } }));
  t.strictSame(await summaryAfter(id), [invoice, added, 'credit_note 3466 + 658 = 4124', invoice]);
  await checkBooks(t, id, 4716);
  await choose(id, 'bank_transfer');
  await checkBooks(t, id, 4124);
});

t.test('what staff have credited of the fee is not credited again', async (t) => {
  const { id } = await invoiced();
  await choose(id, 'cash_on_delivery');
  const [, { id: second } = { id: '' }] = await invoicesOf(box, id);
  await bodyOf(credit(box, second, { amount: eur(92) }));
  await choose(id, 'bank_transfer');
  const notes = (await invoicesOf(box, id)).slice(2).map(({ totals }) => totals.total.amount);
  t.strictSame(notes, [92, 500]);
});

t.test('an order that is paid because a fee was removed has its invoice', async (t) => {
  await setInvoices(box, { issueOn: 'payment' });
  const { id } = await placeTaxed(box);
  await choose(id, 'cash_on_delivery');
  await pay(box, id, 4124);
  t.strictSame(await summaryAfter(id), []);
  t.match(await choose(id, 'bank_transfer'), { status: 409, body: { code: 'nothing_to_pay' } });
  t.strictSame(await summaryAfter(id), [invoice]);
  await setInvoices(box, { issueOn: 'manual' });
});

t.test('repeated deliveries issue nothing', async (t) => {
  const { id } = await invoiced();
  await choose(id, 'cash_on_delivery');
  const payment = await pay(box, id, 4716);
  await refund(box, payment, { amount: eur(700) });
  const before = await summaryAfter(id);
  for (const type of ['order.charges_changed', 'refund.created', 'payment.captured']) {
    await followOrder(box.db, id, { type, createdAt: new Date().toISOString() });
  }
  t.strictSame(await summaryOf(box, id), before);
});

t.test('an order in a currency without a fee has none', async (t) => {
  const { id } = await place(box, draftOf(1000, { currency: 'USD' }));
  await bodyOf(issue(box, id));
  await choose(id, 'cash_on_delivery');
  t.strictSame(await summaryOf(box, id), ['invoice 1000 + 0 = 1000']);
});

t.test('a document of an earlier release names its charges by their code', async (t) => {
  const charge = (id: string, charged: number) => ({ id, kind: 'shipping', code: fee, charged: eur(charged) });
  const order = (id: string, charged: number) =>
    ({ adjustments: [charge(id, charged)] }) as unknown as Parameters<typeof isCharged>[0];
  const line = (chargeId?: string) =>
    ({
      lineItemId: null,
      shippingCode: fee,
      chargeId,
      credit: 0,
      parts: [{ group: 0, net: 500, taxes: [92] }],
    }) as unknown as ContentLine;
  t.equal(isCharged(order('one', 592), line()), true);
  t.equal(isCharged(order('one', 300), line()), false);
  t.equal(isCharged(order('one', 300), line('one')), true);
  t.equal(isCharged(order('other', 592), line('one')), false);
});
