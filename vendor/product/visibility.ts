/**
 * Which products a shopper sees. A package contributes a condition in SQL rather than a test of products already read,
 * so that it stands in the statement that reads them: pages are full, cursors hold, and nothing hidden leaves the
 * database.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import { describeViewer, type KnownViewer, type ProductViewer } from './viewer.ts';

export interface ProductVisibility {
  /**
   * True for a product that the viewer sees: SQL over the row called `products`, in which `$1` is the tenant and the
   * values begin at `$2`. One constant text, so that statements stay prepared; it reads the tables of its package.
   * @example `exists (select from channel_products listed where listed.tenant_id = $1 and listed.channel_id = $2
   *            and listed.product_id = products.id)`
   */
  readonly condition: string;
  /** The values for a viewer; null for one who sees every product, as far as this package goes. */
  values(viewer: KnownViewer): readonly unknown[] | null;
}

/** Who hides products. A shopper sees those for which all conditions hold. */
export const productVisibility = extensionPoint<ProductVisibility>('product.visibility');

/** What a viewer sees, as a part of statements over `products`. */
export interface Visible {
  /** The same for viewers whose statements have the same text. */
  readonly key: string;
  readonly values: readonly unknown[];
  /** The condition, its values beginning at this parameter; `true` where nothing is hidden. */
  sql(firstParameter: number): string;
}

/** Of whoever is hidden nothing. */
export const everything: Visible = { key: '', values: [], sql: () => 'true' };

/** @param viewer left out, a stranger */
export async function visibleTo(db: TenantDatabase, viewer: ProductViewer = {}): Promise<Visible> {
  const contributed = productVisibility.of(db);
  if (contributed.length === 0) return everything;
  const known = await describeViewer(db, viewer);
  const parts = contributed.flatMap(({ condition, values: valuesFor }, index) => {
    const values = valuesFor(known);
    return values ? [{ condition, values, name: index }] : [];
  });
  if (parts.length === 0) return everything;
  return {
    key: parts.map(({ name }) => name).join(),
    values: parts.flatMap(({ values }) => values),
    sql(firstParameter) {
      let next = firstParameter;
      const conditions = parts.map(({ condition, values }) => {
        const shift = next - 2;
        next += values.length;
        return `(${condition.replaceAll(/\$(\d+)/g, (_, number) => `$${number === '1' ? 1 : Number(number) + shift}`)})`;
      });
      return conditions.join(' and ');
    },
  };
}

/** The same for a query that is built: values stand in the order of their places. */
export function rawCondition(tenantId: string, visible: Visible): { sql: string; values: unknown[] } {
  const values: unknown[] = [];
  const sql = visible.sql(2).replaceAll(/\$(\d+)/g, (_, number) => {
    values.push(number === '1' ? tenantId : visible.values[Number(number) - 2]);
    return '?';
  });
  return { sql, values };
}
