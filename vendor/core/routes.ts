/**
 * Routes of the store, its public profile and its settings, and of the box's capabilities.
 */
import { route, type TenantDatabase, withOverrides } from '@carton/runtime';
import { currencyInUse } from './problems.ts';
import { Capabilities, ChangeStore, changeStoreSchema, type Store, StoreProfile } from './schemas.ts';
import { changeStore } from './service.ts';
import { presentSettings } from './settings/service.ts';
import { findStore } from './store.ts';
import { AdminStore, storeSchema } from './tasks/schemas.ts';
import { openTasks } from './tasks/service.ts';

export const readStoreProfile = route(
  {
    method: 'get',
    path: '/store',
    operationId: 'readStoreProfile',
    tag: 'Store',
    summary: "Read the store's public profile",
    description: 'With what an imprint needs: the legal entity and its contact, as far as staff have set them.',
    access: 'public',
    shared: true,
    status: 200,
    response: StoreProfile,
  },
  ({ db }) => findStore(db),
);

/** The store with the settings of all packages, including defaults, and its open tasks. */
async function presentStore(db: TenantDatabase, store: Store): Promise<AdminStore> {
  return {
    ...store,
    settings: presentSettings(db, store) as Store['settings'],
    tasks: await openTasks(db, store),
  };
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
      response: AdminStore,
      unversioned: ['tasks'],
    },
    async ({ db }) => presentStore(db, await findStore(db)),
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
      description:
        'A property with `x-permission` is changed only with that permission, too (403 `forbidden`): it decides who gets mails, links or payments. The value that is set may be sent without it.',
      access: 'staff',
      body: ChangeStore,
      status: 200,
      response: AdminStore,
      problems: [currencyInUse],
    },
    async ({ db, body, box, staff }) => {
      const store = await changeStore(db, body, staff);
      db.afterCommit(() => box.invalidateTenants());
      return presentStore(db, store);
    },
  ),
  (box) => ({ body: changeStoreSchema(box), response: storeSchema(box) }),
);

export const readCapabilities = route(
  {
    method: 'get',
    path: '/admin/capabilities',
    operationId: 'readCapabilities',
    tag: 'Box',
    summary: 'List the tier, packages and versions of this box',
    access: 'staff',
    status: 200,
    response: Capabilities,
  },
  ({ box }) => ({
    tier: box.tier,
    packages: box.packages.map(({ fullName, version, tier }) => ({ name: fullName, version, tier })),
  }),
);
