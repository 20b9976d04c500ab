/**
 * The fact `collection`, for rules of other packages: whether a product is in one of some collections.
 */
import { filterProductsByRule, ruleFact } from '@carton/product';
import { object, type TenantDatabase, Type, Uuid } from '@carton/runtime';
import { findMemberships } from './store.ts';

export const collectionFact = ruleFact({
  name: 'collection',
  summary: 'The product is in one of the collections',
  argument: object({ collectionIds: Type.Array(Uuid, { minItems: 1, maxItems: 100 }) }),
  reads(db, query) {
    const collectionIds = new Set(query.arguments.flatMap((each) => each.collectionIds.map((id) => id.toLowerCase())));
    const productIds = new Set(query.items.map(({ productId }) => productId));
    return findProductsOf(db, [...collectionIds], [...productIds]);
  },
  holds: ({ collectionIds }, { item }, products) =>
    item !== null && collectionIds.some((id) => products.get(id.toLowerCase())?.has(item.productId) ?? false),
});

/**
 * Those of the products that are in each collection, by collection id, without unknown collections. One statement, and
 * one more for each collection with a rule, in one round trip.
 */
async function findProductsOf(
  db: TenantDatabase,
  collectionIds: readonly string[],
  productIds: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const memberships = await findMemberships(db, collectionIds, productIds);
  const products = memberships.map(({ rule, productIds: listed }) =>
    rule ? filterProductsByRule(db, rule, productIds) : new Set(listed),
  );
  const found = await Promise.all(products);
  return new Map(memberships.map(({ id }, position) => [id, found[position] as ReadonlySet<string>]));
}
