/**
 * Lookups of variants for other packages.
 */
import type { TenantDatabase } from '@carton/runtime';
import { always } from '../conditions-store.ts';
import type { ProductViewer } from '../viewers/service.ts';
import { visibleTo } from '../viewers/visibility.ts';
import { findVariantRows, findVariantRowsWithChoices, type VariantInfo } from './lookups-store.ts';
import { productTexts, translateVariants } from './texts.ts';

/** True for a variant that the viewer may buy. */
export function isForSale({ deleted, hidden, published }: VariantInfo): boolean {
  return !deleted && !hidden && published;
}

/**
 * Variants by id, deleted ones too; ids that the tenant does not have are left out.
 * @param viewer a shopper, as for carts: products that they may not see are `hidden`, and texts are in their language.
 *   Without one, nothing is hidden, and texts are in the store's language.
 */
export async function findVariants(
  db: TenantDatabase,
  ids: readonly string[],
  viewer?: ProductViewer,
): Promise<Map<string, VariantInfo>> {
  if (ids.length === 0) return new Map();
  const visible = viewer ? await visibleTo(db, viewer) : always;
  const hasTexts = viewer && productTexts.of(db).length > 0;
  const rows = hasTexts
    ? await translateVariants(db, await findVariantRowsWithChoices(db, ids, visible), viewer)
    : await findVariantRows(db, ids, visible);
  return new Map(rows.map((row) => [row.id, row]));
}
