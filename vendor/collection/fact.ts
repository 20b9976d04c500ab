/**
 * What rules of other packages may choose by: whether a product is in a collection.
 */
import { filterProductsByRule, ruleFact } from '@carton/product';
import { object, type TenantDatabase, Type, Uuid } from '@carton/runtime';
import { findMemberships } from './store.ts';

/** Most collections that one condition names. */
const mostCollections = 100;

export const collectionFact = ruleFact({
  name: 'collection',
  summary: 'The product is in one of the collections',
  argument: object({ collectionIds: Type.Array(Uuid, { minItems: 1, maxItems: mostCollections }) }),
  reads(db, query) {
    const collectionIds = new Set(query.arguments.flatMap((each) => each.collectionIds.map((id) => id.toLowerCase())));
    const productIds = new Set(query.items.map(({ productId }) => productId));
    return productsOf(db, [...collectionIds], [...productIds]);
  },
  holds: ({ collectionIds }, { item }, products) =>
    item !== null && collectionIds.some((id) => products.get(id.toLowerCase())?.has(item.productId) ?? false),
});

/**
 * Which of the products are in each collection, by its id; one that there is not is left out. One statement, and one
 * more for each collection that fills itself: these travel together.
 */
async function productsOf(
  db: TenantDatabase,
  collectionIds: readonly string[],
  productIds: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const collections = await findMemberships(db, collectionIds, productIds);
  const products = collections.map(({ rule, productIds: placed }) =>
    rule ? filterProductsByRule(db, rule, productIds) : new Set(placed),
  );
  const found = await Promise.all(products);
  return new Map(collections.map(({ id }, position) => [id, found[position] as ReadonlySet<string>]));
}
