/**
 * What was paid when an invoice was issued is not asked for again, and the day of the payment is that of a supply within the
 * European Union before anything was shipped. Credit notes say nothing of paying.
 */
import { bodyOf, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { renderInvoices } from '../page/markup.ts';
import { sheetOf } from '../pdf/sheet.ts';
import type { InvoiceRow } from '../store.ts';
import { at, brokenRules, parseXml } from './en16931.ts';
import { draftOf, eur, invoicesOf, issue, openBox, pay, place, placeTaxed, refund, setInvoices } from './helpers.ts';

const box = await openBox(t);
const today = new Date().toISOString().slice(0, 10);

async function ublOf(id: string) {
  const { status, body } = await box.staff.get(`/admin/invoices/${id}/files/ubl`);
  t.equal(status, 200);
  t.strictSame(brokenRules(String(body)), []);
  const [, root] = parseXml(String(body));
  return (path: string) => at(root, path)[0]?.text ?? null;
}

const sums = ['PrepaidAmount', 'PayableAmount'].map((name) => `LegalMonetaryTotal/${name}`);

/** The last totals of the page and of the PDF, without marks of direction. */
async function totalsOf(id: string) {
  const [row] = await box.db.query<InvoiceRow>('select * from invoices where tenant_id = $1 and id = $2', [id]);
  const page = String(renderInvoices([row as InvoiceRow])).replace(/[\s\S]*<table class="totals">/, '');
  const { totals, notes } = sheetOf(row as InvoiceRow);
  const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, '').replaceAll(/[\u00a0\u202f]/g, ' ');
  const sheet = totals.slice(2).map((pair) => pair.map(plain));
  return {
    sheet,
    notes: notes.map(plain),
    page: page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/[\s\u00a0\u202f]+/g, ' '),
  };
}

t.test('an invoice asks for what is left, and says what was paid when', async (t) => {
  await setInvoices(box, { note: 'Zahlbar sofort' });
  const order = await placeTaxed(box, { locale: 'de' });
  await pay(box, order.id, 4000);
  const invoice = await bodyOf(issue(box, order.id));
  t.strictSame(invoice.paid, { amount: eur(4000), on: today });
  const before = await ublOf(invoice.id);
  t.strictSame(sums.map(before), ['40.00', '1.24']);
  t.equal(before('PaymentTerms/Note'), 'Zahlbar sofort');
  t.equal(before('InvoiceLine/AllowanceCharge/AllowanceChargeReason'), 'Rabatt', 'in the words of the page');
  const day = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(today));
  const { sheet, notes, page } = await totalsOf(invoice.id);
  t.strictSame(sheet, [
    ['Gesamt', '41,24 €'],
    [`Bezahlt am ${day}`, '-40,00 €'],
    ['Zu zahlen', '1,24 €'],
  ]);
  t.strictSame(notes, ['Zahlbar sofort']);
  t.match(page, `Gesamt 41,24 € Bezahlt am ${day} -40,00 € Zu zahlen 1,24 €`);
  await pay(box, order.id, 124);
  t.strictSame(sums.map(await ublOf(invoice.id)), ['40.00', '1.24'], 'later payments do not change it');
});

t.test('an invoice that is paid in full has no terms of payment', async (t) => {
  const order = await placeTaxed(box);
  await pay(box, order.id, 4124);
  const { id } = await bodyOf(issue(box, order.id));
  const text = await ublOf(id);
  t.strictSame([...sums, 'PaymentTerms/Note'].map(text), ['41.24', '0.00', null]);
  const unpaid = await bodyOf(issue(box, (await placeTaxed(box)).id));
  t.equal(unpaid.paid, null);
  t.strictSame([...sums, 'PaymentTerms/Note'].map(await ublOf(unpaid.id)), [null, '41.24', 'Zahlbar sofort']);
  t.strictSame((await totalsOf(unpaid.id)).sheet, [['Total', '€41.24']]);
});

t.test(
  'a credit note has neither the note of the store nor what was paid, and its reason is in its language',
  async (t) => {
    const order = await placeTaxed(box, { locale: 'de' });
    const payment = await pay(box, order.id, 4124);
    await bodyOf(issue(box, order.id));
    await refund(box, payment, { amount: eur(1000) });
    await untilDelivered(box);
    const [, note] = await invoicesOf(box, order.id);
    const detail = await bodyOf(box.staff.get(`/admin/invoices/${note?.id}`));
    t.match(detail, { kind: 'credit_note', paid: null, reason: 'Erstattung', seller: { note: null } });
    const text = await ublOf(detail.id);
    t.strictSame(['LegalMonetaryTotal/PrepaidAmount', 'PaymentTerms/Note', 'Note'].map(text), [
      null,
      'Sofort fällig, sofern nicht anders vereinbart',
      'Erstattung',
    ]);
    t.strictSame((await totalsOf(detail.id)).notes, []);
  },
);

/** A sale to a business in Germany without tax. */
const intraCommunity = () => {
  const address = {
    name: 'Max',
    company: 'Muster GmbH',
    line1: 'Weg 1',
    postalCode: '10115',
    city: 'Berlin',
    country: 'DE',
  };
  const customer = { email: 'max@example.com', name: 'Max', address, taxNumber: 'DE136695976' };
  return place(box, draftOf(1000, { customer, taxExemption: 'intra_community' }));
};

t.test('on payment, the day of it is that of a supply within the EU, if nothing was shipped', async (t) => {
  await setInvoices(box, { issueOn: 'payment' });
  const order = await intraCommunity();
  await pay(box, order.id, 1000);
  await untilDelivered(box);
  const [invoice] = await invoicesOf(box, order.id);
  t.match(invoice, { suppliedOn: today });
  const text = await ublOf(invoice?.id as string);
  t.equal(text('Delivery/ActualDeliveryDate'), today);
  t.equal(text('TaxTotal/TaxSubtotal/TaxCategory/ID'), 'K');
  const shipped = await intraCommunity();
  await box.owner.query("update orders set fulfillment_status = 'partially_fulfilled' where id = $1", [shipped.id]);
  await pay(box, shipped.id, 1000);
  const taxed = await placeTaxed(box);
  await pay(box, taxed.id, 4124);
  await untilDelivered(box);
  for (const { id } of [shipped, taxed]) t.match((await invoicesOf(box, id))[0], { suppliedOn: null });
  const [late] = await invoicesOf(box, shipped.id);
  t.match(await box.staff.get(`/admin/invoices/${late?.id}/files/ubl`), {
    status: 409,
    body: { detail: /credit the invoice in full, and issue it again with suppliedOn/ },
  });
});
