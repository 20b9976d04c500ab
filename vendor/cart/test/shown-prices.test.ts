/**
 * Pages of products show a shopper with a session what the cart charges, and everybody else what can be shared.
 */
import { shopperWith } from '@carton/cart/testing';
import { memberAuthenticators, newId } from '@carton/runtime';
import { bodyOf, type Caller, createTestBox, statementsOf } from '@carton/runtime/testing';
import t from 'tap';
import { forSale } from './helpers.ts';

const authenticator = memberAuthenticators.with({ identify: async (_, memberId) => ({ memberId }) });
const box = await createTestBox(t, { extends: [authenticator] });
const { staff } = box;
const region = async (currency: string, countries: string[]): Promise<string> =>
  (await bodyOf(staff.post('/admin/regions', { name: currency, currency, countries }))).id;
const germany = await region('EUR', ['DE']);
const france = await region('EUR', ['FR']);
const alps = await region('CHF', ['CH']);
const [shirt, hat] = [await forSale(box), await forSale(box)];
await shirt.price([
  { currency: 'EUR', amount: 1500 },
  { currency: 'EUR', amount: 1741, regionId: germany },
  { currency: 'EUR', amount: 1800, regionId: france },
  { currency: 'CHF', amount: 1900 },
]);
await hat.price([{ currency: 'EUR', amount: 500 }]);
const { handle } = await bodyOf(staff.get(`/admin/products/${shirt.productId}`));
const { id: category } = await bodyOf(staff.post('/admin/categories', { name: 'Shirts', handle: 'shirts' }));
await bodyOf(staff.put(`/admin/categories/${category}/products`, { productIds: [shirt.productId] }));
const address = (country: string) => ({ name: 'Ada', line1: '12 Rue', city: 'Lyon', country });

type Price = { amount: number; currency: string } | null;
interface Shown {
  id: string;
  variants: { id: string; price: Price }[];
}
const reads: Record<string, (body: never) => Price | undefined> = {
  '/products': ({ items }: { items: Shown[] }) => items.find(({ id }) => id === shirt.productId)?.variants[0]?.price,
  [`/products/${handle}`]: ({ variants }: Shown) => variants[0]?.price,
  [`/variants/${shirt.variantId}`]: ({ price }: { price: Price }) => price,
  '/categories/shirts': ({ products }: { products: { items: Shown[] } }) => products.items[0]?.variants[0]?.price,
};

/** The price and the Cache-Control of each read. */
async function shownTo(caller: Pick<Caller, 'get'>, query = '') {
  const shown: [path: string, price: Price | undefined, cache: string | null][] = [];
  for (const [path, priceOf] of Object.entries(reads)) {
    const { status, body, headers } = await caller.get(`${path}${query}`);
    t.equal(status, 200, path);
    shown.push([path, priceOf(body as never), headers.get('cache-control')]);
  }
  return shown;
}

const all = (price: Price, cache: string) => Object.keys(reads).map((path) => [path, price, cache]);
const own = 'private, no-store';
const shared = 'public, no-cache';
const euro = (amount: number) => ({ amount, currency: 'EUR' });

/** Compares every read with the line of the cart. */
async function sameAsCart(shopper: Caller, expected: Price, what: string) {
  const { items } = await bodyOf(shopper.get('/cart'));
  const line = items.find(({ variantId }: { variantId: string }) => variantId === shirt.variantId);
  t.strictSame(line.unitPrice, expected, what);
  t.strictSame(await shownTo(shopper), all(line.unitPrice, own), what);
}

t.test('pages show what the cart charges, as the cart changes', async () => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await sameAsCart(shopper, euro(1741), 'the default region');
  await bodyOf(shopper.put('/cart/shipping-address', address('FR')));
  await sameAsCart(shopper, euro(1800), 'the region of the address');
  await bodyOf(shopper.patch('/cart', { country: 'CH' }));
  await sameAsCart(shopper, { amount: 1900, currency: 'CHF' }, 'the chosen region');
  await bodyOf(shopper.patch('/cart', { regionId: germany }));
  await sameAsCart(shopper, euro(1741), 'another one');
  const member = box.shopper();
  member.headers.authorization = `Bearer ${newId()}`;
  await bodyOf(member.post('/cart/items', { variantId: shirt.variantId, quantity: 1 }));
  await bodyOf(member.patch('/cart', { country: 'FR' }));
  await sameAsCart(member, euro(1800), 'the cart of a member');
});

t.test('before the first item they show what it would cost', async (t) => {
  const member = box.shopper();
  member.headers.authorization = `Bearer ${newId()}`;
  t.strictSame(await shownTo(member), all(euro(1741), own));
  const item = { variantId: shirt.variantId, quantity: 1 };
  t.strictSame((await bodyOf(member.post('/cart/items', item))).items[0].unitPrice, euro(1741));
});

t.test('without a session, the response is the same for everybody', async (t) => {
  t.strictSame(await shownTo(box.visitor()), all(euro(1500), shared));
  t.strictSame(await shownTo(box.visitor(), `?regionId=${france}`), all(euro(1800), shared));
});

t.test('a region of the query wins, and so does another currency', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await bodyOf(shopper.patch('/cart', { country: 'FR' }));
  t.strictSame(await shownTo(shopper, `?regionId=${germany}`), all(euro(1741), own));
  t.strictSame(await shownTo(shopper, `?regionId=${alps}`), all({ amount: 1900, currency: 'CHF' }, own));
  t.strictSame(await shownTo(shopper, '?currency=CHF'), all({ amount: 1900, currency: 'CHF' }, own));
  t.strictSame(await shownTo(shopper, '?currency=EUR'), all(euro(1800), own), 'the currency of the cart');
});

t.test('ranges and orders by price use the prices that are shown', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  const found = async (caller: Pick<Caller, 'get'>) =>
    (await bodyOf(caller.get('/products?priceMin=1600'))).items.length;
  t.equal(await found(shopper), 1);
  t.equal(await found(box.visitor()), 0);
});

t.test('a session takes one statement more, and none is read without', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  for (const path of [...Object.keys(reads), '/products?sort=price', '/products?sort=-price&priceMin=100']) {
    const count = async (caller: Pick<Caller, 'get'>) =>
      (await statementsOf(box.db, async () => t.equal((await caller.get(path)).status, 200))).filter(
        (text) => !text.includes('session_keys'),
      );
    await count(shopper);
    const [without, within] = [await count(box.visitor()), await count(shopper)];
    t.equal(within.length, without.length + 1, path);
    t.strictSame(
      without.filter((text) => /\b(carts|regions)\b/.test(text)),
      [],
      path,
    );
  }
});
