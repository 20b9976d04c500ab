/**
 * Product rules as conditions over `products`.
 */
import { foldedCase, type Page, type TenantDatabase } from '@carton/runtime';
import { type Condition, published, type RawCondition, rawCondition } from '../conditions-store.ts';
import { type ProductRow, products } from '../store.ts';
import type { ProductCondition, ProductRule } from './schemas.ts';

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

/** A page of the published products for which a rule holds and that are visible, newest first. */
export function pageByRule(
  db: TenantDatabase,
  rule: ProductRule,
  place: { limit: number; cursor?: string },
  visible: Condition,
): Promise<Page<ProductRow>> {
  const { sql, values } = conditionOf(rule);
  const shown = rawCondition(db.tenantId, visible);
  const meets = { sql: `${sql} and ${published} and ${shown.sql}`, values: [...values, ...shown.values] };
  return products.page(db, { ...place, meets }, { status: 'published' });
}
