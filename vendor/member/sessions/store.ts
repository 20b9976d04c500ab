/**
 * Queries of `member_sessions`.
 */
import { newId, rows, type TenantDatabase } from '@carton/runtime';
import type { MemberRow } from '../store.ts';

export interface SessionRow {
  id: string;
  memberId: string;
  tokenHash: string;
  address: string;
  userAgent: string;
  createdAt: string;
  expiresAt: string;
}

/** An expired session stays until a job deletes it; the filter `open` leaves it out. */
export const memberSessions = rows<SessionRow>({
  table: 'member_sessions',
  noun: 'session',
  filters: { open: (sessions) => sessions.whereRaw('member_sessions.expires_at > now()') },
});

/** The id of the active member whose session has this token. */
export async function findMemberBySession(db: TenantDatabase, tokenHash: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `select members.id from member_sessions
       join members on members.tenant_id = $1 and members.id = member_sessions.member_id
      where member_sessions.tenant_id = $1 and token_hash = $2 and expires_at > now()
        and status = 'active' and deleted_at is null`,
    [tokenHash],
  );
  return row?.id ?? null;
}

/**
 * Inserts a session if the account still has the verified password and is active; either may have changed since it was
 * read. Locks the member against both until the transaction ends. Returns the id of the session, or null.
 */
export async function insertSession(
  tx: TenantDatabase,
  { id, passwordHash }: Pick<MemberRow, 'id' | 'passwordHash'>,
  session: { tokenHash: string; address: string; userAgent: string; expiresAt: string },
): Promise<string | null> {
  const [inserted] = await tx.query<{ id: string }>(
    `insert into member_sessions (tenant_id, id, member_id, token_hash, address, user_agent, expires_at)
     select $1, $4, id, $5, $6, $7, $8 from members
      where tenant_id = $1 and id = $2 and password_hash = $3 and status = 'active' and deleted_at is null
        for share
     returning id`,
    [id, passwordHash, newId(), session.tokenHash, session.address, session.userAgent, session.expiresAt],
  );
  return inserted?.id ?? null;
}

/** Deletes the session with this token. Returns whether there was one. */
export async function removeSession(db: TenantDatabase, tokenHash: string): Promise<boolean> {
  const removed = await db.query('delete from member_sessions where tenant_id = $1 and token_hash = $2 returning id', [
    tokenHash,
  ]);
  return removed.length > 0;
}

/** Deletes the session of a member with this id and returns the hash of its token; null if there is none. */
export async function removeSessionById(db: TenantDatabase, memberId: string, id: string): Promise<string | null> {
  const [removed] = await db.query<{ tokenHash: string }>(
    'delete from member_sessions where tenant_id = $1 and member_id = $2 and id = $3 returning token_hash',
    [memberId, id],
  );
  return removed?.tokenHash ?? null;
}
