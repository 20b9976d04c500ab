/**
 * Product rules: conditions over product fields, for packages whose lists of products fill themselves.
 */
import { foldedCase, object, oneOf, type Page, type Static, type TenantDatabase, Type } from '@carton/runtime';
import { published, type RawCondition, rawCondition } from '../conditions-store.ts';
import { listPublishedProducts } from '../products/service.ts';
import type { Product } from '../schemas.ts';
import { products } from '../store.ts';
import type { ViewRequest } from '../viewers/terms.ts';
import { visibleTo } from '../viewers/visibility.ts';

/** Text is compared as tags and SKUs are (`foldCase`). `sku` and `option_value` hold if they hold for one of the variants. */
export const ProductCondition = object(
  {
    field: oneOf(['title', 'handle', 'sku', 'option_value'], { examples: ['title'] }),
    operator: oneOf(['equals', 'contains', 'starts_with'], { examples: ['contains'] }),
    value: Type.String({ minLength: 1, maxLength: 200, examples: ['linen'] }),
  },
  { $id: 'ProductCondition' },
);
export type ProductCondition = Static<typeof ProductCondition>;

export const ProductRule = object(
  {
    match: oneOf(['all', 'any'], { description: 'Whether all conditions must hold, or one of them' }),
    conditions: Type.Array(ProductCondition, { minItems: 1, maxItems: 20 }),
  },
  { $id: 'ProductRule' },
);
export type ProductRule = Static<typeof ProductRule>;

const operators: Record<ProductCondition['operator'], (expression: string) => string> = {
  equals: (expression) => `${foldedCase(expression)} = ${foldedCase('?')}`,
  contains: (expression) => `strpos(${foldedCase(expression)}, ${foldedCase('?')}) > 0`,
  starts_with: (expression) => `starts_with(${foldedCase(expression)}, ${foldedCase('?')})`,
};

const variantOfProduct = `
  select 1 from product_variants variant
   where variant.tenant_id = products.tenant_id and variant.product_id = products.id and variant.deleted_at is null`;

const fields: Record<ProductCondition['field'], (compare: (expression: string) => string) => string> = {
  title: (compare) => compare('products.title'),
  handle: (compare) => compare('products.handle'),
  sku: (compare) => `exists (${variantOfProduct} and ${compare('variant.sku')})`,
  option_value: (compare) => `exists (${variantOfProduct} and exists (
    select 1 from product_option_values choice
     where choice.tenant_id = variant.tenant_id and choice.id = any(variant.option_value_ids) and ${compare('btrim(choice.value)')}))`,
};

/** The rule as a condition on rows of `products`, with its values. */
function conditionOf({ match, conditions }: ProductRule): RawCondition {
  const tests = conditions.map(({ field, operator }) => fields[field](operators[operator]));
  return {
    sql: `(${tests.join(match === 'all' ? ' and ' : ' or ')})`,
    values: conditions.map(({ value }) => value as never),
  };
}

/** The products, of any status, for which a rule holds. One statement. */
export async function filterProductsByRule(
  db: TenantDatabase,
  rule: ProductRule,
  productIds: readonly string[],
): Promise<Set<string>> {
  const { sql, values } = conditionOf(rule);
  const known = db.table<{ id: string }>('products').select('products.id').whereIn('products.id', productIds);
  const rows = await known.whereNull('deleted_at').whereRaw(sql, values);
  return new Set(rows.map(({ id }) => id));
}

/**
 * A page of the published products for which a rule holds, newest first, as the viewer may see them. Always four
 * statements. @throws invalid_request (400) for a cursor of another list
 */
export async function listProductsByRule(
  db: TenantDatabase,
  rule: ProductRule,
  place: { limit: number; cursor?: string },
  request: ViewRequest,
): Promise<Page<Product>> {
  const { sql, values } = conditionOf(rule);
  const visible = rawCondition(db.tenantId, await visibleTo(db, request.viewer));
  const meets = { sql: `${sql} and ${published} and ${visible.sql}`, values: [...values, ...visible.values] };
  const page = await products.page(db, { ...place, meets }, { status: 'published' });
  const ids = page.items.map(({ id }) => id);
  return { items: await listPublishedProducts(db, ids, request), nextCursor: page.nextCursor };
}
