/**
 * Rules of the account of the member of staff who is logged in.
 */
import { invalidField, type ServicesFor, unauthenticated } from '@carton/runtime';
import type { Attempt } from '../attempts/counts.ts';
import { guardPassword, type PasswordGuard } from '../attempts/service.ts';
import { staffCookies } from '../cookies.ts';
import { hashPassword, verifyPassword } from '../passwords/hashes.ts';
import { wrongPassword } from '../passwords/problems.ts';
import type { StaffUser } from '../schemas.ts';
import { endAccess, type StaffRow, staffUsers, updateStaff } from '../store.ts';
import type { ChangeMe } from './schemas.ts';

export type LoggedIn = Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'client' | 'cookies'>;

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
  const changed = await updateStaff(caller.db, { id: user.id }, profile);
  if (!changed) throw unauthenticated();
  return changed;
}

async function changePassword(
  caller: LoggedIn,
  user: StaffRow,
  { password, currentPassword, ...profile }: ChangeMe & { password: string; currentPassword: string },
): Promise<StaffUser> {
  const { db, staff } = caller;
  const { id, passwordHash: before } = user;
  const guard = await verifyOwnPassword(caller, user, currentPassword);
  const passwordHash = await hashPassword(password);
  return db.transaction(async (transaction) => {
    // Replaces only the verified password, not one that a reset link has set in the meantime.
    const changed = await updateStaff(transaction, { id, passwordHash: before }, { ...profile, passwordHash });
    if (!changed) throw wrongPassword();
    await endAccess(transaction, id, staff.sessionId ?? null);
    await guard.succeeded(transaction);
    return changed;
  });
}

/**
 * Checks the password of the caller.
 * @returns the guard, whose success is for the transaction of the work
 * @throws wrong_password (403), too_many_requests (429)
 */
export async function verifyOwnPassword(caller: LoggedIn, user: StaffRow, password: string): Promise<PasswordGuard> {
  // A stolen session must not allow faster guessing than the log-in.
  const guard = await guardPassword(caller.db, ownAttempt(caller, user.email));
  if (!(await verifyPassword(password, user.passwordHash))) throw wrongPassword();
  return guard;
}
