/**
 * Related products: an ordered list that staff set for a product. Rows of deleted products remain until the list is set
 * again, but no read returns them.
 */
import { invalidField, notFound, type TenantDatabase } from '@carton/runtime';
import { publishProductChange } from '../events.ts';
import { findProductIds } from '../reads/lookups-store.ts';
import { listPublishedProducts } from '../reads/service.ts';
import { findPublishedProductId } from '../reads/store.ts';
import { products } from '../store.ts';
import type { ViewRequest } from '../viewers/terms.ts';
import type { RelatedProductList, RelatedProducts, RelatedQuery, SetRelatedProducts } from './schemas.ts';
import { listRelatedRows, lockProducts, type RelatedRow, replaceRelated } from './store.ts';

/** The related products that are not deleted. @throws not_found (404) */
export async function readRelated(db: TenantDatabase, productId: string): Promise<RelatedProducts> {
  const { id } = await products.require(db, productId);
  const rows = await listRelatedRows(db, id);
  const known = await findProductIds(
    db,
    rows.map(({ relatedId }) => relatedId),
  );
  const left = rows.filter(({ relatedId }) => known.has(relatedId));
  return { items: left.map(({ relatedId, kind }) => ({ productId: relatedId, kind })) };
}

/** Sets the related products of a product. @throws not_found (404), invalid_request (400) */
export function setRelated(db: TenantDatabase, productId: string, body: SetRelatedProducts): Promise<RelatedProducts> {
  return db.transaction(async (tx) => {
    const { id } = await products.require(tx, productId);
    const rows = body.items.map((item, position) => ({
      relatedId: item.productId.toLowerCase(),
      kind: item.kind,
      position,
    }));
    const existing = await lockProducts(tx, [id, ...rows.map(({ relatedId }) => relatedId)]);
    if (!existing.has(id)) throw notFound(`No product has the id ${id}.`);
    rejectInvalidRows(id, rows, existing);
    await replaceRelated(tx, id, await listRelatedRows(tx, id), rows);
    await publishProductChange(tx, await products.change(tx, id, {}));
    return readRelated(tx, id);
  });
}

/** @throws invalid_request (400) for an unknown product, a duplicate or the product itself */
function rejectInvalidRows(productId: string, rows: readonly RelatedRow[], existing: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const { relatedId, position } of rows) {
    const pointer = `/items/${position}/productId`;
    if (relatedId === productId) throw invalidField(pointer, 'is the product itself');
    if (!existing.has(relatedId)) throw invalidField(pointer, 'is not a product of this store');
    if (seen.has(relatedId)) throw invalidField(pointer, 'is a duplicate');
    seen.add(relatedId);
  }
}

/**
 * The published products related to a published one, as the viewer may see them. Their number does not change the number
 * of statements. @throws not_found (404)
 */
export async function listRelated(
  db: TenantDatabase,
  name: string,
  { kind, limit, ...request }: RelatedQuery & ViewRequest,
): Promise<RelatedProductList> {
  const id = await findPublishedProductId(db, name, request.viewer);
  if (id === null) throw notFound(`No product has the handle or id ${name}.`);
  const rows = (await listRelatedRows(db, id)).filter((row) => kind === undefined || row.kind === kind);
  if (rows.length === 0) return { items: [] };
  const kindOf = new Map(rows.map((row) => [row.relatedId, row.kind]));
  const shown = await listPublishedProducts(db, [...kindOf.keys()], request, limit);
  return { items: shown.map((product) => ({ kind: kindOf.get(product.id) as RelatedRow['kind'], product })) };
}
