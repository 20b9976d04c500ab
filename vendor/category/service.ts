/**
 * Rules of categories. They form a tree: one root for each category at the top, at most ten levels. Siblings are numbered
 * from 0 without gaps.
 *
 * All writes of the tree of one tenant wait for each other, so that each sees the tree as the one before left it. The
 * lock is taken before any row.
 */
import { handleOfTitle } from '@carton/core';
import { findProductTimes } from '@carton/product';
import {
  freeHandle,
  invalidField,
  leaveHandle,
  lockFor,
  moveAddress,
  publishedWrites,
  publishRow,
  type TenantDatabase,
  takeHandle,
} from '@carton/runtime';
import { categoryEvents } from './events.ts';
import { categoryCycle, categoryLimit, categoryTooDeep } from './problems.ts';
import {
  type CategoryProducts,
  type CategoryRow,
  type ChangeCategory,
  type CreateCategory,
  maximumCategories,
  maximumLevels,
  maximumProducts,
} from './schemas.ts';
import {
  type CategoryProduct,
  categories,
  countCategories,
  heightOf,
  isVisible,
  listChildren,
  listProductsAfter,
  movePaths,
  oldHandles,
  removeOldHandles,
  removeProducts,
  replaceProducts,
  setPositions,
  start,
  top,
} from './store.ts';

const { create, change, remove } = publishedWrites(categories, categoryEvents, 'category');

/** Runs a write of the tree in a transaction, alone among those of the tenant. */
function inTree<T>(db: TenantDatabase, work: (tx: TenantDatabase) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await lockFor(tx, 'category.tree');
    return work(tx);
  });
}

/** A place in the tree for a category. */
interface Place {
  parentId: string | null;
  parentPath: string;
  depth: number;
}

/** The place below a parent. @throws invalid_request (400) for an unknown parent */
async function placeBelow(tx: TenantDatabase, parentId: string | null): Promise<Place> {
  if (parentId === null) return { parentId, parentPath: top, depth: 0 };
  const parent = await categories.find(tx, parentId);
  if (!parent) throw invalidField('/parentId', 'is not a category of this store');
  return { parentId: parent.id, parentPath: parent.path, depth: parent.depth + 1 };
}

/** @throws category_too_deep (409) @param height the levels below the category */
function rejectTooDeep({ depth }: Place, height = 0): void {
  if (depth + height < maximumLevels) return;
  throw categoryTooDeep(`It would have ${depth + height + 1} levels; the maximum is ${maximumLevels}.`);
}

/** The ids with one more at a position; without a position, at the end. */
function withIdAt(ids: readonly string[], id: string, position = ids.length): string[] {
  return ids.toSpliced(position, 0, id);
}

async function childIdsOf(tx: TenantDatabase, path: string): Promise<string[]> {
  return (await listChildren(tx, path)).map(({ id }) => id);
}

/**
 * @throws invalid_request (400), category_handle_taken, external_id_taken, category_too_deep, category_limit (409)
 */
export function createCategory(
  db: TenantDatabase,
  { handle, parentId, position, ...fields }: CreateCategory,
): Promise<CategoryRow> {
  return inTree(db, (tree) =>
    create(tree, async (tx) => {
      if ((await countCategories(tx)) >= maximumCategories) {
        throw categoryLimit(`A store has at most ${maximumCategories} categories.`);
      }
      const place = await placeBelow(tx, parentId);
      rejectTooDeep(place);
      const siblings = await childIdsOf(tx, place.parentPath);
      const { id } = await categories.insert(tx, {
        ...fields,
        parentId: place.parentId,
        parentPath: place.parentPath,
        position: siblings.length,
        handle: handle ?? (await freeHandle(tx, 'categories', await handleOfTitle(tx, fields.name, 'category'))),
      });
      await setPositions(tx, withIdAt(siblings, id, position));
      const created = await categories.require(tx, id);
      await takeHandle(tx, oldHandles, created);
      return created;
    }),
  );
}

/**
 * Changes a category; with `parentId` or `position` it moves, together with everything below it.
 * @throws not_found (404), invalid_request (400), category_handle_taken, external_id_taken, category_cycle,
 *   category_too_deep (409)
 */
export function changeCategory(db: TenantDatabase, id: string, patch: ChangeCategory): Promise<CategoryRow> {
  return inTree(db, (tree) =>
    change(tree, id, async (tx, row) => {
      if (patch.handle === undefined || patch.handle === row.handle) return applyChange(tx, row, patch);
      const wasShown = await isVisible(tx, id);
      const changed = await applyChange(tx, row, patch);
      await keepOldHandle(tx, row, changed, wasShown);
      return changed;
    }),
  );
}

async function applyChange(
  tx: TenantDatabase,
  row: CategoryRow,
  { parentId, position, ...fields }: ChangeCategory,
): Promise<CategoryRow> {
  if (parentId === undefined && position === undefined) return categories.change(tx, row.id, fields);
  const place = parentId === undefined ? row : await placeBelow(tx, parentId);
  const isMoved = place.parentId !== row.parentId;
  if (isMoved) await rejectMove(tx, row, place);
  await categories.change(tx, row.id, { ...fields, parentId: place.parentId, parentPath: place.parentPath });
  if (isMoved) {
    await movePaths(tx, { from: row.path, to: `${place.parentPath}${row.id}/` });
    await setPositions(tx, await childIdsOf(tx, row.parentPath));
  }
  if (isMoved || position !== undefined) {
    const siblings = (await childIdsOf(tx, place.parentPath)).filter((sibling) => sibling !== row.id);
    await setPositions(tx, withIdAt(siblings, row.id, position));
  }
  return categories.require(tx, row.id);
}

/** @throws category_cycle, category_too_deep (409) */
async function rejectMove(tx: TenantDatabase, row: CategoryRow, place: Place): Promise<void> {
  if (place.parentPath.startsWith(row.path)) throw categoryCycle();
  rejectTooDeep(place, await heightOf(tx, row));
}

/** The old handle leads to the category from now on, and so does the old address if shoppers knew it and see the new one. */
async function keepOldHandle(
  tx: TenantDatabase,
  { id, handle }: CategoryRow,
  changed: CategoryRow,
  wasShown: boolean,
): Promise<void> {
  await takeHandle(tx, oldHandles, changed);
  await leaveHandle(tx, oldHandles, { id, handle, wasShown });
  if (!wasShown || !(await isVisible(tx, id))) return;
  await moveAddress(tx, { from: `/categories/${handle}`, to: `/categories/${changed.handle}` });
}

/**
 * Deletes a category, but not its products. What was directly below it takes its place among its siblings.
 * @throws not_found (404)
 */
export function deleteCategory(db: TenantDatabase, id: string): Promise<void> {
  return inTree(db, (tree) =>
    remove(tree, id, async (tx, row) => {
      const siblings = await childIdsOf(tx, row.parentPath);
      const children = await childIdsOf(tx, row.path);
      await removeProducts(tx, row.id);
      await removeOldHandles(tx, row.id);
      await movePaths(tx, { from: row.path, to: row.parentPath }, row);
      await setPositions(
        tx,
        siblings.flatMap((sibling) => (sibling === row.id ? children : [sibling])),
      );
      for (const child of await categories.findInOrder(tx, children)) {
        await publishRow(tx, categoryEvents.updated, 'category', child);
      }
    }),
  );
}

/** The products of a category in their order, without deleted ones. @throws not_found (404) */
export async function readProducts(db: TenantDatabase, id: string): Promise<CategoryProducts> {
  await categories.require(db, id);
  const rows = await listProductsAfter(db, id, start, maximumProducts);
  const ids = rows.map(({ productId }) => productId);
  const known = await findProductTimes(db, ids);
  return { productIds: ids.filter((productId) => known.has(productId)) };
}

/** Sets the products of a category, by what changed. @throws not_found (404), invalid_request (400) */
export function setProducts(db: TenantDatabase, id: string, productIds: readonly string[]): Promise<CategoryProducts> {
  return db.transaction(async (transaction) => {
    await change(transaction, id, async (tx, row) => {
      const requested = await rowsOf(tx, productIds);
      const current = await listProductsAfter(tx, row.id, start, maximumProducts);
      await replaceProducts(tx, row.id, current, requested);
      return categories.change(tx, row.id, {});
    });
    return readProducts(transaction, id);
  });
}

/** The rows of products in their order. @throws invalid_request (400) for an unknown product or a duplicate */
async function rowsOf(db: TenantDatabase, productIds: readonly string[]): Promise<CategoryProduct[]> {
  const ids = productIds.map((id) => id.toLowerCase());
  const times = await findProductTimes(db, ids);
  const seen = new Set<string>();
  return ids.map((productId, position) => {
    const productCreatedAt = times.get(productId);
    if (productCreatedAt === undefined) {
      throw invalidField(`/productIds/${position}`, 'is not a product of this store');
    }
    if (seen.has(productId)) throw invalidField(`/productIds/${position}`, 'is a duplicate');
    seen.add(productId);
    return { productId, position, productCreatedAt };
  });
}
