/**
 * A promotion whose conditions use facts of other packages, and the round trips this takes.
 */
import { shopperWith } from '@carton/cart/testing';
import { json, newId } from '@carton/runtime';
import {
  type Caller,
  countRoundTrips,
  createTestBox,
  packagesOfTier,
  shortName,
  writePackage,
} from '@carton/runtime/testing';
import t from 'tap';
import { findPricedCart } from '../index.ts';
import { forSale, sessionOf } from './helpers.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table discount_rules (
      tenant_id uuid not null references tenants (id),
      code text not null,
      percent integer not null,
      condition jsonb not null,
      primary key (tenant_id, code)
    );
  \`);
export const down = (knex) => knex.raw('drop table discount_rules');
`;
const index = `
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { ruleConditionSchema } from '@carton/product';
import { definePackage, json, object, percentOf, route, Type, withOverrides } from '@carton/runtime';

const promotions = totalsStep({
  name: 'discount_rule',
  order: totalsOrder.discount,
  reads: (db) => db.query('select code, percent, condition from discount_rules where tenant_id = $1 order by code'),
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
          source: { type: 'discount_rule', id: code },
        })),
    ),
});

const Promotion = (condition) =>
  object({ code: Type.String({ minLength: 1, maxLength: 60 }), percent: Type.Integer({ minimum: 1, maximum: 100 }), condition });
const create = withOverrides(
  route(
    {
      method: 'post',
      path: '/admin/discount-rules',
      operationId: 'createDiscountRule',
      tag: 'Discounts',
      summary: 'Create a discount rule',
      access: 'staff',
      body: Promotion(Type.Any()),
      status: 204,
    },
    async ({ db, body }) => {
      await db.insert('discount_rules', { ...body, condition: json(body.condition) });
    },
  ),
  (box) => ({ body: Promotion(ruleConditionSchema(box)) }),
);

export default definePackage({ routes: [create], extends: [cartTotals.with(promotions)] });
`;
const written = { name: 'perk', dependencies: ['cart', 'product'], index, migration };
const box = await createTestBox(t, await writePackage(t, written, packagesOfTier('enterprise').map(shortName)));
const { db, staff } = box;
const tenant = box.box.database.forTenant(box.id);
const [shirt, socks, hat] = [await forSale(box), await forSale(box), await forSale(box)];

/** The promotions applied to each product of a cart. */
async function applied(shopper: Caller): Promise<[title: string, code: string, amount: number][]> {
  const { lines = [], adjustments = [] } = (await findPricedCart(tenant, sessionOf(shopper))) ?? {};
  return adjustments.map(({ lineId, code, amount }) => [
    lines.find(({ id }) => id === lineId)?.variant.productTitle ?? '',
    code,
    amount,
  ]);
}
const promote = (code: string, percent: number, condition: unknown) =>
  staff.post('/admin/discount-rules', { code, percent, condition });
t.afterEach(() => db.remove('discount_rules', {}));

t.test('a promotion applies by manual collection, by rule-based collection and by product', async (t) => {
  const manual = (await staff.post('/admin/collections', { title: 'Manual', productIds: [shirt.productId] })).body;
  const conditions = [{ field: 'title', operator: 'equals', value: socks.title }];
  const ruleBased = (await staff.post('/admin/collections', { title: 'Rule', rule: { match: 'all', conditions } }))
    .body;
  const ofCollections = (...collectionIds: string[]) => ({ fact: 'collection', argument: { collectionIds } });
  const shopper = await shopperWith(box, [shirt, 1], [socks, 1], [hat, 1]);
  await promote('MANUAL', 10, ofCollections(manual.id));
  t.strictSame(await applied(shopper), [[shirt.title, 'MANUAL', -100]]);
  await promote('RULE', 20, ofCollections(ruleBased.id.toUpperCase()));
  await promote('BOTH', 5, ofCollections(manual.id, ruleBased.id));
  await promote('HAT', 30, { fact: 'product', argument: { productIds: [hat.productId] } });
  t.strictSame(await applied(shopper), [
    [shirt.title, 'BOTH', -50],
    [socks.title, 'BOTH', -50],
    [hat.title, 'HAT', -300],
    [shirt.title, 'MANUAL', -100],
    [socks.title, 'RULE', -200],
  ]);
  await staff.put(`/admin/collections/${manual.id}/products`, { productIds: [] });
  await staff.delete(`/admin/collections/${ruleBased.id}`);
  t.strictSame(
    await applied(shopper),
    [[hat.title, 'HAT', -300]],
    'products removed from a collection no longer match',
  );
});

t.test("a condition is validated against its fact's schema, which the document shows", async (t) => {
  const statusOf = async (condition: unknown) => (await promote('X', 10, condition)).status;
  t.equal(await statusOf({ fact: 'weather', argument: {} }), 400);
  t.equal(await statusOf({ fact: 'collection', argument: {} }), 400);
  t.equal(await statusOf({ fact: 'collection', argument: { collectionIds: ['x'] } }), 400);
  t.equal(await statusOf({ fact: 'collection', argument: { collectionIds: [] } }), 400);
  t.equal(await statusOf({ fact: 'collection', argument: { collectionIds: [newId()], more: 1 } }), 400);
  t.equal(await statusOf({ fact: 'collection', argument: { collectionIds: [newId()] } }), 204);
  const { RuleCondition } = (await box.visitor().get('/docs/json')).body.components.schemas;
  const described = RuleCondition.anyOf.map(({ description }: { description: string }) => description);
  t.strictSame(described.sort(), [
    'The product is in one of the categories, or in a category below one',
    'The product is in one of the collections',
    'The product is one of these',
  ]);
});

t.test('a condition on an unknown fact never holds', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await db.insert('discount_rules', { code: 'OLD', percent: 50, condition: json({ fact: 'weather', argument: {} }) });
  t.strictSame(await applied(shopper), []);
});

t.test('facts of all lines and rules take one more round trip', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1], [socks, 2], [hat, 3]);
  const count = () => countRoundTrips(box.box.database, () => findPricedCart(tenant, sessionOf(shopper)));
  t.equal(await count(), 2, 'the cart, and everything that prices it');
  await promote('HAT', 30, { fact: 'product', argument: { productIds: [hat.productId] } });
  t.equal(await count(), 2, 'a fact without a query costs nothing');
  for (const title of ['One', 'Two', 'Three']) {
    const { body } = await staff.post('/admin/collections', { title, productIds: [shirt.productId, hat.productId] });
    await promote(title, 10, { fact: 'collection', argument: { collectionIds: [body.id] } });
  }
  t.equal(await count(), 3);
  t.equal((await applied(shopper)).length, 7);
});
