/**
 * Which products a shopper sees. A package contributes a condition in SQL rather than a test of products already read,
 * so that it stands in the statement that reads them: pages are full, cursors hold, and nothing hidden leaves the
 * database.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import { allOf, always, type Condition } from './conditions.ts';
import { type ProductViewer, type ResolvedViewer, resolveViewer } from './viewer.ts';

export interface ProductVisibility {
  /**
   * True for a product that the viewer sees: SQL over the row called `products`, in which `$1` is the tenant and the
   * values begin at `$2`. One constant text, so that statements stay prepared; it reads the tables of its package.
   * @example `exists (select from channel_products listed where listed.tenant_id = $1 and listed.channel_id = $2
   *            and listed.product_id = products.id)`
   */
  readonly condition: string;
  /** The values for a viewer; null for one who sees every product, as far as this package goes. */
  values(viewer: ResolvedViewer): readonly unknown[] | null;
}

/** Who hides products. A shopper sees those for which all conditions hold. */
export const productVisibility = extensionPoint<ProductVisibility>('product.visibility');

/** @param viewer left out, a stranger */
export async function visibleTo(db: TenantDatabase, viewer: ProductViewer = {}): Promise<Condition> {
  const contributed = productVisibility.of(db);
  if (contributed.length === 0) return always;
  const known = await resolveViewer(db, viewer);
  const parts = contributed.flatMap(({ condition, values: valuesFor }, index): Condition[] => {
    const values = valuesFor(known);
    return values ? [{ key: String(index), values, sql: (at) => `(${shifted(condition, at - 2)})` }] : [];
  });
  return allOf(parts);
}

/** A contributed condition whose values stand so many places further on. */
function shifted(condition: string, places: number): string {
  return condition.replaceAll(/\$(\d+)/g, (_, number) => `$${number === '1' ? 1 : Number(number) + places}`);
}
