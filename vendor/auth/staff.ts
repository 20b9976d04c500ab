/**
 * Rules of staff users: what they change of themselves, and what others change of them.
 */
import {
  invalidField,
  notFound,
  type ServicesFor,
  type StaffCaller,
  type TenantDatabase,
  unauthenticated,
} from '@carton/runtime';
import { guardPassword } from './attempts.ts';
import { readDeviceCookie } from './cookies.ts';
import { listKeysOf, revokeKeysOf } from './keys.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { permissionsOf, permissionsOfRole, refuseGrantBeyond } from './permissions.ts';
import { lastOwner, ownAccount, wrongPassword } from './problems.ts';
import type { ChangeMe, ChangeStaffUser, RemovedStaffUser, StaffUser, StaffUserWithKeys } from './schemas.ts';
import { endAccess, lockOwners, lockStaff, type StaffRow, staffUsers } from './store.ts';

type Signed = Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'client' | 'cookies'>;

/** The signed-in member of staff. @throws unauthenticated (401) when they have just been removed */
export async function readOwnUser({ db, staff }: Pick<Signed, 'db' | 'staff'>): Promise<StaffRow> {
  const user = await staffUsers.find(db, staff.id);
  if (!user) throw unauthenticated();
  return user;
}

/**
 * Changes one's own name, locale or password. A new password needs the current one and ends all other sessions.
 * @throws invalid_request (400), wrong_password (403), too_many_requests (429)
 */
export async function changeMe(signed: Signed, change: ChangeMe): Promise<StaffUser> {
  const { password, currentPassword, ...profile } = change;
  if (password === undefined && currentPassword !== undefined)
    throw invalidField('/password', 'is what currentPassword is for');
  if (password !== undefined && currentPassword === undefined)
    throw invalidField('/currentPassword', 'is needed for a new password');
  const user = await readOwnUser(signed);
  if (password !== undefined && currentPassword !== undefined)
    return changePassword(signed, user, { ...profile, password, currentPassword });
  const [changed] = await signed.db.update<StaffUser>(
    'staff_users',
    { id: user.id },
    { ...profile, updatedAt: new Date() },
  );
  if (!changed) throw unauthenticated();
  return changed;
}

async function changePassword(
  { db, staff, client, cookies }: Signed,
  { id, email, passwordHash: before }: StaffRow,
  { password, currentPassword, ...profile }: ChangeMe & { password: string; currentPassword: string },
): Promise<StaffUser> {
  // Whoever has taken over a session may guess here no faster than at the log-in.
  const device = readDeviceCookie(cookies, email);
  const guard = await guardPassword(db, { realm: 'staff', account: email, address: client.address, device });
  if (!(await verifyPassword(currentPassword, before))) throw wrongPassword();
  const passwordHash = await hashPassword(password);
  return db.transaction(async (transaction) => {
    const patch = { ...profile, passwordHash, updatedAt: new Date() };
    // Only over the password that was given: one that was set meanwhile, by a link, is not undone by the old one.
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
 * Changes somebody's role, or disables or enables them. Who is disabled is signed out everywhere, and the API keys for
 * which they answer are revoked unless they are to be kept.
 * @throws invalid_request (400), not_found (404), forbidden (403) about rights beyond the caller's own, last_owner (409)
 */
export async function changeStaff(
  { db, staff: caller }: Pick<Signed, 'db' | 'staff'>,
  id: string,
  { keepApiKeys, ...change }: ChangeStaffUser,
): Promise<StaffUserWithKeys> {
  if (keepApiKeys !== undefined && change.status !== 'disabled')
    throw invalidField('/keepApiKeys', 'is for disabling somebody');
  return db.transaction(async (transaction) => {
    const { user, isLastOwner } = await lockForChange(transaction, caller, id);
    const { role, status } = { ...user, ...change };
    // By another role's permissions they could be more than what a source lets them do today.
    if (role !== user.role) refuseGrantBeyond(caller, permissionsOfRole[role]);
    if (isLastOwner && (role !== 'owner' || status !== 'active')) throw lastOwner();
    const changed = await staffUsers.change(transaction, id, change);
    if (status === 'disabled') await endAccess(transaction, id);
    if (change.status === 'disabled' && !keepApiKeys) await revokeKeysOf(transaction, id);
    return { ...changed, apiKeys: await listKeysOf(transaction, id) };
  });
}

/**
 * Removes somebody, with their sessions and, unless they are to be kept, the API keys for which they answer.
 * @throws not_found (404), forbidden (403) about rights beyond the caller's own, last_owner (409), own_account (409)
 */
export async function removeStaff(
  { db, staff: caller }: Pick<Signed, 'db' | 'staff'>,
  id: string,
  { keepApiKeys = false }: { keepApiKeys?: boolean },
): Promise<RemovedStaffUser> {
  if (id === caller.id) throw ownAccount('Ask another owner.');
  return db.transaction(async (transaction) => {
    const { isLastOwner } = await lockForChange(transaction, caller, id);
    if (isLastOwner) throw lastOwner();
    if (!keepApiKeys) await revokeKeysOf(transaction, id);
    await staffUsers.remove(transaction, id);
    return { id, apiKeys: await listKeysOf(transaction, id) };
  });
}

/** Locks the owners, always before the person: of two who demote each other one waits, and finds out. */
async function lockForChange(
  db: TenantDatabase,
  caller: StaffCaller,
  id: string,
): Promise<{ user: StaffRow; isLastOwner: boolean }> {
  const owners = await lockOwners(db);
  const user = await lockStaff(db, id);
  if (!user) unknownStaff(id);
  refuseGrantBeyond(caller, await permissionsOf(db, { type: 'staff', id, role: user.role }));
  return { user, isLastOwner: owners.length === 1 && owners[0] === id };
}

function unknownStaff(id: string): never {
  throw notFound(`No member of staff has the id ${id}.`);
}
