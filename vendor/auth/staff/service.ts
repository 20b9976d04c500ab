/**
 * Rules of staff accounts: changes by their owner and by those who manage staff.
 */
import {
  invalidField,
  notFound,
  type ServicesFor,
  type StaffCaller,
  type TenantDatabase,
  unauthenticated,
} from '@carton/runtime';
import { type Attempt, guardPassword } from '../attempts/service.ts';
import { staffCookies } from '../cookies.ts';
import { withdrawInvitesBeyond } from '../invites/inviters.ts';
import { hashPassword, verifyPassword } from '../passwords/hashes.ts';
import { listKeysOf, narrowKeysOf, revokeKeysOf } from '../permissions/keys.ts';
import { permissionsOf, permissionsOfRole, refuseGrantBeyond } from '../permissions/service.ts';
import { lastOwner, ownAccount, wrongPassword } from '../problems.ts';
import type { ChangeMe, ChangeStaffUser, RemovedStaffUser, StaffUser, StaffUserWithKeys } from '../schemas.ts';
import { endAccess, lockOwners, lockStaff, type StaffRow, staffUsers } from '../store.ts';

type LoggedIn = Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'client' | 'cookies'>;

/** The member of staff who is logged in. @throws unauthenticated (401) if the account has just been removed */
export async function readOwnUser({ db, staff }: Pick<LoggedIn, 'db' | 'staff'>): Promise<StaffRow> {
  const user = await staffUsers.find(db, staff.id);
  if (!user) throw unauthenticated();
  return user;
}

/** An attempt of a caller at a password or a code of the own account. */
export function ownAttempt({ staff, client, cookies }: LoggedIn, account: string): Attempt {
  const device = staffCookies.readDevice(cookies, account);
  return { realm: 'staff', account, address: client.address, device, session: staff.sessionId };
}

/**
 * Changes the caller's name, locale or password. A new password requires the current one and ends all other sessions.
 * @throws invalid_request (400), wrong_password (403), too_many_requests (429)
 */
export async function changeMe(caller: LoggedIn, change: ChangeMe): Promise<StaffUser> {
  const { password, currentPassword, ...profile } = change;
  if (password === undefined && currentPassword !== undefined)
    throw invalidField('/password', 'is required with currentPassword');
  if (password !== undefined && currentPassword === undefined)
    throw invalidField('/currentPassword', 'is required for a new password');
  const user = await readOwnUser(caller);
  if (password !== undefined && currentPassword !== undefined)
    return changePassword(caller, user, { ...profile, password, currentPassword });
  const [changed] = await caller.db.update<StaffUser>(
    'staff_users',
    { id: user.id },
    { ...profile, updatedAt: new Date() },
  );
  if (!changed) throw unauthenticated();
  return changed;
}

async function changePassword(
  caller: LoggedIn,
  { id, email, passwordHash: before }: StaffRow,
  { password, currentPassword, ...profile }: ChangeMe & { password: string; currentPassword: string },
): Promise<StaffUser> {
  const { db, staff } = caller;
  // A stolen session must not allow faster guessing than the log-in.
  const guard = await guardPassword(db, ownAttempt(caller, email));
  if (!(await verifyPassword(currentPassword, before))) throw wrongPassword();
  const passwordHash = await hashPassword(password);
  return db.transaction(async (transaction) => {
    const patch = { ...profile, passwordHash, updatedAt: new Date() };
    // Replaces only the verified password, not one that a reset link has set in the meantime.
    const [changed] = await transaction.update<StaffUser>('staff_users', { id, passwordHash: before }, patch);
    if (!changed) throw wrongPassword();
    await endAccess(transaction, id, staff.sessionId ?? null);
    await guard.succeeded(transaction);
    return changed;
  });
}

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
  { db, staff: caller }: Pick<LoggedIn, 'db' | 'staff'>,
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
