/**
 * Related products: an ordered list that staff set for a product. Rows of deleted products remain until the list is set
 * again, but no read returns them.
 */
import {
  invalidField,
  notFound,
  object,
  oneOf,
  replaceRows,
  type Static,
  type TenantDatabase,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { listPublishedProducts, publishProductChange } from '../products/service.ts';
import { findProductIds } from '../reads/lookups-store.ts';
import { findPublishedProductId } from '../reads/store.ts';
import { Product, viewParameters } from '../schemas.ts';
import { products } from '../store.ts';
import type { ViewRequest } from '../viewers/terms.ts';

export const maximumRelated = 50;

const kinds = ['related', 'upsell', 'cross_sell'] as const;
const Kind = oneOf(kinds, {
  description: '`upsell`: in place of the product. `cross_sell`: in addition to it',
  examples: ['upsell'],
});

const RelatedProduct = object({ productId: Uuid, kind: Kind }, { $id: 'RelatedProduct' });
export const RelatedProducts = object(
  { items: Type.Array(RelatedProduct, { maxItems: maximumRelated, description: 'In order' }) },
  { $id: 'RelatedProducts' },
);
export type RelatedProducts = Static<typeof RelatedProducts>;

export const SetRelatedProducts = object(
  {
    items: Type.Array(object({ productId: Uuid, kind: withOptions(Kind, { default: 'related' }) }), {
      maxItems: maximumRelated,
      description: 'All related products in order, each once',
    }),
  },
  { $id: 'SetRelatedProducts' },
);
export type SetRelatedProducts = Static<typeof SetRelatedProducts>;

/** Related products as shoppers see them. */
export const RelatedProductList = object(
  { items: Type.Array(object({ kind: Kind, product: Product })) },
  { $id: 'RelatedProductList' },
);
export type RelatedProductList = Static<typeof RelatedProductList>;

export const RelatedQuery = object({
  ...viewParameters,
  kind: Type.Optional(Kind),
  limit: Type.Integer({ minimum: 1, maximum: maximumRelated, default: 20, description: 'Most products to return' }),
});
export type RelatedQuery = Static<typeof RelatedQuery>;

interface RelatedRow {
  relatedId: string;
  kind: (typeof kinds)[number];
  position: number;
}

function relatedTo(db: TenantDatabase, productId: string): Promise<RelatedRow[]> {
  return db.query<RelatedRow>(
    `select related_id, kind, position from related_products
      where tenant_id = $1 and product_id = $2 order by position`,
    [productId],
  );
}

/** The related products that are not deleted. @throws not_found (404) */
export async function readRelated(db: TenantDatabase, productId: string): Promise<RelatedProducts> {
  const { id } = await products.require(db, productId);
  const rows = await relatedTo(db, id);
  const known = await findProductIds(
    db,
    rows.map(({ relatedId }) => relatedId),
  );
  const left = rows.filter(({ relatedId }) => known.has(relatedId));
  return { items: left.map(({ relatedId, kind }) => ({ productId: relatedId, kind })) };
}

/**
 * Locks products in the order of their ids, so that those who relate products to each other concurrently wait for one
 * another. Returns the ids of those that exist.
 */
async function lockProducts(tx: TenantDatabase, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `select id from products
      where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null order by id for no key update`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
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
    await replaceRows(tx, 'related_products', { productId: id }, 'relatedId', await relatedTo(tx, id), rows);
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
  const rows = (await relatedTo(db, id)).filter((row) => kind === undefined || row.kind === kind);
  if (rows.length === 0) return { items: [] };
  const kindOf = new Map(rows.map((row) => [row.relatedId, row.kind]));
  const shown = await listPublishedProducts(db, [...kindOf.keys()], request, limit);
  return { items: shown.map((product) => ({ kind: kindOf.get(product.id) as RelatedRow['kind'], product })) };
}
