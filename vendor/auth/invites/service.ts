/**
 * Rules of invites, by which people join the staff of a tenant.
 */
import { claimQuota } from '@carton/core';
import {
  type BoxServices,
  hashToken,
  isUniqueViolation,
  publish,
  type StaffCaller,
  type TenantDatabase,
} from '@carton/runtime';
import { countWrongToken } from '../attempts/service.ts';
import { hashPassword } from '../passwords/hashes.ts';
import { permissionsOfRole, type Role } from '../permissions/roles.ts';
import { refuseGrantBeyond } from '../permissions/service.ts';
import type { StaffUser } from '../schemas.ts';
import { inMinutes, newToken, normalizeEmail } from '../secrets.ts';
import { insertStaff, staffUsers } from '../store.ts';
import { staffInvited, staffJoined } from './events.ts';
import { inviterOf, isBacked } from './inviters.ts';
import { alreadyStaff, inviteUnknown } from './problems.ts';
import { staffQuota } from './quotas.ts';
import {
  consumeInvite,
  type InviteRow,
  insertInvite,
  isOpenInvite,
  removeExpiredInvites,
  setMailedToken,
  staffInvites,
} from './store.ts';

const inviteMinutes = 7 * 24 * 60;

/**
 * Invites a person. The token is returned only here; its hash is stored.
 * @param inviter null for the first invite of a tenant
 * @throws already_staff, quota_exceeded (409)
 */
export async function invite(
  db: TenantDatabase,
  { role, ...person }: { email: string; role: Role },
  inviter: StaffCaller | null = null,
): Promise<InviteRow & { token: string }> {
  const email = normalizeEmail(person.email);
  const token = newToken('inv');
  const work = db.transaction(async (transaction) => {
    if (await staffUsers.findBy(transaction, { email })) throw alreadyStaff(`${email} is already a member of staff.`);
    await removeExpiredInvites(transaction);
    const row = await insertInvite(transaction, {
      email,
      role,
      ...inviterOf(inviter),
      tokenHash: hashToken(token),
      expiresAt: inMinutes(inviteMinutes),
    });
    await publish(transaction, staffInvited, { type: 'staff_invite', id: row.id }, { role });
    await claimQuota(transaction, staffQuota, 1);
    return { ...row, token };
  });
  return work.catch((error) => {
    throw isUniqueViolation(error, 'staff_invites_email') ? alreadyStaff(`${email} is already invited.`) : error;
  });
}

/** Revokes an invite. @throws not_found (404), forbidden (403) if its role has permissions that the caller lacks */
export function revokeInvite(db: TenantDatabase, caller: StaffCaller, id: string): Promise<void> {
  return db.transaction(async (transaction) => {
    const { role } = await staffInvites.lock(transaction, id);
    refuseGrantBeyond(caller, permissionsOfRole[role]);
    await staffInvites.remove(transaction, id);
  });
}

/**
 * Creates the token of the mail with an invite, besides the one that `invite` has returned. A further call, such as the
 * retry of the mail, creates a new token and invalidates the former.
 * @returns null if the invite is no longer open
 */
export async function issueInvite(db: TenantDatabase, id: string): Promise<(InviteRow & { token: string }) | null> {
  const token = newToken('inv');
  const row = await setMailedToken(db, id, hashToken(token));
  return row && { ...row, token };
}

/**
 * Creates the account of an invited person.
 * @throws invite_unknown (404), already_staff (409), too_many_requests (429)
 */
export async function acceptInvite(
  { db, client }: Pick<BoxServices, 'db' | 'client'>,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<StaffUser> {
  const tokenHash = hashToken(token);
  if (!(await isOpenInvite(db, tokenHash))) {
    await countWrongToken(db, { realm: 'staff', token: 'invite', address: client.address });
    throw inviteUnknown();
  }
  // Hashing is slow: do it before the transaction, while no row is locked.
  const passwordHash = await hashPassword(password);
  const work = db.transaction(async (transaction) => {
    const accepted = await consumeInvite(transaction, tokenHash);
    if (!accepted || !(await isBacked(transaction, accepted))) throw inviteUnknown();
    const { email, role } = accepted;
    const staff = await insertStaff(transaction, { email, name, role, passwordHash });
    await publish(transaction, staffJoined, { type: 'staff_user', id: staff.id }, { role });
    return staff;
  });
  return work.catch((error) => {
    throw isUniqueViolation(error, 'staff_users_email') ? alreadyStaff('Log in instead.') : error;
  });
}
