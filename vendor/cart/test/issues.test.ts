/**
 * Lines that can no longer be ordered: the cart remains readable and reports the reasons, to checkout too.
 */
import { cartProblems, findPricedCart, type PricedCart, priceCart } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { forSale, openBox, sessionOf } from './helpers.ts';

const box = await openBox(t);
const none = { unitPrice: null, total: null };

t.test('each line has its issues, and a line without a price is not counted', async (t) => {
  const [fine, deleted, archived, unpriced, short] = await Promise.all(Array.from({ length: 5 }, () => forSale(box)));
  if (!fine || !deleted || !archived || !unpriced || !short) throw new Error('five products');
  const shopper = await shopperWith(box, [fine, 1], [deleted, 1], [archived, 1], [unpriced, 1], [short, 60]);
  t.strictSame(cartProblems((await findPricedCart(box.db, sessionOf(shopper))) as PricedCart), []);
  await box.staff.delete(`/admin/products/${deleted.productId}`);
  await box.staff.patch(`/admin/products/${archived.productId}`, { status: 'archived' });
  await unpriced.price([]);
  await short.stock(-50);

  const { status, body } = await shopper.get('/cart');
  t.equal(status, 200);
  t.match(
    body.items,
    exactly([
      { issues: [], total: { amount: 1000 } },
      { issues: ['unavailable'], title: deleted.title, ...none },
      { issues: ['unavailable'], title: archived.title, ...none },
      { issues: ['unpriced'], ...none },
      { issues: ['insufficient_stock'], total: { amount: 60_000 } },
    ]),
  );
  t.equal(body.totals.total.amount, 61_000);

  const priced = (await findPricedCart(box.db, sessionOf(shopper))) as PricedCart;
  const ids = body.items.map(({ id }: { id: string }) => id);
  t.match(
    cartProblems(priced),
    exactly([
      { code: 'item_unavailable', lineId: ids[1], detail: /no longer for sale/ },
      { code: 'item_unavailable', lineId: ids[2] },
      { code: 'item_unpriced', lineId: ids[3], detail: /no price in EUR/ },
      { code: 'insufficient_stock', lineId: ids[4], detail: /Fewer than 60/ },
    ]),
  );
  const codes = cartProblems(await priceCart(box.db, priced.cart, { stock: false })).map(({ code }) => code);
  t.notOk(codes.includes('insufficient_stock'), 'stock is not checked if it is taken next');

  const patch = (at: number, quantity: number) => shopper.patch(`/cart/items/${ids[at]}`, { quantity });
  t.match(await patch(1, 2), { status: 404, body: { code: 'variant_not_found' } });
  t.match(await patch(3, 2), { status: 409, body: { code: 'variant_not_priced' } });
  t.match(await patch(4, 51), { status: 409, body: { code: 'insufficient_stock' } });
  t.match(await patch(4, 50), { status: 200 }, 'a line can be reduced to the available stock');
  for (const at of [1, 2, 3]) t.equal((await shopper.delete(`/cart/items/${ids[at]}`)).status, 204);
  t.strictSame(cartProblems((await findPricedCart(box.db, sessionOf(shopper))) as PricedCart), []);
});

t.test('an empty cart is a problem', async (t) => {
  const shopper = await shopperWith(box, [await forSale(box), 1]);
  await shopper.delete('/cart');
  const problems = cartProblems((await findPricedCart(box.db, sessionOf(shopper))) as PricedCart);
  t.match(problems, exactly([{ code: 'cart_empty', lineId: null }]));
  t.equal(await findPricedCart(box.db, { hash: null, memberId: null }), null);
});

t.test('amounts stay exact: a line beyond the largest amount is not counted', async (t) => {
  const largest = 10_000_000_000;
  const gold = await Promise.all(Array.from({ length: 11 }, () => forSale(box, { price: largest, stock: 10_000 })));
  const shopper = await shopperWith(box, ...gold.slice(0, 10).map((each): [typeof each, number] => [each, 9999]));
  const { totals } = (await shopper.get('/cart')).body;
  t.equal(totals.total.amount, 10 * 9999 * largest);
  const [, , , last] = gold.slice(7);
  const more = await shopper.post('/cart/items', { variantId: last?.variantId, quantity: 9999 });
  t.match(more, { status: 409, body: { code: 'variant_not_priced', detail: /too large/ } });
});

t.test('two lines of one variant need stock for both', async (t) => {
  const few = await forSale(box, { stock: 5 });
  const shopper = await shopperWith(box, [few, 3]);
  const engraved = { variantId: few.variantId, properties: { engraving: 'Ada' } };
  const refused = await shopper.post('/cart/items', { ...engraved, quantity: 3 });
  t.match(refused, { status: 409, body: { code: 'insufficient_stock' } });
  t.equal((await shopper.post('/cart/items', { ...engraved, quantity: 2 })).status, 201);
  await few.stock(-1);
  const { items } = (await shopper.get('/cart')).body;
  t.strictSame(
    items.map(({ issues }: { issues: string[] }) => issues),
    [['insufficient_stock'], ['insufficient_stock']],
  );
});

t.test('a cart keeps the title of a product that was hidden and renamed since', async (t) => {
  const [added, replaced] = [await forSale(box), await forSale(box)];
  const shopper = await shopperWith(box, [added, 1]);
  const other = await shopperWith(box, [added, 1]);
  const put = { items: [{ variantId: replaced.variantId, quantity: 1 }] };
  t.equal((await other.put('/cart/items', put)).status, 200);
  const titles = async (of: typeof shopper) =>
    (await of.get('/cart')).body.items.map(({ title }: { title: string }) => title);
  const change = async (productId: string, patch: object) =>
    t.equal((await box.staff.patch(`/admin/products/${productId}`, patch)).status, 200);
  for (const { productId } of [added, replaced]) await change(productId, { title: 'In the open' });
  t.strictSame([await titles(shopper), await titles(other)], [['In the open'], ['In the open']]);
  for (const { productId } of [added, replaced]) await change(productId, { status: 'draft', title: 'Secret' });
  t.strictSame([await titles(shopper), await titles(other)], [[added.title], [replaced.title]]);
  const checkout = await shopper.get('/checkout');
  t.notMatch(JSON.stringify(checkout.body), /Secret/);
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com' } });
  t.notMatch(JSON.stringify(placed.body), /Secret/);
  await change(added.productId, { status: 'published' });
  t.strictSame(await titles(shopper), ['Secret'], 'once it is seen again');
});
