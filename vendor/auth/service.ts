/**
 * Rules of staff: signing in and out, inviting and joining.
 */
import { randomBytes } from 'node:crypto';
import {
  defineProblem,
  hashToken,
  isUniqueViolation,
  newId,
  notFound,
  publish,
  type TenantDatabase,
} from '@carton/runtime';
import { staffInvited, staffJoined } from './events.ts';
import { hashPassword, verifyPassword } from './password.ts';
import type { Role, StaffUser } from './schemas.ts';
import { findStaffByEmail, type InviteRow, insertSession, removeExpiredInvite, takeInvite } from './store.ts';

export const wrongLogIn = defineProblem({ code: 'wrong_login', status: 401, title: 'E-mail or password is wrong' });
export const alreadyStaff = defineProblem({
  code: 'already_staff',
  status: 409,
  title: 'This person is staff or invited already',
});
export const inviteUnknown = defineProblem({
  code: 'invite_unknown',
  status: 404,
  title: 'This invite is unknown, used or has expired',
});

const sessionHours = 12;
const inviteDays = 7;

function inHours(hours: number): string {
  return new Date(Date.now() + hours * 60 * 60 * 1000).toISOString();
}

/** A secret with 256 random bits; the prefix tells a reader (and a scanner for leaked secrets) what it is. */
function newToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** E-mail addresses are compared without regard to case. */
function normalizeEmail(email: string): string {
  return email.toLowerCase();
}

/** Opens a session. @throws wrong_login (401), the same for an unknown address, a wrong password and a disabled account */
export async function logIn(
  db: TenantDatabase,
  { email, password }: { email: string; password: string },
  client: { address: string; userAgent: string },
): Promise<{ token: string; expiresAt: string }> {
  const staff = await findStaffByEmail(db, normalizeEmail(email));
  const right = await verifyPassword(password, staff?.passwordHash ?? null);
  if (!staff || !right || staff.status !== 'active') throw wrongLogIn();
  const token = newToken('sts');
  const expiresAt = inHours(sessionHours);
  await insertSession(db, { staffUserId: staff.id, tokenHash: hashToken(token), ...client, expiresAt });
  return { token, expiresAt };
}

/**
 * Invites somebody to join. The token is answered once.
 * @throws already_staff (409)
 */
export async function invite(
  db: TenantDatabase,
  { email: given, role }: { email: string; role: Role },
): Promise<InviteRow & { token: string }> {
  const email = normalizeEmail(given);
  const token = newToken('inv');
  const work = db.transaction(async (transaction) => {
    if (await findStaffByEmail(transaction, email)) throw alreadyStaff(`${email} works here already.`);
    await removeExpiredInvite(transaction, email);
    const row = await transaction.insert<InviteRow>('staff_invites', {
      id: newId(),
      email,
      role,
      tokenHash: hashToken(token),
      expiresAt: inHours(inviteDays * 24),
    });
    await publish(transaction, staffInvited, { type: 'staff_invite', id: row.id }, { email, role });
    return { ...row, token };
  });
  return work.catch((error) => {
    throw isUniqueViolation(error, 'staff_invites_email') ? alreadyStaff(`${email} is invited already.`) : error;
  });
}

/** Makes the invited person staff. @throws invite_unknown (404) */
export async function acceptInvite(
  db: TenantDatabase,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<StaffUser> {
  // Hashed before the transaction: it takes long, and nobody should wait for it holding a row.
  const passwordHash = await hashPassword(password);
  return db.transaction(async (transaction) => {
    const accepted = await takeInvite(transaction, hashToken(token));
    if (!accepted) throw inviteUnknown();
    const { email, role } = accepted;
    const staff = await transaction.insert<StaffUser>('staff_users', { id: newId(), email, name, role, passwordHash });
    await publish(transaction, staffJoined, { type: 'staff_user', id: staff.id }, { email, role });
    return staff;
  });
}

/** @throws not_found (404) */
export async function revokeInvite(db: TenantDatabase, id: string): Promise<void> {
  const removed = await db.remove('staff_invites', { id });
  if (removed.length === 0) throw notFound(`No open invite has the id ${id}.`);
}
