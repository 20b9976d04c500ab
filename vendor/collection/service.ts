/**
 * Rules of collections: a manual one lists its products by hand, the other kind has a rule that selects them.
 */
import { handleOfTitle, namedHandle } from '@carton/core';
import {
  findProductIds,
  listProductsByRule,
  listPublishedProducts,
  type Product,
  type ViewRequest,
} from '@carton/product';
import {
  decodeCursor,
  freeHandle,
  invalidField,
  looksLikeId,
  notFound,
  type Page,
  pageOfRows,
  publishedWrites,
  type TenantDatabase,
} from '@carton/runtime';
import { collectionEvents } from './events.ts';
import { collectionHasRule, collectionIsManual } from './problems.ts';
import {
  type AdminCollectionDetail,
  type ChangeCollection,
  type CollectionQuery,
  type CollectionRow,
  type CreateCollection,
  maximumProducts,
} from './schemas.ts';
import {
  type CollectionProduct,
  collections,
  listProductsAfter,
  removeProducts,
  replaceProducts,
  start,
} from './store.ts';

type ProductPage = Page<Product>;

/**
 * A collection by handle or id with one page of its published products, as the viewer sees them.
 * @throws not_found (404)
 */
export async function readCollection(
  db: TenantDatabase,
  name: string,
  { limit, cursor, ...view }: CollectionQuery & ViewRequest,
): Promise<CollectionRow & { products: ProductPage }> {
  const handle = await namedHandle(db, name);
  const collection = await collections.findBy(db, looksLikeId(handle) ? { id: handle } : { handle });
  if (!collection) throw notFound(`No collection has the handle or id ${name}.`);
  const products = collection.rule
    ? await listProductsByRule(db, collection.rule, { limit, cursor }, view)
    : await pageOfManual(db, collection.id, { limit, cursor }, view);
  return { ...collection, products };
}

const sort = 'position';

/** Skips products that are unpublished or hidden, and reads on until the page is full. */
async function pageOfManual(
  db: TenantDatabase,
  collectionId: string,
  { limit, cursor }: { limit: number; cursor?: string },
  view: ViewRequest,
): Promise<ProductPage> {
  const batch = Math.max(100, limit + 1);
  const positions = new Map<string, number>();
  const found: Product[] = [];
  let after: CollectionProduct | undefined = cursor === undefined ? start : positionOf(cursor);
  while (after && found.length <= limit) {
    const rows: CollectionProduct[] = await listProductsAfter(db, collectionId, after, batch);
    for (const { productId, position } of rows) positions.set(productId, position);
    const ids = rows.map(({ productId }) => productId);
    found.push(...(await listPublishedProducts(db, ids, view, limit + 1 - found.length)));
    after = rows.length === batch ? rows.at(-1) : undefined;
  }
  return pageOfRows(found, limit, ({ id }) => [sort, positions.get(id) as number, id]);
}

function positionOf(cursor: string): CollectionProduct {
  const [, position, productId] = decodeCursor(cursor, sort);
  return { position: Number(position), productId };
}

/** A collection for staff, without deleted products. @throws not_found (404) */
export async function readAdminCollection(db: TenantDatabase, id: string): Promise<AdminCollectionDetail> {
  const collection = await collections.require(db, id);
  const rows = await listProductsAfter(db, id, start, maximumProducts);
  const ids = rows.map(({ productId }) => productId);
  const known = await findProductIds(db, ids);
  return { ...collection, productIds: ids.filter((productId) => known.has(productId)) };
}

const { create, change, remove } = publishedWrites(collections, collectionEvents, 'collection');

/** @throws invalid_request (400), collection_handle_taken, external_id_taken (409) */
export function createCollection(
  db: TenantDatabase,
  { rule, productIds, handle, ...fields }: CreateCollection,
): Promise<AdminCollectionDetail> {
  if (rule && productIds) throw invalidField('/productIds', 'must be omitted for a collection with a rule');
  return create(db, async (tx) => {
    const products = await rowsOf(tx, productIds ?? []);
    const { id } = await collections.insert(tx, {
      ...fields,
      handle: handle ?? (await freeHandle(tx, 'collections', await handleOfTitle(tx, fields.title, 'collection'))),
      kind: rule ? 'rule' : 'manual',
      rule: rule ?? null,
    });
    await replaceProducts(tx, id, [], products);
    return readAdminCollection(tx, id);
  });
}

/** @throws not_found (404), collection_handle_taken, collection_made_by_hand, external_id_taken (409) */
export function changeCollection(
  db: TenantDatabase,
  id: string,
  patch: ChangeCollection,
): Promise<AdminCollectionDetail> {
  return change(db, id, async (tx, { kind }) => {
    if (patch.rule && kind === 'manual')
      throw collectionIsManual('Set its products, or create another collection with a rule.');
    await collections.change(tx, id, patch);
    return readAdminCollection(tx, id);
  });
}

/**
 * Sets the products of a manual collection.
 * @throws not_found (404), invalid_request (400), collection_made_by_rule (409)
 */
export function setProducts(
  db: TenantDatabase,
  id: string,
  productIds: readonly string[],
): Promise<AdminCollectionDetail> {
  return change(db, id, async (tx, { kind }) => {
    if (kind === 'rule') throw collectionHasRule('Change its rule instead.');
    const requested = await rowsOf(tx, productIds);
    const current = await listProductsAfter(tx, id, start, maximumProducts);
    await replaceProducts(tx, id, current, requested);
    await collections.change(tx, id, {});
    return readAdminCollection(tx, id);
  });
}

/** @throws not_found (404) */
export function deleteCollection(db: TenantDatabase, id: string): Promise<void> {
  return remove(db, id, (tx) => removeProducts(tx, id));
}

/** The rows of products in their order. @throws invalid_request (400) for an unknown product or a duplicate */
async function rowsOf(db: TenantDatabase, productIds: readonly string[]): Promise<CollectionProduct[]> {
  const ids = productIds.map((id) => id.toLowerCase());
  const known = await findProductIds(db, ids);
  for (const [index, id] of ids.entries()) {
    if (!known.has(id)) throw invalidField(`/productIds/${index}`, 'is not a product of this store');
    if (ids.indexOf(id) !== index) throw invalidField(`/productIds/${index}`, 'is a duplicate');
  }
  return ids.map((productId, position) => ({ productId, position }));
}
