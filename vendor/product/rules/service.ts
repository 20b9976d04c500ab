/**
 * Product rules: conditions over product fields, for packages whose lists of products fill themselves.
 */
import type { Page, TenantDatabase } from '@carton/runtime';
import type { Product } from '../reads/schemas.ts';
import { listPublishedProducts } from '../reads/service.ts';
import type { ViewRequest } from '../viewers/terms.ts';
import { visibleTo } from '../viewers/visibility.ts';
import type { ProductRule } from './schemas.ts';
import { pageByRule } from './store.ts';

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
  const page = await pageByRule(db, rule, place, await visibleTo(db, request.viewer));
  const ids = page.items.map(({ id }) => id);
  return { items: await listPublishedProducts(db, ids, request), nextCursor: page.nextCursor };
}
