/**
 * Schemas of menus. A menu is a tree with a bounded number of levels, so each level has a schema of its own.
 */
import {
  Handle,
  humanText,
  nullable,
  object,
  oneOf,
  pageOf,
  type Static,
  type TProperties,
  type TSchema,
  Type,
  timestamps,
  Uuid,
  withOptions,
} from '@carton/runtime';

/** The maximum number of menus of a store. */
export const maximumMenus = 100;
/** The maximum number of levels of a menu. */
export const maximumLevels = 3;
/** The maximum number of items of a menu, those of all levels together. */
export const maximumItems = 250;

const Name = humanText(200, { examples: ['Main menu'] });
const Title = humanText(200, { examples: ['Shirts'] });
const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'A path of the storefront, or an address with `http`, `https`, `mailto` or `tel`',
  examples: ['/sale'],
});
const Target = object(
  {
    type: Type.String({
      pattern: '^[a-z]+(-[a-z]+)*$',
      maxLength: 40,
      description: '`page`, `product`, `category` or another type of the packages of this box',
      examples: ['product'],
    }),
    id: Uuid,
  },
  { $id: 'MenuTarget' },
);
type Target = Static<typeof Target>;

const state = oneOf(['shown', 'hidden', 'gone'], {
  description: 'Shoppers see neither an item whose target is hidden or gone, nor those below it',
});
export type ItemState = Static<typeof state>;

/** Nested schemas: those of the upper levels have `items`. */
function nested(name: string, fields: TProperties, optional: boolean, level = 1): TSchema {
  const $id = level === 1 ? name : `${name}Level${level}`;
  if (level === maximumLevels) return object(fields, { $id });
  const items = Type.Array(nested(name, fields, optional, level + 1), {
    maxItems: maximumItems,
    ...(optional && { default: [] }),
    description: 'The items below it, in their order',
    examples: [[]],
  });
  return object({ ...fields, items: optional ? Type.Optional(items) : items }, { $id });
}

/** An item as staff write it. */
export interface NewItem {
  title?: string | null;
  url?: string | null;
  target?: Target | null;
  items?: NewItem[];
}
const NewMenuItem = Type.Unsafe<NewItem>(
  nested(
    'NewMenuItem',
    {
      title: Type.Optional(
        withOptions(nullable(Title), { description: 'Default: the title of the target, as it is at any time' }),
      ),
      url: Type.Optional(nullable(Url)),
      target: Type.Optional(Type.Union([Target, Type.Null()], { description: 'In place of `url`', examples: [null] })),
    },
    true,
  ),
);

/** An item as staff see it. */
export interface StaffItem {
  title: string | null;
  url: string | null;
  target: Target | null;
  state: ItemState;
  targetTitle: string | null;
  items?: StaffItem[];
}
const AdminMenuItem = Type.Unsafe<StaffItem>(
  nested(
    'AdminMenuItem',
    {
      title: withOptions(nullable(Title), { description: 'Null for the title of the target' }),
      url: nullable(Url),
      target: Type.Union([Target, Type.Null()]),
      state,
      targetTitle: nullable(Type.String({ description: 'The title that the target has now' })),
    },
    false,
  ),
);

/** An item as shoppers see it. */
export interface ShopperItem {
  title: string;
  url: string | null;
  target: Target | null;
  items?: ShopperItem[];
}
const MenuItem = Type.Unsafe<ShopperItem>(
  nested(
    'MenuItem',
    {
      title: Type.String(),
      url: nullable(Type.String({ description: 'The address of the target, or that of the item; null for a heading' })),
      target: Type.Union([Target, Type.Null()]),
    },
    false,
  ),
);

export const Menu = object({ id: Uuid, handle: Handle, name: Name, items: Type.Array(MenuItem) }, { $id: 'Menu' });
export type Menu = Static<typeof Menu>;

/** A menu in a list. */
export const MenuSummary = object({ id: Uuid, handle: Handle, name: Name, ...timestamps }, { $id: 'MenuSummary' });
export type MenuSummary = Static<typeof MenuSummary>;
export const MenuPage = pageOf(MenuSummary, 'MenuPage');

export const AdminMenu = object({ ...MenuSummary.properties, items: Type.Array(AdminMenuItem) }, { $id: 'AdminMenu' });
export type AdminMenu = Static<typeof AdminMenu>;

const Items = Type.Array(NewMenuItem, {
  maxItems: maximumItems,
  description: `The tree: at most ${maximumLevels} levels and ${maximumItems} items`,
  examples: [[{ title: 'Sale', url: '/sale' }]],
});
export const CreateMenu = object(
  {
    name: Name,
    handle: Type.Optional(withOptions(Handle, { description: 'Derived from the name by default' })),
    items: Type.Optional(withOptions(Items, { default: [] })),
  },
  { $id: 'CreateMenu' },
);
export type CreateMenu = Static<typeof CreateMenu>;
export const ReplaceMenu = object(
  {
    name: Name,
    handle: Type.Optional(withOptions(Handle, { description: 'Stays the same by default' })),
    items: Items,
  },
  { $id: 'ReplaceMenu' },
);
export type ReplaceMenu = Static<typeof ReplaceMenu>;
