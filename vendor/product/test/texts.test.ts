/**
 * Texts of products in the shopper's language: in lists and reads, in carts, and in the order that stores them.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { localesToTry } from '../reads/texts.ts';
import { channelPackage } from './channel-package.ts';

const others = ['tenant', 'pricing', 'region', 'inventory', 'cart', 'payment', 'order', 'checkout', 'collection'];
const box = await createTestBox(t, await channelPackage(t, others));

const created = await box.staff.post('/admin/products', {
  title: 'Linen shirt',
  description: 'Woven in Portugal.',
  status: 'published',
  options: [{ name: 'Size', values: ['Small', 'Large'] }],
});
const product = created.body;
const [small, large] = product.variants;
await box.db.insert('channel_products', { channelId: 'web', productId: product.id });
await box.staff.patch(`/admin/variants/${large.id}`, { title: 'The large one' });
const translate = (resourceId: string, locale: string, texts: Record<string, string>) =>
  box.db.insertMany(
    'product_texts',
    Object.entries(texts).map(([field, said]) => ({ resourceId, locale, field, said })),
  );
await translate(product.id, 'de', { title: 'Leinenhemd', description: 'In Portugal gewebt.' });
await translate(product.id, 'de-AT', { title: 'Leiberl aus Leinen' });
await translate(product.options[0].id, 'de', { name: 'Größe' });
await translate(product.options[0].values[0].id, 'de', { value: 'Klein' });

const inGerman = {
  title: 'Leinenhemd',
  description: 'In Portugal gewebt.',
  option: 'Größe',
  values: ['Klein', 'Large'],
  variants: ['Klein', 'The large one'],
  choices: ['Größe: Klein', 'Größe: Large'],
};
const own = {
  title: 'Linen shirt',
  description: 'Woven in Portugal.',
  option: 'Size',
  values: ['Small', 'Large'],
  variants: ['Small', 'The large one'],
  choices: ['Size: Small', 'Size: Large'],
};

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers.
function textsOf({ title, description, options, variants }: any) {
  return {
    title,
    description,
    option: options[0].name,
    values: options[0].values.map(({ value }: { value: string }) => value),
    variants: variants.map((variant: { title: string }) => variant.title),
    choices: variants.map((variant: { options: { name: string; value: string }[] }) =>
      variant.options.map(({ name, value }) => `${name}: ${value}`).join(),
    ),
  };
}

const accepting = (language: string) => ({ headers: { 'accept-language': language } });

t.test('lists, products, variants and collections are in the requested language', async (t) => {
  const visitor = box.visitor();
  await box.staff.post('/admin/collections', { title: 'All', productIds: [product.id] });
  for (const path of ['/products?', '/products/linen-shirt?', `/products/${product.id}?`, '/collections/all?']) {
    const read = async (query: string, options = {}) => {
      const { body } = await visitor.get(`${path}${query}`, options);
      return textsOf(body.items?.[0] ?? body.products?.items[0] ?? body);
    };
    t.strictSame(await read(''), own, path);
    t.strictSame(await read('locale=de'), inGerman, path);
    t.strictSame(await read('', accepting('fr;q=0.5, de;q=0.8')), inGerman, path);
    t.strictSame(await read('locale=fr', accepting('de')), own, 'the named one, or the store’s own');
    t.strictSame(
      await read('locale=de-AT'),
      { ...inGerman, title: 'Leiberl aus Leinen' },
      'each text falls back by itself',
    );
    t.strictSame(await read('', accepting('en, de')), own, 'the store’s own language is preferred');
  }
  const variant = await visitor.get(`/variants/${small.id}?locale=de`);
  t.match(variant.body, { title: 'Klein', options: exactly([{ name: 'Größe', value: 'Klein' }]) });
  const { body } = await visitor.get('/products?locale=de&fields=title');
  t.strictSame(body.items, [{ title: 'Leinenhemd' }]);
  t.match(await visitor.get('/products?locale=nonsense!'), {
    status: 400,
    body: { errors: exactly([{ pointer: '/locale' }]) },
  });
  t.strictSame(textsOf((await box.staff.get(`/admin/products/${product.id}?`, accepting('de'))).body), own, 'staff');
});

t.test('a cart is in its language, and the order stores the texts it was placed with', async (t) => {
  for (const { id } of [small, large]) {
    await box.staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 500 }] });
    await box.staff.patch(`/admin/stock-items/${id}`, { tracked: false });
  }
  const shopper = box.shopper();
  for (const { id } of [small, large]) await shopper.post('/cart/items', { variantId: id, quantity: 1 });
  const names = (items: { title: string; variantTitle: string }[]) =>
    items.map(({ title, variantTitle }) => `${title}, ${variantTitle}`);
  t.strictSame(names((await shopper.get('/cart')).body.items), ['Linen shirt, Small', 'Linen shirt, The large one']);
  t.equal((await shopper.patch('/cart', { locale: 'de' })).status, 200);
  t.strictSame(names((await shopper.get('/cart')).body.items), ['Leinenhemd, Klein', 'Leinenhemd, The large one']);
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } });
  t.equal(placed.status, 201);
  await box.db.query(`update product_texts set said = 'Anders' where tenant_id = $1`);
  const order = (await box.staff.get(`/admin/orders/${placed.body.id}`)).body;
  t.strictSame(names(order.items), ['Leinenhemd, Klein', 'Leinenhemd, The large one']);
});

t.test('the locales that are looked up', (t) => {
  const locales = (language: string, locale?: string, own = 'en-GB') =>
    localesToTry({ locale, headers: { 'accept-language': language } }, own);
  t.strictSame(locales('de-AT, fr'), ['de-AT', 'de', 'fr']);
  t.strictSame(locales('de-AT, fr', 'pt-BR'), ['pt-BR', 'pt']);
  t.strictSame(locales('fr, en, de'), ['fr'], 'none after the store’s own language');
  t.strictSame(locales('en-US, de'), ['en-US'], 'but a variety of the store’s own language');
  t.strictSame(locales('EN-gb, de'), []);
  t.end();
});
