/**
 * Queries of `staff_sessions`.
 */
import { newId, rows, type TenantDatabase } from '@carton/runtime';
import type { StaffRow } from '../store.ts';

export interface SessionRow {
  id: string;
  staffUserId: string;
  address: string;
  userAgent: string;
  createdAt: string;
  expiresAt: string;
}

/** An expired session stays until a job deletes it; the filter `open` leaves it out. */
export const staffSessions = rows<SessionRow>({
  table: 'staff_sessions',
  noun: 'session',
  filters: { open: (sessions) => sessions.whereRaw('staff_sessions.expires_at > now()') },
});

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

/**
 * Inserts a session of a member of staff, whom the transaction has locked. The person is its actor, so that an audit log
 * records log-ins. Returns its id.
 */
export async function insertSession(
  tx: TenantDatabase,
  { id: staffUserId, email }: Pick<StaffRow, 'id' | 'email'>,
  session: { tokenHash: string; address: string; userAgent: string; expiresAt: string },
): Promise<string> {
  const { tokenHash, address, userAgent, expiresAt } = session;
  const row = { id: newId(), staffUserId, tokenHash, address, userAgent, expiresAt };
  await tx.as({ type: 'staff', id: staffUserId, label: email }).insert('staff_sessions', row);
  return row.id;
}

/** Deletes the sessions with these tokens and the expired sessions of a member of staff. */
export async function closeSessions(
  db: TenantDatabase,
  staffUserId: string,
  tokenHashes: readonly string[],
): Promise<void> {
  await db.query(
    `delete from staff_sessions
      where tenant_id = $1 and (token_hash = any($3) or (staff_user_id = $2 and expires_at <= now()))`,
    [staffUserId, tokenHashes],
  );
}

export async function removeSession(db: TenantDatabase, id: string): Promise<void> {
  await db.remove('staff_sessions', { id });
}

/** Deletes a session of a member of staff. Returns false if the person has no session with this id. */
export async function removeOwnSession(db: TenantDatabase, staffUserId: string, id: string): Promise<boolean> {
  const removed = await db.remove('staff_sessions', { id, staffUserId });
  return removed.length > 0;
}
