/**
 * Routes of menus for staff and for shoppers.
 */
import { HandleOrId, resource, route } from '@carton/runtime';
import { menuHandleTaken, menuLimit } from '../problems.ts';
import { AdminMenu, CreateMenu, Menu, MenuPage, MenuSummary, ReplaceMenu } from './schemas.ts';
import { createMenu, deleteMenu, readMenu as readForStaff, readVisibleMenu, replaceMenu } from './service.ts';
import { menus } from './store.ts';

const tag = 'Menus';
const staff = { tag, access: 'staff', path: '/admin/menus' } as const;

const managed = resource({
  ...staff,
  noun: 'menu',
  rows: menus,
  item: MenuSummary,
  detail: AdminMenu,
  list: { operationId: 'listAdminMenus', page: MenuPage },
  create: {
    body: CreateMenu,
    problems: [menuHandleTaken, menuLimit],
    run: ({ db, body }) => createMenu(db, body),
  },
  remove: { run: ({ db, params }) => deleteMenu(db, params.id) },
});

/** The contract has no route that reads one menu for staff, who need its tree to change it. */
const readAdminMenu = route(
  {
    ...staff,
    method: 'get',
    path: '/admin/menus/:id',
    operationId: 'readAdminMenu',
    summary: 'Read a menu with its tree',
    status: 200,
    response: AdminMenu,
    beyond: true,
  },
  ({ db, params }) => readForStaff(db, params.id),
);

const putMenu = route(
  {
    ...staff,
    method: 'put',
    path: '/admin/menus/:id',
    operationId: 'replaceMenu',
    summary: 'Replace the tree of a menu',
    body: ReplaceMenu,
    status: 200,
    response: AdminMenu,
    problems: [menuHandleTaken],
  },
  ({ db, params, body }) => replaceMenu(db, params.id, body),
);

export const adminMenus = [...managed, readAdminMenu, putMenu];

export const readMenu = resource({
  tag,
  access: 'public',
  path: '/menus',
  noun: 'menu',
  item: Menu,
  read: {
    summary: 'Read a menu by its handle or id',
    shared: true,
    description: 'Without the items whose target is deleted, hidden or a draft, and without those below them.',
    params: HandleOrId('main-menu'),
    run: ({ db, params }) => readVisibleMenu(db, params.handle),
  },
});
