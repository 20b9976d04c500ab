/**
 * Rules of collections: one made by hand holds ordered products, one with a rule fills itself.
 */
import {
  findProductIds,
  freeHandle,
  handleFromTitle,
  listProductsByRule,
  listPublishedProducts,
  looksLikeId,
  type Product,
  refuseIdAsHandle,
  type Wanted,
} from '@carton/product';
import {
  decodeCursor,
  defineProblem,
  encodeCursor,
  invalidField,
  isUniqueViolation,
  newId,
  notFound,
  type Page,
  publish,
  type TenantDatabase,
} from '@carton/runtime';
import { collectionUpdated } from './events.ts';
import {
  type AdminCollectionDetail,
  type ChangeCollection,
  type CollectionQuery,
  type CreateCollection,
  mostProducts,
} from './schemas.ts';
import {
  beginning,
  type CollectionRow,
  findCollection,
  findCollectionByHandle,
  handlesLike,
  insertCollection,
  lockCollection,
  type PlacedProduct,
  placedProducts,
  replaceProducts,
  updateCollection,
} from './store.ts';

type ProductPage = Page<Product>;

export const handleTaken = defineProblem({
  code: 'collection_handle_taken',
  status: 409,
  title: 'Another collection has this handle',
});
export const madeByRule = defineProblem({
  code: 'collection_made_by_rule',
  status: 409,
  title: 'The collection is filled by its rule',
});
export const madeByHand = defineProblem({
  code: 'collection_made_by_hand',
  status: 409,
  title: 'The collection is made by hand',
});

/** A collection by handle or id with one page of its published products, as the viewer sees them. @throws not_found (404) */
export async function readCollection(
  db: TenantDatabase,
  name: string,
  { limit, cursor, ...wanted }: CollectionQuery & Wanted,
): Promise<CollectionRow & { products: ProductPage }> {
  const collection = await (looksLikeId(name) ? findCollection(db, name) : findCollectionByHandle(db, name));
  if (!collection) throw notFound(`No collection is called ${name}.`);
  const products = collection.rule
    ? await listProductsByRule(db, collection.rule, { limit, cursor }, wanted)
    : await pageOfPlaced(db, collection.id, { limit, cursor }, wanted);
  return { ...collection, products };
}

const sort = 'position';

/** Products that are not published, or hidden, are passed over: more places are read until the page is full. */
async function pageOfPlaced(
  db: TenantDatabase,
  collectionId: string,
  { limit, cursor }: { limit: number; cursor?: string },
  wanted: Wanted,
): Promise<ProductPage> {
  const batch = Math.max(100, limit + 1);
  const positions = new Map<string, number>();
  const found: Product[] = [];
  let after: PlacedProduct | undefined = cursor === undefined ? beginning : placeOf(cursor);
  while (after && found.length <= limit) {
    const places: PlacedProduct[] = await placedProducts(db, collectionId, after, batch);
    for (const { productId, position } of places) positions.set(productId, position);
    const ids = places.map(({ productId }) => productId);
    found.push(...(await listPublishedProducts(db, ids, wanted, limit + 1 - found.length)));
    after = places.length === batch ? places.at(-1) : undefined;
  }
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const nextCursor =
    found.length > limit && last ? encodeCursor([sort, positions.get(last.id) as number, last.id]) : null;
  return { items, nextCursor };
}

function placeOf(cursor: string): PlacedProduct {
  const [, position, productId] = decodeCursor(cursor, sort);
  return { position: Number(position), productId };
}

/** A collection as staff work on it. @throws not_found (404) */
export async function readAdminCollection(db: TenantDatabase, id: string): Promise<AdminCollectionDetail> {
  const collection = await findCollection(db, id);
  if (!collection) throw unknownCollection(id);
  const places = await placedProducts(db, id, beginning, mostProducts);
  const ids = places.map(({ productId }) => productId);
  const known = await findProductIds(db, ids);
  return { ...collection, productIds: ids.filter((productId) => known.has(productId)) };
}

/** @throws invalid_request (400), collection_handle_taken (409) */
export function createCollection(db: TenantDatabase, body: CreateCollection): Promise<AdminCollectionDetail> {
  const { title, description = '', rule = null, productIds = [], externalId = null, metadata = {} } = body;
  refuseIdAsHandle(body.handle);
  if (rule && body.productIds) throw invalidField('/productIds', 'are not given together with a rule');
  const work = db.transaction(async (transaction) => {
    const products = await knownProducts(transaction, productIds);
    const id = newId();
    const handle = body.handle ?? (await handleFor(transaction, title));
    const kind = rule ? 'rule' : 'manual';
    const own = { externalId, metadata };
    await insertCollection(transaction, { id, handle, title, description, kind, rule, ...own });
    await replaceProducts(transaction, id, [], products);
    return announced(transaction, id);
  });
  return work.catch(throwTaken);
}

/** @throws not_found (404), invalid_request (400), collection_handle_taken (409), collection_made_by_hand (409) */
export function changeCollection(
  db: TenantDatabase,
  id: string,
  patch: ChangeCollection,
): Promise<AdminCollectionDetail> {
  refuseIdAsHandle(patch.handle);
  const work = db.transaction(async (transaction) => {
    const { kind } = await lockKnown(transaction, id);
    if (patch.rule && kind === 'manual') throw madeByHand('Set its products, or create another with a rule.');
    await updateCollection(transaction, id, patch);
    return announced(transaction, id);
  });
  return work.catch(throwTaken);
}

/** Sets the products of a collection made by hand. @throws not_found (404), invalid_request (400), collection_made_by_rule (409) */
export function setProducts(
  db: TenantDatabase,
  id: string,
  productIds: readonly string[],
): Promise<AdminCollectionDetail> {
  return db.transaction(async (transaction) => {
    const { kind } = await lockKnown(transaction, id);
    if (kind === 'rule') throw madeByRule('Change its rule instead.');
    const wanted = await knownProducts(transaction, productIds);
    const current = await placedProducts(transaction, id, beginning, mostProducts);
    await replaceProducts(transaction, id, current, wanted);
    await updateCollection(transaction, id, {});
    return announced(transaction, id);
  });
}

/** @throws not_found (404) */
export function deleteCollection(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (transaction) => {
    const collection = await lockKnown(transaction, id);
    await transaction.remove('collection_products', { collectionId: id });
    await transaction.remove('collections', { id });
    await announce(transaction, collection, true);
  });
}

async function lockKnown(db: TenantDatabase, id: string): Promise<CollectionRow> {
  const collection = await lockCollection(db, id);
  if (!collection) throw unknownCollection(id);
  return collection;
}

/** The ids as they are stored. @throws invalid_request (400) for one that is no product or stands twice */
async function knownProducts(db: TenantDatabase, given: readonly string[]): Promise<string[]> {
  const ids = given.map((id) => id.toLowerCase());
  const known = await findProductIds(db, ids);
  for (const [index, id] of ids.entries()) {
    if (!known.has(id)) throw invalidField(`/productIds/${index}`, 'is not a product of this shop');
    if (ids.indexOf(id) !== index) throw invalidField(`/productIds/${index}`, 'stands here twice');
  }
  return ids;
}

async function handleFor(db: TenantDatabase, title: string): Promise<string> {
  const stem = handleFromTitle(title, 'collection');
  return freeHandle(stem, await handlesLike(db, stem));
}

/** Tells of a collection as it is now, and answers it. */
async function announced(db: TenantDatabase, id: string): Promise<AdminCollectionDetail> {
  const collection = await readAdminCollection(db, id);
  await announce(db, collection, false);
  return collection;
}

function announce(
  db: TenantDatabase,
  { id, handle, title, kind }: Pick<CollectionRow, 'id' | 'handle' | 'title' | 'kind'>,
  deleted: boolean,
): Promise<void> {
  return publish(db, collectionUpdated, { type: 'collection', id }, { handle, title, kind, deleted });
}

function unknownCollection(id: string) {
  return notFound(`No collection has the id ${id}.`);
}

function throwTaken(error: unknown): never {
  throw isUniqueViolation(error, 'collections_handle') ? handleTaken() : error;
}
