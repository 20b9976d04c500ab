/**
 * Queries of the tables of category.
 */
import { byOldHandle, type OldHandles, replaceRows, rows, type TenantDatabase } from '@carton/runtime';
import { handleTaken } from './problems.ts';
import type { CategoryRow } from './schemas.ts';

export const categories = rows<CategoryRow>({
  table: 'categories',
  noun: 'category',
  json: ['metadata'],
  duplicates: { categories_handle: handleTaken },
  sorts: { position: { column: 'position', direction: 'asc' } },
  choices: { visible: [true, false] },
});

/** The path of the categories at the top. */
export const top = '/';

/** Ids from the top to the end of a path. */
export function idsOf(path: string): string[] {
  return path.split('/').filter((id) => id !== '');
}

/**
 * The condition for a category and everything below it: a range of the index, as paths are compared by their bytes and
 * `0` follows `/`.
 */
const within = (path: string) => `path >= ${path} and path < rtrim(${path}, '/') || '0'`;

/** What the tree shows of a category. */
export type TreeRow = Pick<CategoryRow, 'id' | 'handle' | 'name' | 'parentId' | 'depth' | 'path' | 'visible'>;
const treeColumns = 'id, handle, name, parent_id, depth, path, visible';

/** All categories down to a depth, in the order of siblings. */
export function listTree(db: TenantDatabase, depth: number): Promise<TreeRow[]> {
  return db.query<TreeRow>(
    `select ${treeColumns} from categories where tenant_id = $1 and depth <= $2 order by position, id`,
    [depth],
  );
}

/** The categories directly below a path, in their order. */
export function listChildren(db: TenantDatabase, path: string): Promise<TreeRow[]> {
  return db.query<TreeRow>(
    `select ${treeColumns} from categories where tenant_id = $1 and parent_path = $2 order by position, id`,
    [path],
  );
}

/** A category and everything below it; each comes after what is above it. */
export function listSubtree(db: TenantDatabase, path: string): Promise<Pick<CategoryRow, 'id' | 'path' | 'visible'>[]> {
  return db.query(`select id, path, visible from categories where tenant_id = $1 and ${within('$2')} order by path`, [
    path,
  ]);
}

/** The number of levels below a category. */
export async function heightOf(db: TenantDatabase, { path, depth }: CategoryRow): Promise<number> {
  const [row] = await db.query<{ deepest: number }>(
    `select max(depth) as deepest from categories where tenant_id = $1 and ${within('$2')}`,
    [path],
  );
  return (row?.deepest ?? depth) - depth;
}

export async function countCategories(db: TenantDatabase): Promise<number> {
  const [row] = await db.query<{ count: number }>('select count(*)::int as count from categories where tenant_id = $1');
  return row?.count ?? 0;
}

/**
 * Moves everything below a path to another one, in one statement.
 * @param children the parent of what was directly below the path, if it changes
 */
export async function movePaths(
  tx: TenantDatabase,
  { from, to }: { from: string; to: string },
  children?: { parentId: string | null },
): Promise<void> {
  await tx.query(
    `update categories
        set parent_path = $3 || substr(parent_path, length($2) + 1),
            parent_id = case when $4 and parent_path = $2 then $5::uuid else parent_id end,
            updated_at = now()
      where tenant_id = $1 and ${within('$2')} and path <> $2`,
    [from, to, children !== undefined, children?.parentId ?? null],
  );
}

/** Numbers siblings in the order of the ids; writes only those whose position changes. */
export async function setPositions(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update categories set position = place.number - 1, updated_at = now()
       from unnest($2::uuid[]) with ordinality as place (id, number)
      where tenant_id = $1 and categories.id = place.id and position <> place.number - 1`,
    [ids],
  );
}

/** A category by its former handle. */
export async function findByOldHandle(db: TenantDatabase, handle: string): Promise<CategoryRow | null> {
  const [row] = await db.query<CategoryRow>(
    `select * from categories where tenant_id = $1 and id = (${byOldHandle('category_old_handles', 'category_id')})`,
    [handle],
  );
  return row ?? null;
}

/** A product of a category. */
export interface CategoryProduct {
  productId: string;
  position: number;
  productCreatedAt: string;
}

/** A place among the products of a category. */
export type ProductPlace = Pick<CategoryProduct, 'productId' | 'position'>;

/** Comes before all products of a category. */
export const start: ProductPlace = { position: -1, productId: '00000000-0000-0000-0000-000000000000' };

/** The products of a category in their order, after a place. */
export function listProductsAfter(
  db: TenantDatabase,
  categoryId: string,
  after: ProductPlace,
  limit: number,
): Promise<CategoryProduct[]> {
  return db.query<CategoryProduct>(
    `select product_id, position, product_created_at from category_products
      where tenant_id = $1 and category_id = $2 and (position, product_id) > ($3, $4)
      order by position, product_id limit $5`,
    [categoryId, after.position, after.productId, limit],
  );
}

/** Writes what differs between the present products of a category and the requested ones. */
export function replaceProducts(
  tx: TenantDatabase,
  categoryId: string,
  present: readonly CategoryProduct[],
  requested: readonly CategoryProduct[],
): Promise<void> {
  return replaceRows(tx, 'category_products', { categoryId }, 'productId', present, requested);
}

export async function removeProducts(tx: TenantDatabase, categoryId: string): Promise<void> {
  await tx.remove('category_products', { categoryId });
}

/** The paths of the categories of products, one row for each. */
export function listPathsOfProducts(
  db: TenantDatabase,
  productIds: readonly string[],
): Promise<{ productId: string; path: string }[]> {
  return db.query(
    `select listed.product_id, categories.path
       from category_products listed
       join categories on categories.tenant_id = $1 and categories.id = listed.category_id
      where listed.tenant_id = $1 and listed.product_id = any($2::uuid[])`,
    [productIds],
  );
}

/** Whether shoppers see the row `categories`: neither it nor a category above it is hidden. */
export const visibleCondition = `visible and not exists (
  select from categories hidden
   where hidden.tenant_id = $1 and not hidden.visible and starts_with(categories.path, hidden.path))`;

/** Whether shoppers see a category. */
export async function isVisible(db: TenantDatabase, id: string): Promise<boolean> {
  const text = `select 1 from categories where tenant_id = $1 and id = $2 and ${visibleCondition}`;
  return (await db.query(text, [id])).length > 0;
}

export const oldHandles: OldHandles = { table: 'category_old_handles', owner: 'categoryId', isShown: isVisible };

export async function removeOldHandles(tx: TenantDatabase, categoryId: string): Promise<void> {
  await tx.remove('category_old_handles', { categoryId });
}
