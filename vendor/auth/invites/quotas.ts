/**
 * The quota of staff.
 */
import type { TenantQuota } from '@carton/core';
import { countStaff } from './store.ts';

/** Accounts, also disabled ones, and open invites, so that everyone who is invited can join. */
export const staffQuota: TenantQuota = {
  name: 'staff',
  unit: 'members of staff',
  description: 'Members of staff, with open invites',
  live: countStaff,
};
