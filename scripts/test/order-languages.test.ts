/**
 * Pages and mails about an order are written in one language each, with its formats and names of countries: that of the
 * order, else of the store, if the packages have it, else English. Packing lists are for staff, in that of the store.
 */
import { startMailServer } from '@carton/notification/testing';
import { mailTemplates } from '@carton/runtime';
import { createTestBox, until } from '@carton/runtime/testing';
import t from 'tap';

const server = await startMailServer();
const box = await createTestBox(t, { environment: server.environment });
t.teardown(() => server.stop());
const { staff } = box;

const product = await staff.post('/admin/products', { title: 'Mug', status: 'published' });
const [{ id: variantId }] = product.body.variants;
await staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 300_000 }] });
const [item] = (await staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items;
await staff.post(`/admin/stock-items/${item.id}/adjustments`, { quantity: 100, reason: 'received' });
await staff.patch('/admin/store', { legalName: 'Demo GmbH', address: 'Weg 1\n10115 Berlin' });

const languageOfPage = (page: string) => /<html lang="([^"]+)"/.exec(page)?.[1];
/** The names of Germany that a page or a mail has. */
const countriesIn = (text: string) =>
  ['Germany', 'Deutschland', 'Allemagne', 'Alemanha', 'Almanya', 'גרמניה', 'ドイツ', 'ألمانيا'].filter((name) =>
    text.includes(name),
  );

async function shownOf(locale: string | null) {
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId, quantity: 1 });
  if (locale !== null) await shopper.patch('/cart', { locale });
  const email = `${String(locale).toLowerCase()}.${server.mails.length}@shopper.example`;
  const address = { name: 'Ada', line1: 'Weg 2', postalCode: '10115', city: 'Berlin', country: 'DE' };
  const { body: order } = await shopper.post('/checkout', { customer: { email, name: 'Ada', address } });
  await staff.post(`/admin/orders/${order.id}/invoices`, {});
  const parcel = await staff.post(`/admin/orders/${order.id}/fulfillments`, {});
  const [mail] = await until(
    () => server.mails.filter(({ to }) => to === email),
    (found) => found.length > 0,
  );
  const pages = {
    confirmation: String((await shopper.get(`/checkout/${order.id}/confirmation`)).body),
    invoice: String((await shopper.get(`/checkout/${order.id}/invoice`)).body),
    packingList: String((await staff.get(`/admin/fulfillments/${parcel.body.id}/packing-list`)).body),
  };
  const { items } = (await staff.get(`/admin/notifications?resourceId=${order.id}`)).body;
  const language = (tag: string | null | undefined) => (tag ? new Intl.Locale(tag).language : tag);
  return {
    mail: [language(items[0].locale), ...countriesIn(mail?.text ?? '')],
    ...Object.fromEntries(
      Object.entries(pages).map(([name, page]) => [name, [language(languageOfPage(page)), ...countriesIn(page)]]),
    ),
  };
}

const german = ['de', 'Deutschland'];
const english = ['en', 'Germany'];
const cases: [store: string, order: string | null, shown: string[], packingList: string[]][] = [
  ['de', 'pt-BR', german, german],
  ['de', 'tr', german, german],
  ['de', 'he', german, german],
  ['de', null, german, german],
  ['de', 'fr-CA', ['fr', 'Allemagne'], german],
  ['de', 'ar', ['ar', 'ألمانيا'], german],
  ['tr', 'pt-BR', english, english],
  ['tr', 'ja', ['ja', 'ドイツ'], english],
];

for (const [defaultLocale, locale, shown, packingList] of cases) {
  t.test(`an order in ${locale} of a store in ${defaultLocale}`, async (t) => {
    t.equal((await staff.patch('/admin/store', { defaultLocale })).status, 200);
    t.strictSame(await shownOf(locale), { mail: shown, confirmation: shown, invoice: shown, packingList });
  });
}

t.test('values in the HTML of mails are apart from the words around them, as on pages', (t) => {
  const markup = /\{%[\s\S]*?%\}|<(?!\/?bdi>)[^>]*>/g;
  for (const { key, html, translations } of mailTemplates.of(box.box.database)) {
    for (const [language, texts] of Object.entries(translations ?? { en: { html } })) {
      const text = texts?.html?.replaceAll(markup, '').replaceAll(/<bdi>\{\{[^<]*?\}\}<\/bdi>/g, '');
      t.notMatch(text, '{{', `${key} in ${language}`);
    }
  }
  t.end();
});

t.test("a mail with the store's own text has names of countries in its language", async (t) => {
  await staff.patch('/admin/store', { defaultLocale: 'de' });
  const path = '/admin/notification-templates/order.placed';
  const text = '{{ order.shippingAddress | join: ", " }}';
  const { status } = await staff.patch(path, { texts: [{ locale: 'pt', subject: 'Pedido', text, html: null }] });
  t.equal(status, 200);
  t.strictSame((await shownOf('pt-BR')).mail, ['pt', 'Alemanha']);
});
