/**
 * The store: what shoppers see of it, and its settings.
 */
import { route, type TenantDatabase, withOverrides } from '@carton/runtime';
import { ChangeStore, changeStoreSchema, Store, StoreProfile, storeSchema } from '../schemas.ts';
import { changeStore } from '../service.ts';
import { findStore } from '../store.ts';
import { presentSettings } from '../store-settings.ts';

export const readStoreProfile = route(
  {
    method: 'get',
    path: '/store',
    operationId: 'readStoreProfile',
    tag: 'Store',
    summary: "Read the store's public profile",
    access: 'public',
    status: 200,
    response: StoreProfile,
  },
  ({ db }) => findStore(db),
);

/** The store as staff see it: with all settings of packages, those that were never set at their defaults. */
function present(db: TenantDatabase, store: Store) {
  return { ...store, settings: presentSettings(db, store) as Store['settings'] };
}

export const readStore = withOverrides(
  route(
    {
      method: 'get',
      path: '/admin/store',
      operationId: 'readStore',
      tag: 'Store',
      summary: 'Read the settings of the store',
      access: 'staff',
      status: 200,
      response: Store,
    },
    async ({ db }) => present(db, await findStore(db)),
  ),
  (box) => ({ response: storeSchema(box) }),
);

export const updateStore = withOverrides(
  route(
    {
      method: 'patch',
      path: '/admin/store',
      operationId: 'updateStore',
      tag: 'Store',
      summary: 'Change settings of the store',
      access: 'staff',
      body: ChangeStore,
      status: 200,
      response: Store,
    },
    async ({ db, body, box }) => {
      const store = await changeStore(db, body);
      db.afterCommit(() => box.invalidateTenants());
      return present(db, store);
    },
  ),
  (box) => ({ body: changeStoreSchema(box), response: storeSchema(box) }),
);
