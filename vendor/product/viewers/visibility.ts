/**
 * Visibility of products to shoppers. A package contributes an SQL condition rather than a function over products, so
 * that it is part of the statement that reads them: pages are full, cursors work, and no hidden product leaves the
 * database.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import { allOf, always, type Condition } from '../conditions-store.ts';
import { type ProductViewer, type ResolvedViewer, resolveViewer } from './service.ts';

export interface ProductVisibility {
  /**
   * True for a product that the viewer may see: SQL over the row `products`, in which `$1` is the tenant and the values
   * begin at `$2`. A constant text, so that statements stay prepared; it may read tables of its package.
   * @example `exists (select from channel_products listed where listed.tenant_id = $1 and listed.channel_id = $2
   *            and listed.product_id = products.id)`
   */
  readonly condition: string;
  /** The values for a viewer; null for one from whom this package hides nothing. */
  values(viewer: ResolvedViewer): readonly unknown[] | null;
}

/** A shopper sees the products for which all contributed conditions hold. */
export const productVisibility = extensionPoint<ProductVisibility>('product.visibility');

/** @param viewer default: an anonymous viewer */
export async function visibleTo(db: TenantDatabase, viewer: ProductViewer = {}): Promise<Condition> {
  const contributed = productVisibility.of(db);
  if (contributed.length === 0) return always;
  const known = await resolveViewer(db, viewer);
  const parts = contributed.flatMap(({ condition, values: valuesFor }, index): Condition[] => {
    const values = valuesFor(known);
    return values ? [{ key: String(index), values, sql: (at) => `(${renumber(condition, at - 2)})` }] : [];
  });
  return allOf(parts);
}

/** A contributed condition with its parameters renumbered by an offset. */
function renumber(condition: string, offset: number): string {
  return condition.replaceAll(/\$(\d+)/g, (_, number) => `$${number === '1' ? 1 : Number(number) + offset}`);
}
