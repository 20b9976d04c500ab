/**
 * The fact `category`, for rules of other packages: whether a product is in one of some categories, or below one.
 */
import { ruleFact } from '@carton/product';
import { object, type TenantDatabase, Type, Uuid } from '@carton/runtime';
import { idsOf, listPathsOfProducts } from './store.ts';

export const categoryFact = ruleFact({
  name: 'category',
  summary: 'The product is in one of the categories, or in a category below one',
  argument: object({ categoryIds: Type.Array(Uuid, { minItems: 1, maxItems: 100 }) }),
  reads: (db, { items }) => findCategoriesOf(db, [...new Set(items.map(({ productId }) => productId))]),
  holds: ({ categoryIds }, { item }, categories) =>
    item !== null && categoryIds.some((id) => categories.get(item.productId)?.has(id.toLowerCase()) ?? false),
});

/** The categories of products with everything above them, by product id. Hidden ones count too. */
async function findCategoriesOf(
  db: TenantDatabase,
  productIds: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const rows = await listPathsOfProducts(db, productIds);
  const byProduct = Map.groupBy(rows, ({ productId }) => productId);
  return new Map(
    [...byProduct].map(([productId, listed]) => [productId, new Set(listed.flatMap(({ path }) => idsOf(path)))]),
  );
}
