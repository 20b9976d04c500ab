/**
 * Queries of `menus` and `menu_items`.
 */
import { replaceRows, rows, type TenantDatabase } from '@carton/runtime';
import { menuHandleTaken } from '../problems.ts';
import type { MenuSummary } from './schemas.ts';

export const menus = rows<MenuSummary>({
  table: 'menus',
  noun: 'menu',
  duplicates: { menus_handle: menuHandleTaken },
});

/** An item. `position` numbers the items of a menu from 0, each before those below it. */
export interface ItemRow {
  position: number;
  /** The number of items above it. */
  depth: number;
  title: string | null;
  url: string | null;
  targetType: string | null;
  targetId: string | null;
}

export function listItems(db: TenantDatabase, menuId: string): Promise<ItemRow[]> {
  return db.query<ItemRow>(
    `select position, depth, title, url, target_type, target_id from menu_items
      where tenant_id = $1 and menu_id = $2 order by position`,
    [menuId],
  );
}

/** Replaces the items of a menu that is locked. */
export function replaceItems(
  tx: TenantDatabase,
  menuId: string,
  current: readonly ItemRow[],
  items: readonly ItemRow[],
): Promise<void> {
  return replaceRows(tx, 'menu_items', { menuId }, 'position', current, items);
}

export async function removeItems(tx: TenantDatabase, menuId: string): Promise<void> {
  await tx.remove('menu_items', { menuId });
}

export async function countMenus(db: TenantDatabase): Promise<number> {
  const [row] = await db.query<{ count: number }>('select count(*)::int as count from menus where tenant_id = $1');
  return row?.count ?? 0;
}
