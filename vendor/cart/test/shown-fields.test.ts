/**
 * Fields that totals steps add to carts in responses.
 */
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, gatherExtensions, packagesOfTier, shortName, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import { cartSchema, cartTotals, totalsOrder, totalsStep } from '../index.ts';
import { Cart } from '../schemas.ts';
import { forSale, openBox } from './helpers.ts';

const index = `
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { definePackage, object, Type } from '@carton/runtime';

const reads = (db) => db.query('select nextval($2) as number, $1::uuid', ['perk_reads']);
const perks = totalsStep({
  name: 'perks',
  order: totalsOrder.discount,
  reads,
  adjust: ({ totals }, [{ number }]) => [{ code: 'perk', label: 'Perk', kind: 'discount', amount: -100 }],
  shows: {
    schema: object({ total: Type.Integer(), lines: Type.Integer(), read: Type.Integer() }),
    of: ({ totals, lines }, [{ number }]) => ({ total: totals.total, lines: lines.length, read: number }),
    empty: { total: 0, lines: 0, read: 0 },
  },
});
const post = totalsStep({
  name: 'post',
  order: totalsOrder.shipping,
  reads,
  adjust: (_, [{ number }]) => [{ code: 'post', label: String(number), kind: 'shipping', amount: 490 }],
});
export default definePackage({ routes: [], extends: [cartTotals.with(post), cartTotals.with(perks)] });
`;
const migration = `export const up = (knex) => knex.raw('create sequence perk_reads');
export const down = (knex) => knex.raw('drop sequence perk_reads');
`;
const written = { name: 'perk', dependencies: ['cart'], index, migration };
const box = await createTestBox(t, await writePackage(t, written, packagesOfTier('basic').map(shortName)));
const shirt = await forSale(box, { price: 5000 });
const isShown = { total: 5390, lines: 1 };

t.test('every response with a cart shows the fields, after all steps', async (t) => {
  const shopper = box.shopper();
  const empty = { total: 0, lines: 0, read: 0 };
  t.strictSame((await shopper.get('/cart')).body.perks, empty, 'without a cart');
  t.strictSame((await shopper.get('/checkout')).body.cart.perks, empty);
  t.strictSame((await shopper.patch('/cart', { note: 'Hello' })).body.perks, empty, 'a cart without lines');
  const added = await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 });
  t.match(added.body.perks, isShown);
  const { id, items } = added.body;
  const address = { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' };
  for (const { status, body } of [
    await shopper.get('/cart'),
    await shopper.patch('/cart', { note: 'Hello again' }),
    await shopper.patch(`/cart/items/${items[0].id}`, { quantity: 1 }),
    await shopper.put('/cart/shipping-address', address),
    await shopper.put('/cart/billing-address', address),
    await box.staff.get(`/admin/carts/${id}`),
  ]) {
    t.match({ status, perks: body.perks }, { status: 200, perks: isShown });
  }
  t.match((await shopper.get('/checkout')).body.cart.perks, isShown);
});

t.test('a cart without lines in the totals shows what the step computes', async (t) => {
  const unpriced = await forSale(box);
  const shopper = await shopperWith(box, [unpriced, 1]);
  await unpriced.price([]);
  const { perks, adjustments } = (await shopper.get('/cart')).body;
  t.match(perks, { total: 0, lines: 0 });
  t.ok(perks.read > 0);
  t.strictSame(adjustments, []);
});

t.test('steps with the same reads share the result', async (t) => {
  const { perks, adjustments } = (await (await shopperWith(box, [shirt, 1])).get('/cart')).body;
  t.equal(adjustments[1].label, String(perks.read));
});

t.test('the document declares the fields', async (t) => {
  const { schemas } = (await box.visitor().get('/docs/json')).body.components;
  for (const schema of [schemas.Cart, schemas.AdminCart]) {
    t.strictSame(Object.keys(schema.properties.perks.properties), ['total', 'lines', 'read']);
    t.ok(schema.required.includes('perks'));
  }
  t.ok('status' in schemas.AdminCart.properties);
});

t.test('a box whose steps show nothing has plain carts', async (t) => {
  const plain = await openBox(t);
  t.equal(cartSchema(plain.box.database), Cart);
  t.strictSame(Object.keys((await plain.shopper().get('/cart')).body).sort(), Object.keys(Cart.properties).sort());
});

t.test('a step cannot replace a field of carts', async (t) => {
  const items = totalsStep({
    name: 'items',
    order: totalsOrder.discount,
    adjust: () => [],
    shows: { schema: Cart.properties.note, of: () => null, empty: null },
  });
  const extensions = gatherExtensions([cartTotals.with(items)]);
  t.throws(() => cartSchema({ extensions }), { message: /the totals step items shows a field/ });
});
