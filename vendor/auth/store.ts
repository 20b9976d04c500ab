/**
 * Queries of the tables of auth.
 */
import { newId, rows, type TenantDatabase } from '@carton/runtime';
import type { Role, StaffUser } from './schemas.ts';

export interface StaffRow extends StaffUser {
  passwordHash: string;
}

/** Who has sent an invite. Null for the operator, the first invite of a tenant, and invites of earlier releases. */
export interface Inviter {
  inviterType: 'staff' | 'api_key' | null;
  inviterId: string | null;
}

export interface InviteRow extends Inviter {
  id: string;
  email: string;
  role: Role;
  createdAt: string;
  expiresAt: string;
}

export const staffUsers = rows<StaffRow>({ table: 'staff_users', noun: 'member of staff', json: ['metadata'] });

/** An expired invite stays until a job deletes it; the filter `open` leaves it out. */
export const staffInvites = rows<InviteRow>({
  table: 'staff_invites',
  noun: 'open invite',
  filters: { open: (invites) => invites.whereRaw('staff_invites.expires_at > now()') },
});

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

export async function removeSession(db: TenantDatabase, id: string): Promise<void> {
  await db.remove('staff_sessions', { id });
}

/** Deletes a session of a member of staff. Returns false if the person has no session with this id. */
export async function removeOwnSession(db: TenantDatabase, staffUserId: string, id: string): Promise<boolean> {
  const removed = await db.remove('staff_sessions', { id, staffUserId });
  return removed.length > 0;
}

const hasToken = '(token_hash = $2 or mailed_token_hash = $2)';

/** True if an open invite has this token. */
export async function isOpenInvite(db: TenantDatabase, tokenHash: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from staff_invites where tenant_id = $1 and ${hasToken} and expires_at > now()`,
    [tokenHash],
  );
  return rows.length > 0;
}

/** Deletes the open invite with this token and returns it: an invite is accepted only once. */
export async function consumeInvite(db: TenantDatabase, tokenHash: string): Promise<InviteRow | null> {
  const [row] = await db.query<InviteRow>(
    `delete from staff_invites where tenant_id = $1 and ${hasToken} and expires_at > now() returning *`,
    [tokenHash],
  );
  return row ?? null;
}

/** Sets the token of the mail with an open invite, replacing an earlier one; null if the invite is no longer open. */
export async function setMailedToken(db: TenantDatabase, id: string, tokenHash: string): Promise<InviteRow | null> {
  const [row] = await db.query<InviteRow>(
    `update staff_invites set mailed_token_hash = $3
      where tenant_id = $1 and id = $2 and expires_at > now() returning *`,
    [id, tokenHash],
  );
  return row ?? null;
}

/** Deletes the open invite to an address. */
export async function removeInvitesOf(db: TenantDatabase, email: string): Promise<void> {
  await db.remove('staff_invites', { email });
}

/** Deletes expired invites, so that their addresses can be invited again. */
export async function removeExpiredInvites(db: TenantDatabase): Promise<void> {
  await db.query('delete from staff_invites where tenant_id = $1 and expires_at <= now()');
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
