/**
 * The store: what shoppers see of it, and its settings.
 */
import { route } from '@carton/runtime';
import { ChangeStore, Store, StoreProfile } from '../schemas.ts';
import { changeStore } from '../service.ts';
import { findStore } from '../store.ts';

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

export const readStore = route(
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
  ({ db }) => findStore(db),
);

export const updateStore = route(
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
    db.afterCommit(() => box.forgetTenants());
    return store;
  },
);
