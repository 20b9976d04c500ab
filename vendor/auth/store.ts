/**
 * Queries of `staff_users`, and of rows of several tables.
 */
import { newId, rows, type TenantDatabase } from '@carton/runtime';
import type { StaffUser } from './schemas.ts';

export interface StaffRow extends StaffUser {
  passwordHash: string;
}

export const staffUsers = rows<StaffRow>({ table: 'staff_users', noun: 'member of staff', json: ['metadata'] });

export function insertStaff(
  tx: TenantDatabase,
  person: Pick<StaffRow, 'email' | 'name' | 'role' | 'passwordHash'>,
): Promise<StaffUser> {
  return tx.insert<StaffUser>('staff_users', { id: newId(), ...person });
}

/** Changes a member of staff whose columns have these values. Returns null if there is none. */
export async function updateStaff(
  db: TenantDatabase,
  where: { id: string } & Partial<Pick<StaffRow, 'passwordHash' | 'status'>>,
  patch: Partial<Pick<StaffRow, 'name' | 'locale' | 'passwordHash'>>,
): Promise<StaffUser | null> {
  const [changed] = await db.update<StaffUser>('staff_users', where, { ...patch, updatedAt: new Date() });
  return changed ?? null;
}

/**
 * Deletes the sessions and password reset links of a member of staff.
 * @param except id of a session to leave open
 */
export async function endAccess(db: TenantDatabase, staffUserId: string, except: string | null = null): Promise<void> {
  await db.query(
    'delete from staff_sessions where tenant_id = $1 and staff_user_id = $2 and id is distinct from $3::uuid',
    [staffUserId, except],
  );
  // Requests whose link has not been sent have the address only.
  await db.query(
    `delete from staff_tokens where tenant_id = $1
        and (staff_user_id = $2
             or email = (select email from staff_users where staff_users.tenant_id = $1 and staff_users.id = $2))`,
    [staffUserId],
  );
}

/** Ids of the active owners, locked until the transaction ends. */
export async function lockOwners(db: TenantDatabase): Promise<string[]> {
  const owners = await db.query<{ id: string }>(
    `select id from staff_users where tenant_id = $1 and role = 'owner' and status = 'active'
      order by id for no key update`,
  );
  return owners.map(({ id }) => id);
}

/** E-mail addresses of the active owners, in the order in which they joined. */
export async function listOwnerEmails(db: TenantDatabase): Promise<string[]> {
  const owners = await db.query<{ email: string }>(
    "select email from staff_users where tenant_id = $1 and role = 'owner' and status = 'active' order by id",
  );
  return owners.map(({ email }) => email);
}

/** A member of staff, locked until the transaction ends. Lock the owners first. */
export async function lockStaff(db: TenantDatabase, id: string): Promise<StaffRow | null> {
  const [row] = await db.query<StaffRow>(
    'select * from staff_users where tenant_id = $1 and id = $2 for no key update',
    [id],
  );
  return row ?? null;
}

/**
 * Takes a share lock on a member of staff: the account cannot be disabled or removed until the transaction ends.
 * Returns whether it is active; null for an unknown id.
 */
export async function holdStaff(db: TenantDatabase, id: string): Promise<boolean | null> {
  const [row] = await db.query<{ active: boolean }>(
    "select status = 'active' as active from staff_users where tenant_id = $1 and id = $2 for share",
    [id],
  );
  return row?.active ?? null;
}

/** Tables whose rows expire, and have an id. Those of `auth_attempts` expire, too, and have none. */
export const expiringTables = ['staff_sessions', 'staff_invites', 'staff_tokens'] as const;

/** Rows of one statement, which locks none of them for long. */
const batchSize = 1000;

/** Deletes a batch of expired rows of a table, the oldest first. Skips locked rows. Returns whether there may be more. */
export async function deleteExpired(db: TenantDatabase, table: (typeof expiringTables)[number]): Promise<boolean> {
  const deleted = await db.query(
    `delete from ${table} where tenant_id = $1 and id in (
       select id from ${table} where tenant_id = $1 and expires_at <= now()
        order by expires_at limit ${batchSize} for update skip locked)
     returning 1`,
  );
  return deleted.length === batchSize;
}
