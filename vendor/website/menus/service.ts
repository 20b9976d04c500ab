/**
 * Rules of menus. Items refer to targets by id; where they lead, and whether shoppers see them, is decided when the menu
 * is read.
 */
import { handleOfTitle, namedHandle } from '@carton/core';
import {
  freeHandle,
  invalidField,
  lockFor,
  looksLikeId,
  notFound,
  type StorefrontTarget,
  storefrontTargets,
  type TenantDatabase,
} from '@carton/runtime';
import { menuLimit } from '../problems.ts';
import { isSafeAddress } from './addresses.ts';
import {
  type AdminMenu,
  type CreateMenu,
  type ItemState,
  type Menu,
  type MenuSummary,
  maximumItems,
  maximumLevels,
  maximumMenus,
  type NewItem,
  type ReplaceMenu,
  type ShopperItem,
  type StaffItem,
} from './schemas.ts';
import { countMenus, type ItemRow, listItems, menus, removeItems, replaceItems } from './store.ts';

/** @throws invalid_request (400), menu_handle_taken, menu_limit (409) */
export function createMenu(db: TenantDatabase, { handle, name, items = [] }: CreateMenu): Promise<AdminMenu> {
  return db.transaction(async (tx) => {
    await lockFor(tx, 'menus.count');
    if ((await countMenus(tx)) >= maximumMenus) throw menuLimit(`A store has at most ${maximumMenus} menus.`);
    const requested = await rowsOf(tx, items, []);
    const menu = await menus.insert(tx, {
      name,
      handle: handle ?? (await freeHandle(tx, 'menus', await handleOfTitle(tx, name, 'menu'))),
    });
    await replaceItems(tx, menu.id, [], requested);
    return presentMenu(tx, menu);
  });
}

/** Replaces the tree of a menu. @throws not_found (404), invalid_request (400), menu_handle_taken (409) */
export function replaceMenu(db: TenantDatabase, id: string, { name, handle, items }: ReplaceMenu): Promise<AdminMenu> {
  return db.transaction(async (tx) => {
    const { id: menuId } = await menus.lock(tx, id);
    const current = await listItems(tx, menuId);
    await replaceItems(tx, menuId, current, await rowsOf(tx, items, current));
    return presentMenu(tx, await menus.change(tx, menuId, { name, handle }));
  });
}

/** @throws not_found (404) */
export function deleteMenu(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const { id: menuId } = await menus.lock(tx, id);
    await removeItems(tx, menuId);
    await menus.remove(tx, menuId);
  });
}

/** @throws not_found (404) */
export async function readMenu(db: TenantDatabase, id: string): Promise<AdminMenu> {
  return presentMenu(db, await menus.require(db, id));
}

async function presentMenu(db: TenantDatabase, menu: MenuSummary): Promise<AdminMenu> {
  const items = await listItems(db, menu.id);
  return { ...menu, items: treeOf(items, staffItem, await resolve(db, items)) };
}

/** A menu as shoppers see it, by its handle or id. @throws not_found (404) */
export async function readVisibleMenu(db: TenantDatabase, name: string): Promise<Menu> {
  const handle = await namedHandle(db, name);
  const menu = await menus.findBy(db, looksLikeId(handle) ? { id: handle } : { handle });
  if (!menu) throw notFound(`No menu has the handle or id ${handle}.`);
  const items = await listItems(db, menu.id);
  return { ...menu, items: treeOf(items, shopperItem, await resolve(db, items)) };
}

/** The targets of items, by `<type> <id>`. */
type Targets = ReadonlyMap<string, StorefrontTarget>;
const keyOf = ({ targetType, targetId }: Pick<ItemRow, 'targetType' | 'targetId'>) => `${targetType} ${targetId}`;

/** Resolves the targets of all items, by one statement for each type. */
async function resolve(
  db: TenantDatabase,
  items: readonly Pick<ItemRow, 'targetType' | 'targetId'>[],
): Promise<Targets> {
  const found = storefrontTargets.of(db).map(async ({ name, find }) => {
    const ids = items.flatMap(({ targetType, targetId }) => (targetType === name && targetId ? [targetId] : []));
    const targets = ids.length === 0 ? [] : [...(await find(db, [...new Set(ids)]))];
    return targets.map(([targetId, target]) => [keyOf({ targetType: name, targetId }), target] as const);
  });
  return new Map((await Promise.all(found)).flat());
}

const targetOf = ({ targetType: type, targetId: id }: ItemRow) => (type && id ? { type, id } : null);

function staffItem(item: ItemRow, targets: Targets): StaffItem {
  const target = targets.get(keyOf(item));
  const state: ItemState = item.targetId === null || target?.visible ? 'shown' : target ? 'hidden' : 'gone';
  const { title, url } = item;
  return { title, url, target: targetOf(item), state, targetTitle: target?.title ?? null };
}

/** Null for an item whose target shoppers do not see. */
function shopperItem(item: ItemRow, targets: Targets): ShopperItem | null {
  const target = targets.get(keyOf(item));
  if (item.targetId !== null && !target?.visible) return null;
  return { title: item.title ?? target?.title ?? '', url: target?.path ?? item.url, target: targetOf(item) };
}

/** The items as a tree; those below an item that is left out are left out, too. */
function treeOf<Item extends { items?: Item[] }>(
  rows: readonly ItemRow[],
  present: (row: ItemRow, targets: Targets) => Item | null,
  targets: Targets,
): Item[] {
  const root: Item[] = [];
  // The lists to which the next items may be added, by depth.
  const open: Item[][] = [root];
  for (const row of rows) {
    open.length = Math.min(open.length, row.depth + 1);
    const siblings = open[row.depth];
    const item = siblings && present(row, targets);
    if (!siblings || !item) continue;
    siblings.push(item);
    if (row.depth + 1 < maximumLevels) {
      item.items = [];
      open.push(item.items);
    }
  }
  return root;
}

/**
 * The rows of a tree. A target must exist, unless the menu has it already: a menu stays editable when a product is gone.
 * @throws invalid_request (400)
 */
async function rowsOf(tx: TenantDatabase, items: readonly NewItem[], current: readonly ItemRow[]): Promise<ItemRow[]> {
  const rows: (ItemRow & { pointer: string })[] = [];
  const add = (items: readonly NewItem[], depth: number, path: string) => {
    for (const [index, { title = null, url = null, target = null, items: below = [] }] of items.entries()) {
      const pointer = `${path}/${index}`;
      if (url !== null && target !== null) throw invalidField(`${pointer}/url`, 'cannot be set together with target');
      if (title === null && target === null) throw invalidField(`${pointer}/title`, 'is required without a target');
      if (url !== null && !isSafeAddress(url)) {
        throw invalidField(`${pointer}/url`, 'must be a path, or an address with http, https, mailto or tel');
      }
      const [targetType, targetId] = target ? [target.type, target.id.toLowerCase()] : [null, null];
      rows.push({ position: rows.length, depth, title, url, targetType, targetId, pointer });
      add(below, depth + 1, `${pointer}/items`);
    }
  };
  add(items, 0, '/items');
  if (rows.length > maximumItems) throw invalidField('/items', `has more than ${maximumItems} items in all`);
  const known = new Set([...(await resolve(tx, rows)).keys(), ...current.map(keyOf)]);
  const unknown = rows.find((row) => row.targetId !== null && !known.has(keyOf(row)));
  if (unknown) throw invalidField(`${unknown.pointer}/target`, `is not a ${unknown.targetType} of this store`);
  return rows.map(({ pointer: _, ...row }) => row);
}
