/**
 * The confirmation of an order: what it shows to whom, and that nothing in it becomes markup.
 */
import { shopperWith } from '@carton/cart/testing';
import { pageWords } from '@carton/order';
import { languages, money, newId } from '@carton/runtime';
import { createTestBox, faultsOfPhrases } from '@carton/runtime/testing';
import t from 'tap';
import { renderConfirmation } from '../confirmation/page.ts';
import { confirmationPhrases } from '../confirmation/phrases.ts';
import { statePhrases } from '../confirmation/states.ts';
import { createArticle, textOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';

t.test('only the shopper who placed the order sees personal data', async (t) => {
  const mug = await createArticle(box, 'mug', 1250, 100);
  const shopper = await shopperWith(box, [mug, 2]);
  const customer = {
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    phone: '+33 1 23 45',
    address: { name: 'Ada Lovelace', line1: '12 Rue des Lilas', postalCode: '69001', city: 'Lyon', country: 'FR' },
  };
  const { id, number } = (await shopper.post('/checkout', { customer, notes: 'Gate code 7' })).body;
  const own = await shopper.get(`/checkout/${id}/confirmation`);
  t.equal(own.status, 200);
  t.equal(own.headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(own.headers.get('cache-control'), 'no-store');
  const policy = own.headers.get('content-security-policy') as string;
  t.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'/);
  const personal = ['ada@example.com', 'Ada Lovelace', '+33 1 23 45', '12 Rue des Lilas', '69001', 'Gate code 7'];
  const text = textOf(String(own.body));
  for (const each of [...personal, number, 'mug', '€25.00', 'France', 'Not paid yet']) t.ok(text.includes(each), each);
  for (const caller of [box.visitor(), box.shopper()]) {
    const other = textOf(String((await caller.get(`/checkout/${id}/confirmation`)).body));
    t.ok(other.includes(number) && other.includes('€25.00'));
    t.strictSame(
      [...personal, 'LYON'].filter((each) => other.includes(each)),
      [],
    );
  }
  t.match(await shopper.get(`/checkout/${newId()}/confirmation`), { status: 404, body: { code: 'not_found' } });
});

t.test('text of shoppers and staff never becomes markup', async (t) => {
  await box.staff.patch('/admin/store', { name: hostile.slice(0, 100) });
  const article = await createArticle(box, 'plain', 100, 100);
  await box.staff.patch(`/admin/products/${article.productId}`, { title: hostile });
  const shopper = box.shopper();
  const line = { variantId: article.variantId, quantity: 1, properties: { [hostile]: hostile } };
  t.equal((await shopper.post('/cart/items', line)).status, 201);
  const address = { name: hostile, line1: hostile, city: hostile, country: hostile, [hostile]: hostile };
  const customer = { email: 'ada@example.com', name: hostile, phone: hostile.slice(0, 50), address, billing: hostile };
  const placed = await shopper.post('/checkout', { customer, notes: hostile });
  t.equal(placed.status, 201);
  const { id } = placed.body;
  const page = String((await shopper.get(`/checkout/${id}/confirmation`)).body);
  t.notMatch(page, /<script|<img|onerror=[^a]/);
  t.ok(page.split('&lt;script&gt;alert(1)&lt;/script&gt;').length > 10, 'all of it is shown as text');
});

const eur = (amount: number) => money(amount, 'EUR');
const store = { name: 'Demo', logoUrl: null, defaultLocale: 'en-GB', timeZone: 'Pacific/Auckland' };

/** An order in which everything has a value. */
async function orderWith(over: Record<string, unknown>) {
  const cup = await createArticle(box, `cup-${newId()}`, 1000, 100);
  const shopper = await shopperWith(box, [cup, 1]);
  const { id } = (await shopper.post('/checkout', { customer: { email: 'ada@example.com' } })).body;
  const order = (await box.staff.get(`/admin/orders/${id}`)).body;
  return { ...order, createdAt: '2026-12-31T12:30:00.000Z', ...over };
}

t.test('sums are shown by label, with rates, in the form of the language', async (t) => {
  const adjustment = { itemId: null, shippingCode: null, source: null, charged: null, refunded: null };
  const order = await orderWith({
    locale: 'de-DE',
    paymentStatus: 'partially_paid',
    adjustments: [
      { ...adjustment, id: '1', kind: 'discount', code: 'sale', label: 'Sale', amount: eur(-100) },
      { ...adjustment, id: '2', kind: 'discount', code: 'sale', label: 'Sale', amount: eur(-50) },
      { ...adjustment, id: '3', kind: 'shipping', code: 'post', label: 'Post', amount: eur(490) },
    ],
    taxLines: [
      { id: '4', label: 'MwSt.', rate: 19, included: true, amount: eur(136) },
      { id: '5', label: 'MwSt.', rate: 19, included: true, amount: eur(78) },
      { id: '6', label: 'City', rate: 1.375, included: false, amount: eur(14) },
    ],
    totals: {
      subtotal: eur(1000),
      discount: eur(-150),
      shipping: eur(490),
      tax: eur(228),
      credit: eur(0),
      rounding: eur(0),
      total: eur(1354),
    },
    paid: eur(400),
    refunded: eur(46),
    balance: eur(1000),
    payBy: '2027-01-07T12:30:00.000Z',
  });
  const text = textOf(renderConfirmation(order, store).text);
  t.match(text, 'aufgegeben am 1. Januar 2027 um 01:30', 'the time zone of the store decides the day');
  t.match(
    text,
    'Zwischensumme 10,00 € Sale -1,50 € Post 4,90 € City 1,375 % 0,14 € Gesamt 13,54 € Enthält MwSt. 19 % 2,14 € Bezahlt 4,00 € Erstattet -0,46 € Noch zu zahlen 10,00 €',
  );
  t.match(text, 'Bitte zahlen Sie bis zum 8. Januar 2027 um 01:30 , sonst wird die Bestellung dann storniert.');
  t.match(text, 'Teilweise bezahlt');
});

t.test('the page names the language of its text', async (t) => {
  const order = await orderWith({});
  const page = (locale: string, defaultLocale = 'en-GB') =>
    renderConfirmation({ ...order, locale }, { ...store, defaultLocale }).text;
  t.match(page('he-IL'), /<html lang="en" dir="ltr">(.|\n)*Thank you for your order(.|\n)*1 January 2027/);
  t.match(page('ar'), /<html lang="ar" dir="rtl">(.|\n)*شكرًا لك على طلبك(.|\n)*يناير/);
  t.match(page('he-IL', 'fr-CA'), /<html lang="fr" dir="ltr">(.|\n)*Merci pour votre commande(.|\n)*1 janvier 2027/);
  for (const language of languages) {
    t.match(page(language), `<html lang="${language}"`);
    t.notMatch(textOf(page(language)), /[{}]|undefined/, language);
  }
  t.strictSame(faultsOfPhrases(pageWords), []);
  t.strictSame(faultsOfPhrases(confirmationPhrases), []);
  t.strictSame(faultsOfPhrases(statePhrases), []);
});

t.test('the logo of the store is the only image', async (t) => {
  const withLogo = { ...store, logoUrl: 'https://cdn.example/logo.png' };
  const { text, policy } = renderConfirmation(await orderWith({}), withLogo);
  t.match(text, '<img src="https://cdn.example/logo.png" alt="Demo">');
  t.match(policy, 'img-src https://cdn.example;');
});
