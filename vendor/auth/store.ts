/**
 * Queries of the tables of auth.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import type { Role, StaffUser } from './schemas.ts';

export interface StaffRow extends StaffUser {
  passwordHash: string;
}

export interface InviteRow {
  id: string;
  email: string;
  role: Role;
  createdAt: string;
  expiresAt: string;
}

export async function findStaffByEmail(db: TenantDatabase, email: string): Promise<StaffRow | null> {
  const [row] = await db.query<StaffRow>('select * from staff_users where tenant_id = $1 and email = $2', [email]);
  return row ?? null;
}

export async function findStaffById(db: TenantDatabase, id: string): Promise<StaffRow | null> {
  const [row] = await db.query<StaffRow>('select * from staff_users where tenant_id = $1 and id = $2', [id]);
  return row ?? null;
}

/** The active member of staff whose session has this token, with the session's id. */
export async function findStaffBySession(
  db: TenantDatabase,
  tokenHash: string,
): Promise<(StaffRow & { sessionId: string }) | null> {
  const [row] = await db.query<StaffRow & { sessionId: string }>(
    `select staff_users.*, staff_sessions.id as session_id
       from staff_sessions
       join staff_users on staff_users.tenant_id = $1 and staff_users.id = staff_sessions.staff_user_id
      where staff_sessions.tenant_id = $1 and token_hash = $2 and expires_at > now() and status = 'active'`,
    [tokenHash],
  );
  return row ?? null;
}

export async function insertSession(
  db: TenantDatabase,
  session: { staffUserId: string; tokenHash: string; address: string; userAgent: string; expiresAt: string },
): Promise<void> {
  await db.insert('staff_sessions', { id: newId(), ...session });
}

export async function removeSession(db: TenantDatabase, id: string): Promise<void> {
  await db.query('delete from staff_sessions where tenant_id = $1 and id = $2', [id]);
}

/** Takes the open invite of a token away and answers it: an invite is accepted once, whoever comes first. */
export async function takeInvite(db: TenantDatabase, tokenHash: string): Promise<InviteRow | null> {
  const [row] = await db.query<InviteRow>(
    'delete from staff_invites where tenant_id = $1 and token_hash = $2 and expires_at > now() returning *',
    [tokenHash],
  );
  return row ?? null;
}

/** An invite that was not accepted in time makes room for a new one. */
export async function removeExpiredInvite(db: TenantDatabase, email: string): Promise<void> {
  await db.query('delete from staff_invites where tenant_id = $1 and email = $2 and expires_at <= now()', [email]);
}
