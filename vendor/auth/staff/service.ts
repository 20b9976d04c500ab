/**
 * Rules of the management of staff.
 */
import { invalidField, notFound, type ServicesFor, type StaffCaller, type TenantDatabase } from '@carton/runtime';
import { withdrawInvitesBeyond } from '../invites/inviters.ts';
import { listKeysOf, narrowKeysOf, revokeKeysOf } from '../permissions/keys.ts';
import { permissionsOfRole } from '../permissions/roles.ts';
import { permissionsOf, refuseGrantBeyond } from '../permissions/service.ts';
import { endAccess, lockOwners, lockStaff, type StaffRow, staffUsers } from '../store.ts';
import { lastOwner, ownAccount } from './problems.ts';
import type { ChangeStaffUser, RemovedStaffUser, StaffUserWithKeys } from './schemas.ts';

/** @throws not_found (404) */
export async function readStaffUser(db: TenantDatabase, id: string): Promise<StaffUserWithKeys> {
  const [user, apiKeys] = await Promise.all([staffUsers.require(db, id), listKeysOf(db, id)]);
  return { ...user, apiKeys };
}

/**
 * Changes the role of a member of staff, or disables or enables the account. Disabling ends all sessions and, unless
 * `keepApiKeys` is true, revokes the person's API keys.
 * @throws invalid_request (400), not_found (404), last_owner (409), forbidden (403) for permissions that the caller lacks
 */
export async function changeStaff(
  { db, staff: caller }: Pick<ServicesFor<'staff'>, 'db' | 'staff'>,
  id: string,
  { keepApiKeys, ...change }: ChangeStaffUser,
): Promise<StaffUserWithKeys> {
  if (keepApiKeys !== undefined && change.status !== 'disabled')
    throw invalidField('/keepApiKeys', 'is allowed only when disabling an account');
  return db.transaction(async (transaction) => {
    const { user, isLastOwner } = await lockForChange(transaction, caller, id);
    const { role, status } = { ...user, ...change };
    // The new role may include more than the permissions that a source grants today.
    if (role !== user.role) refuseGrantBeyond(caller, permissionsOfRole[role]);
    if (isLastOwner && (role !== 'owner' || status !== 'active')) throw lastOwner();
    const changed = await staffUsers.change(transaction, id, change);
    if (status === 'disabled') await endAccess(transaction, id);
    if (change.status === 'disabled' && !keepApiKeys) await revokeKeysOf(transaction, id);
    if (role !== user.role || status === 'disabled') await withdrawInvitesBeyond(transaction, { type: 'staff', id });
    return { ...changed, apiKeys: await listKeysOf(transaction, id) };
  });
}

/**
 * Removes a member of staff with all sessions and open invites and, unless `keepApiKeys` is true, revokes the person's
 * API keys. Kept keys have at most the permissions that the person had.
 * @throws not_found (404), forbidden (403) for permissions that the caller lacks, last_owner (409), own_account (409)
 */
export async function removeStaff(
  { db, staff: caller, box }: Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'box'>,
  id: string,
  { keepApiKeys = false }: { keepApiKeys?: boolean },
): Promise<RemovedStaffUser> {
  if (id === caller.id) throw ownAccount('Another owner can remove it.');
  return db.transaction(async (transaction) => {
    const { isLastOwner } = await lockForChange(transaction, caller, id);
    if (isLastOwner) throw lastOwner();
    if (keepApiKeys) await narrowKeysOf(transaction, id, box.permissions);
    else await revokeKeysOf(transaction, id);
    await staffUsers.remove(transaction, id);
    await withdrawInvitesBeyond(transaction, { type: 'staff', id });
    return { id, apiKeys: await listKeysOf(transaction, id) };
  });
}

/** Locks the owners before the person, so that two owners who demote each other are handled one after the other. */
export async function lockForChange(
  db: TenantDatabase,
  caller: StaffCaller,
  id: string,
): Promise<{ user: StaffRow; isLastOwner: boolean }> {
  const owners = await lockOwners(db);
  const user = await lockStaff(db, id);
  if (!user) throw notFound(`No member of staff has the id ${id}.`);
  refuseGrantBeyond(caller, await permissionsOf(db, { type: 'staff', id, role: user.role }));
  return { user, isLastOwner: owners.length === 1 && owners[0] === id };
}
