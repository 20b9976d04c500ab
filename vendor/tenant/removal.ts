/**
 * The job that removes the data of deleted tenants.
 */
import { removeDeletedTenant, type TenantRemoval } from '@carton/core';
import { type Job, job } from '@carton/runtime';
import { forgetClaim } from './domains/store.ts';

const declared: Omit<Job, 'run'> = { name: 'tenant.remove-deleted', everySeconds: 60 };

export const removeDeleted = job({ ...declared, run: (db) => removeDeletedTenant(db, declared) });

/** The row that serializes claims of hosts names the tenant that claimed one last. */
export const lastClaim: TenantRemoval = {
  name: 'hosts',
  async remove(db) {
    await forgetClaim(db);
    return false;
  },
};
