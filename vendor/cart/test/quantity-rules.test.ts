/**
 * Quantities that a product allows: least and largest quantity and step of a variant, all its lines together.
 */
import { findCart, priceSale, type StoredCart, saleOfCart } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { forSale } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const buyer = { customer: { email: 'ada@example.com' } };
const setRule = (productId: string, rule: object) => box.staff.patch(`/admin/products/${productId}`, rule);

t.test('quantities outside the rule are refused, and nothing changes', async (t) => {
  const wine = await forSale(box);
  await setRule(wine.productId, { minQuantity: 12, maxQuantity: 24, quantityStep: 6 });
  t.match((await box.visitor().get(`/products/${wine.productId}`)).body, {
    ...{ minQuantity: 12, maxQuantity: 24, quantityStep: 6 },
  });
  const shopper = box.shopper();
  const add = (quantity: number) => shopper.post('/cart/items', { variantId: wine.variantId, quantity });
  for (const quantity of [1, 6, 13, 30]) {
    const refused = await add(quantity);
    const detail = `Order ${wine.title} Only in quantities from 12 to 24, in steps of 6.`;
    t.match(refused, { status: 409, body: { code: 'quantity_limit', detail } }, String(quantity));
  }
  t.strictSame((await shopper.get('/cart')).body.items, []);
  t.match(await add(12), { status: 201, body: { items: exactly([{ quantity: 12, issues: exactly([]) }]) } });
  t.match(await add(18), { status: 409, body: { code: 'quantity_limit' } }, '30 in all');
  const { id } = (await shopper.get('/cart')).body.items[0];
  t.match(await shopper.patch(`/cart/items/${id}`, { quantity: 6 }), { status: 409, body: { code: 'quantity_limit' } });
  t.match(await shopper.patch(`/cart/items/${id}`, { quantity: 24 }), { status: 200 });
});

t.test('lines of one variant count together; other variants do not', async (t) => {
  const ring = await forSale(box);
  await setRule(ring.productId, { maxQuantity: 3 });
  const shopper = await shopperWith(box, [ring, 2]);
  const engraved = { variantId: ring.variantId, properties: { engraving: 'Ada' } };
  t.match(await shopper.post('/cart/items', { ...engraved, quantity: 2 }), { status: 409 });
  t.match(await shopper.post('/cart/items', { ...engraved, quantity: 1 }), { status: 201 });
  t.match(await shopper.post('/cart/items', { variantId: (await forSale(box)).variantId, quantity: 9 }), {
    status: 201,
  });
});

t.test('a rule that changes later gives lines an issue and prevents the order', async (t) => {
  const tea = await forSale(box);
  const shopper = await shopperWith(box, [tea, 5]);
  await setRule(tea.productId, { maxQuantity: 4 });
  t.match((await shopper.get('/cart')).body.items, exactly([{ issues: exactly(['quantity_limit']) }]));
  const detail = `Order ${tea.title} Only in quantities from 1 to 4.`;
  t.strictSame((await shopper.get('/checkout')).body.requirements, [{ code: 'quantity_limit', detail, pointer: null }]);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'cart_not_ready', detail } });
  await setRule(tea.productId, { maxQuantity: 5 });
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
});

t.test('a rule that allows no quantity is refused; a copy has the rule', async (t) => {
  const { productId } = await forSale(box);
  t.match(await setRule(productId, { minQuantity: 5, maxQuantity: 11, quantityStep: 12 }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/maxQuantity' }]) },
  });
  t.match(await setRule(productId, { minQuantity: 5, maxQuantity: 4 }), { status: 400 });
  t.match(await setRule(productId, { minQuantity: 0 }), { status: 400 });
  t.match(await setRule(productId, { minQuantity: 5, maxQuantity: 12, quantityStep: 12 }), { status: 200 });
  t.match(await setRule(productId, { maxQuantity: 11 }), { status: 400 }, 'with the stored values');
  const copy = await box.staff.post(`/admin/products/${productId}/duplicate`, {});
  t.match(copy.body, { minQuantity: 5, maxQuantity: 12, quantityStep: 12 });
  t.match(await setRule(productId, { maxQuantity: null }), { status: 200, body: { maxQuantity: null } });
});

t.test('a line at an agreed price is exempt', async (t) => {
  const oil = await forSale(box);
  const shopper = await shopperWith(box, [oil, 5]);
  await setRule(oil.productId, { maxQuantity: 4 });
  const sale = saleOfCart((await findCart(box.db, (await shopper.get('/cart')).body.id)) as StoredCart);
  const issuesAt = async (agreed: object) => {
    const lines = sale.lines.map((line) => ({ ...line, ...agreed }));
    return (await priceSale(box.db, { ...sale, lines })).lines.map(({ issues }) => issues);
  };
  t.strictSame(await issuesAt({}), [['quantity_limit']]);
  t.strictSame(await issuesAt({ unitPrice: 900 }), [[]]);
});
