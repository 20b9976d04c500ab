/**
 * A promotion that chooses by facts which other packages contribute, and what those cost.
 */
import { json, newId, shortName } from '@carton/runtime';
import { type Caller, countRoundTrips, createTestBox, packagesOfTier, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import { findPricedCart } from '../index.ts';
import { forSale, sessionOf, shopperWith } from './helpers.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table promotions (
      tenant_id uuid not null references tenants (id),
      code text not null,
      percent integer not null,
      condition jsonb not null,
      primary key (tenant_id, code)
    );
  \`);
export const down = (knex) => knex.raw('drop table promotions');
`;
const index = `
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { ruleConditionSchema } from '@carton/product';
import { definePackage, json, object, percentOf, route, Type, varying } from '@carton/runtime';

const promotions = totalsStep({
  name: 'promotion',
  order: totalsOrder.discount,
  reads: (db) => db.query('select code, percent, condition from promotions where tenant_id = $1 order by code'),
  conditions: (rows) => rows.map(({ condition }) => condition),
  adjust: ({ lines }, rows, { holds }) =>
    rows.flatMap(({ code, percent, condition }) =>
      lines
        .filter((line) => holds(condition, line))
        .map(({ id, total }) => ({
          code,
          label: code,
          kind: 'discount',
          amount: -percentOf(total, percent),
          lineId: id,
          source: { type: 'promotion', id: code },
        })),
    ),
});

const Promotion = (condition) =>
  object({ code: Type.String({ minLength: 1, maxLength: 60 }), percent: Type.Integer({ minimum: 1, maximum: 100 }), condition });
const create = varying(
  route(
    {
      method: 'post',
      path: '/admin/promotions',
      operationId: 'createPromotion',
      tag: 'Promotions',
      summary: 'Create a promotion',
      access: 'staff',
      body: Promotion(Type.Any()),
      status: 204,
    },
    async ({ db, body }) => {
      await db.insert('promotions', { ...body, condition: json(body.condition) });
    },
  ),
  (box) => ({ body: Promotion(ruleConditionSchema(box)) }),
);

export default definePackage({ routes: [create], extends: [cartTotals.with(promotions)] });
`;
const written = { name: 'promotion', dependencies: ['cart', 'product'], index, migration };
const box = await createTestBox(t, await writePackage(t, written, packagesOfTier('enterprise').map(shortName)));
const { db, staff } = box;
const tenant = box.box.database.forTenant(box.id);
const [shirt, socks, hat] = [await forSale(box), await forSale(box), await forSale(box)];

/** Which products of a cart have which promotions. */
async function applied(shopper: Caller): Promise<[title: string, code: string, amount: number][]> {
  const { items, adjustments } = (await shopper.get('/cart')).body;
  return adjustments.map(({ itemId, code, amount }: { itemId: string; code: string; amount: { amount: number } }) => [
    items.find(({ id }: { id: string }) => id === itemId).title,
    code,
    amount.amount,
  ]);
}
const promote = (code: string, percent: number, condition: unknown) =>
  staff.post('/admin/promotions', { code, percent, condition });
t.afterEach(() => db.remove('promotions', {}));

t.test('by a collection made by hand, one by rule, and by product', async (t) => {
  const byHand = (await staff.post('/admin/collections', { title: 'Hand', productIds: [shirt.productId] })).body;
  const conditions = [{ field: 'title', operator: 'equals', value: socks.title }];
  const byRule = (await staff.post('/admin/collections', { title: 'Rule', rule: { match: 'all', conditions } })).body;
  const ofCollections = (...collectionIds: string[]) => ({ fact: 'collection', argument: { collectionIds } });
  const shopper = await shopperWith(box, [shirt, 1], [socks, 1], [hat, 1]);
  await promote('HAND', 10, ofCollections(byHand.id));
  t.strictSame(await applied(shopper), [[shirt.title, 'HAND', -100]]);
  await promote('RULE', 20, ofCollections(byRule.id.toUpperCase()));
  await promote('BOTH', 5, ofCollections(byHand.id, byRule.id));
  await promote('HAT', 30, { fact: 'product', argument: { productIds: [hat.productId] } });
  t.strictSame(await applied(shopper), [
    [shirt.title, 'BOTH', -50],
    [socks.title, 'BOTH', -50],
    [shirt.title, 'HAND', -100],
    [hat.title, 'HAT', -300],
    [socks.title, 'RULE', -200],
  ]);
  await staff.put(`/admin/collections/${byHand.id}/products`, { productIds: [] });
  await staff.delete(`/admin/collections/${byRule.id}`);
  t.strictSame(await applied(shopper), [[hat.title, 'HAT', -300]], 'what has left a collection is in it no more');
});

t.test('a condition is held against the fact it names, in the document too', async (t) => {
  const refused = async (condition: unknown) => (await promote('X', 10, condition)).status;
  t.equal(await refused({ fact: 'weather', argument: {} }), 400);
  t.equal(await refused({ fact: 'collection', argument: {} }), 400);
  t.equal(await refused({ fact: 'collection', argument: { collectionIds: ['x'] } }), 400);
  t.equal(await refused({ fact: 'collection', argument: { collectionIds: [] } }), 400);
  t.equal(await refused({ fact: 'collection', argument: { collectionIds: [newId()], more: 1 } }), 400);
  t.equal(await refused({ fact: 'collection', argument: { collectionIds: [newId()] } }), 204);
  const { RuleCondition } = (await box.visitor().get('/docs/json')).body.components.schemas;
  const described = RuleCondition.anyOf.map(({ description }: { description: string }) => description);
  t.strictSame(described.sort(), ['It is one of the products', 'The product is in one of the collections']);
});

t.test('what no package of the box can tell gives nothing away', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await db.insert('promotions', { code: 'OLD', percent: 50, condition: json({ fact: 'weather', argument: {} }) });
  t.strictSame(await applied(shopper), []);
});

t.test('facts are read once for all lines and rules, in one more round trip', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1], [socks, 2], [hat, 3]);
  const count = () => countRoundTrips(box.box.database, () => findPricedCart(tenant, sessionOf(shopper)));
  t.equal(await count(), 2, 'the cart, and all about it');
  await promote('HAT', 30, { fact: 'product', argument: { productIds: [hat.productId] } });
  t.equal(await count(), 2, 'a fact that needs no reading costs nothing');
  for (const title of ['One', 'Two', 'Three']) {
    const { body } = await staff.post('/admin/collections', { title, productIds: [shirt.productId, hat.productId] });
    await promote(title, 10, { fact: 'collection', argument: { collectionIds: [body.id] } });
  }
  t.equal(await count(), 3);
  t.equal((await applied(shopper)).length, 7);
});
