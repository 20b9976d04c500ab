/**
 * The quota of staff.
 */
import type { TenantQuota } from '@carton/core';

/** Accounts, also disabled ones, and open invites, so that everyone who is invited can join. */
export const staffQuota: TenantQuota = {
  name: 'staff',
  unit: 'members of staff',
  description: 'Members of staff, with open invites',
  async live(db, most) {
    const staff = await db.query(
      `(select 1 from staff_users where tenant_id = $1 limit $2)
       union all
       (select 1 from staff_invites where tenant_id = $1 and expires_at > now() limit $2)
       limit $2`,
      [most],
    );
    return staff.length;
  },
};
