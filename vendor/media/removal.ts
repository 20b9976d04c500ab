/**
 * The files of a tenant whose data is removed.
 */
import type { TenantRemoval } from '@carton/core';
import { storageOf } from './storage/index.ts';

/** All files are in a folder of the tenant: see `keyOf`. */
export const removeFiles: TenantRemoval = {
  name: 'media',
  remove: (db) => storageOf(db).removeFolder(db.tenantId),
};
