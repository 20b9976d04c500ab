/**
 * Categories as shoppers see them: those that are visible, below visible ones only.
 */
import { namedHandle } from '@carton/core';
import { listPublishedProducts, type Product, type ViewRequest } from '@carton/product';
import { decodeCursor, looksLikeId, notFound, type Page, pageOfRows, type TenantDatabase } from '@carton/runtime';
import { type Category, type CategoryQuery, type CategoryRow, maximumLevels } from './schemas.ts';
import {
  categories,
  findByOldHandle,
  idsOf,
  listChildren,
  listProductsAfter,
  listSubtree,
  listTree,
  type ProductPlace,
  start,
  type TreeRow,
} from './store.ts';

/** The visible categories of the upper levels: each is followed by what is below it. Always one statement. */
export async function listVisibleTree(db: TenantDatabase, levels = maximumLevels): Promise<TreeRow[]> {
  const rows = await listTree(db, levels - 1);
  const byParent = Map.groupBy(
    rows.filter(({ visible }) => visible),
    ({ parentId }) => parentId,
  );
  const from = (parentId: string | null): TreeRow[] =>
    (byParent.get(parentId) ?? []).flatMap((row) => [row, ...from(row.id)]);
  return from(null);
}

interface Visible {
  category: CategoryRow;
  ancestors: CategoryRow[];
}

/** A category by its id, its handle or a former handle, with what is above it; null if one of them is hidden. */
async function findVisible(db: TenantDatabase, name: string): Promise<Visible | null> {
  if (looksLikeId(name)) return ifVisible(db, await categories.findBy(db, { id: name }));
  const handle = await namedHandle(db, name);
  const found = await ifVisible(db, await categories.findBy(db, { handle }));
  return found ?? ifVisible(db, await findByOldHandle(db, handle));
}

async function ifVisible(db: TenantDatabase, category: CategoryRow | null): Promise<Visible | null> {
  if (!category?.visible) return null;
  const ancestors = await categories.findInOrder(db, idsOf(category.parentPath));
  return ancestors.every(({ visible }) => visible) ? { category, ancestors } : null;
}

/**
 * A visible category with its ancestors, its visible children, and one page of its own products in their order.
 * @throws not_found (404)
 */
export async function readCategory(
  db: TenantDatabase,
  name: string,
  { limit, cursor, ...view }: CategoryQuery & ViewRequest,
): Promise<Category> {
  const found = await findVisible(db, name);
  if (!found) throw notFound(`No category has the handle or id ${name}.`);
  const { category, ancestors } = found;
  const children = await listChildren(db, category.path);
  const products = await pageOfProducts(db, category.id, { limit, cursor }, view);
  return { ...category, ancestors, children: children.filter(({ visible }) => visible), products };
}

/** The ids of a visible category and of the visible ones below it, for `GET /products?category=`. */
export async function findVisibleSubtree(db: TenantDatabase, name: string): Promise<string[]> {
  const found = await findVisible(db, name);
  if (!found) return [];
  let hidden = '';
  const shown = [];
  for (const { id, path, visible } of await listSubtree(db, found.category.path)) {
    if (hidden !== '' && path.startsWith(hidden)) continue;
    if (visible) shown.push(id);
    else hidden = path;
  }
  return shown;
}

const sort = 'position';

/** Skips products that are unpublished or hidden, and reads on until the page is full. */
async function pageOfProducts(
  db: TenantDatabase,
  categoryId: string,
  { limit, cursor }: { limit: number; cursor?: string },
  view: ViewRequest,
): Promise<Page<Product>> {
  const batch = Math.max(100, limit + 1);
  const positions = new Map<string, number>();
  const found: Product[] = [];
  let after: ProductPlace | undefined = cursor === undefined ? start : placeOf(cursor);
  while (after && found.length <= limit) {
    const rows: ProductPlace[] = await listProductsAfter(db, categoryId, after, batch);
    for (const { productId, position } of rows) positions.set(productId, position);
    const ids = rows.map(({ productId }) => productId);
    found.push(...(await listPublishedProducts(db, ids, view, limit + 1 - found.length)));
    after = rows.length === batch ? rows.at(-1) : undefined;
  }
  return pageOfRows(found, limit, ({ id }) => [sort, positions.get(id) as number, id]);
}

function placeOf(cursor: string): ProductPlace {
  const [, position, productId] = decodeCursor(cursor, sort);
  return { position: Number(position), productId };
}
