/**
 * The page of an invoice: what it shows to whom, in which language, and that nothing in it becomes markup.
 */
import { newId } from '@carton/runtime';
import { bodyOf, faultsOfPhrases } from '@carton/runtime/testing';
import t from 'tap';
import { renderInvoices } from '../page/markup.ts';
import { invoicePhrases } from '../page/phrases.ts';
import { credit, customer, draftOf, eur, issue, openBox, place, placeTaxed, seller, setInvoices } from './helpers.ts';

const box = await openBox(t);
const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';

const textOf = (page: unknown) =>
  String(page)
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0\u202f]+/g, ' ');

/** A shopper, and the hash of the session that places orders. */
async function openShopper() {
  const shopper = box.shopper();
  const product = await bodyOf(box.staff.post('/admin/products', { title: 'Pen', status: 'published' }));
  const [{ id: variantId }] = product.variants;
  await bodyOf(box.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 100 }] }));
  const { items } = await bodyOf(box.staff.get(`/admin/stock-items?variantId=${variantId}`));
  await bodyOf(box.staff.post(`/admin/stock-items/${items[0].id}/adjustments`, { quantity: 1, reason: 'received' }));
  await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
  const [cart] = await box.db.query<{ sessionHash: string }>(
    'select session_hash from carts where tenant_id = $1 order by created_at desc limit 1',
  );
  return { shopper, sessionHash: cart?.sessionHash as string };
}

t.test('only the shopper who placed the order sees personal data', async (t) => {
  const { shopper, sessionHash } = await openShopper();
  const order = await placeTaxed(box, {
    sessionHash,
    customer: { ...customer, billing: 'Charles Babbage\nDorset Street' },
  });
  const path = `/checkout/${order.id}/invoice`;
  t.match(await shopper.get(path), { status: 404, body: { code: 'not_found' } }, 'not issued yet');
  const { id } = (await issue(box, order.id, { buyer: { vatNumber: 'GB980780684' }, note: 'Call Ada' })).body;
  await credit(box, id, { amount: eur(100), reason: 'Ada was upset' });
  const own = await shopper.get(path);
  t.equal(own.status, 200);
  t.equal(own.headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(own.headers.get('cache-control'), 'no-store');
  const personal = [
    'ada@example.com',
    'Ada Lovelace',
    '1 Way',
    'Charles Babbage',
    'Dorset Street',
    'GB980780684',
    'Call Ada',
    'Ada was upset',
  ];
  const text = textOf(own.body);
  const shown = [order.number, 'Demo Store SAS', 'FR40303265045', 'INV-1', 'CN-1', 'Shirt', '€41.24', 'VAT 19%'];
  for (const each of [...personal, ...shown]) t.ok(text.includes(each), each);
  for (const caller of [box.visitor(), box.shopper()]) {
    const other = textOf((await caller.get(path)).body);
    t.strictSame(
      shown.filter((each) => !other.includes(each)),
      [],
    );
    t.strictSame(
      [...personal, 'LYON , France', 'Babbage'].filter((each) => other.includes(each)),
      [],
    );
  }
  t.equal((await shopper.get(`/checkout/${newId()}/invoice`)).status, 404);
});

t.test('text of shoppers and staff never becomes markup', async (t) => {
  await setInvoices(box, { legalName: hostile, address: hostile, vatNumber: hostile.slice(0, 50), note: hostile });
  await bodyOf(box.staff.patch('/admin/store', { name: hostile.slice(0, 100) }));
  const { sessionHash, shopper } = await openShopper();
  const address = { name: hostile, line1: hostile, country: hostile, [hostile]: hostile };
  const order = await place(
    box,
    draftOf(119, {
      sessionHash,
      number: hostile,
      lines: [{ ...(draftOf(100).lines[0] as object), title: hostile, sku: hostile, variantTitle: hostile } as never],
      adjustments: [{ kind: 'tax', code: hostile, label: hostile, rate: 19, amount: 19, lineId: 'a' }],
      totals: { subtotal: 100, discount: 0, shipping: 0, tax: 19, credit: 0, total: 119 },
      customer: { email: hostile, name: hostile, address, billing: hostile },
    }),
  );
  const buyer = { name: hostile, address: hostile, vatNumber: hostile.slice(0, 50) };
  const { id } = await bodyOf(issue(box, order.id, { buyer, note: hostile }));
  await bodyOf(credit(box, id, { reason: hostile }));
  const page = String((await shopper.get(`/checkout/${order.id}/invoice`)).body);
  t.notMatch(page, /<script|<img|onerror=[^a]/);
  t.ok(page.split('&lt;script&gt;alert(1)&lt;/script&gt;').length > 20, 'all of it is shown as text');
  await setInvoices(box, { ...seller, note: null });
});

t.test('lines, rates and totals, in the form of the language', async (t) => {
  const order = await placeTaxed(box, { locale: 'de-DE' });
  const today = new Date().toISOString().slice(0, 10);
  const { id } = await bodyOf(issue(box, order.id, { suppliedOn: today }));
  await bodyOf(credit(box, id, { items: [{ lineItemId: order.items[0]?.id, quantity: 2 }] }));
  const page = String((await box.visitor().get(`/checkout/${order.id}/invoice`)).body);
  const [invoice, note] = page.split('</main>').map(textOf) as [string, string];
  t.match(
    invoice,
    `Leistungsdatum: ${new Date(today).toLocaleDateString('de', { dateStyle: 'long', timeZone: 'UTC' })}`,
  );
  t.match(invoice, 'Shirt Rabatt: -1,00 € 3 10,00 € 19 % 29,00 € Socks 1 5,00 € 19 % 5,00 € Standard 19 % 1,46 €');
  t.match(invoice, 'VAT 19 % 30,46 € 5,78 € 36,24 € VAT 19 % 4,20 € 0,80 € 5,00 €');
  t.match(invoice, 'Netto 34,66 € Steuer 6,58 € Gesamt 41,24 €');
  t.match(note, /Zur Rechnung INV-\d+ vom /);
  t.match(note, 'Shirt 2 10,00 € 19 % 19,34 €');
  t.notMatch(note, 'Socks');
  t.match(note, 'VAT 19 % 19,34 € 3,67 € 23,01 € Netto 19,34 € Steuer 3,67 € Gutgeschriebener Betrag 23,01 €');
});

t.test('all phrases are in each language, with the same places for values', async (t) => {
  t.strictSame(faultsOfPhrases(invoicePhrases), []);
});

t.test('taxes that apply together are shown with their amounts; what is not taxed too', async (t) => {
  const line = { ...(draftOf(10_000).lines[0] as object) } as ReturnType<typeof draftOf>['lines'][number];
  const tax = { kind: 'tax', lineId: 'a' } as const;
  const order = await place(
    box,
    draftOf(12_498, {
      lines: [line, { ...line, lineId: 'b', title: 'Gift', unitAmount: 1000, totalAmount: 1000 }],
      adjustments: [
        { ...tax, code: 'gst', label: 'GST', rate: 5, amount: 500 },
        { ...tax, code: 'qst', label: 'QST', rate: 9.975, amount: 998 },
      ],
      totals: { subtotal: 11_000, discount: 0, shipping: 0, tax: 1498, credit: 0, total: 12_498 },
    }),
  );
  await bodyOf(issue(box, order.id));
  const text = textOf((await box.visitor().get(`/checkout/${order.id}/invoice`)).body);
  t.match(text, 'GST 5% + QST 9.975% GST 5% : €5.00 QST 9.975% : €9.98 €100.00 €14.98 €114.98');
  t.match(text, 'No tax €10.00 €0.00 €10.00');
});

t.test('the logo of the store is the only image', async (t) => {
  await bodyOf(box.staff.patch('/admin/store', { logoUrl: 'https://cdn.example/logo.png' }));
  const order = await placeTaxed(box);
  await bodyOf(issue(box, order.id));
  await bodyOf(box.staff.patch('/admin/store', { logoUrl: null }));
  const page = await box.visitor().get(`/checkout/${order.id}/invoice`);
  t.match(String(page.body), '<img src="https://cdn.example/logo.png" alt="');
  t.match(page.headers.get('content-security-policy'), 'img-src https://cdn.example;');
  t.throws(() => renderInvoices([]));
});
