/**
 * Queries of `staff_invites`.
 */
import { newId, rows, type TenantDatabase } from '@carton/runtime';
import type { Role } from '../permissions/roles.ts';

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

/** An expired invite stays until a job deletes it; the filter `open` leaves it out. */
export const staffInvites = rows<InviteRow>({
  table: 'staff_invites',
  noun: 'open invite',
  filters: { open: (invites) => invites.whereRaw('staff_invites.expires_at > now()') },
});

const hasToken = '(token_hash = $2 or mailed_token_hash = $2)';

/** @param invite with the hash of its token */
export function insertInvite(
  tx: TenantDatabase,
  invite: Omit<InviteRow, 'id' | 'createdAt'> & { tokenHash: string },
): Promise<InviteRow> {
  return tx.insert<InviteRow>('staff_invites', { id: newId(), ...invite });
}

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

/** The number of accounts and open invites, at most `most`. */
export async function countStaff(db: TenantDatabase, most: number): Promise<number> {
  const staff = await db.query(
    `(select 1 from staff_users where tenant_id = $1 limit $2)
     union all
     (select 1 from staff_invites where tenant_id = $1 and expires_at > now() limit $2)
     limit $2`,
    [most],
  );
  return staff.length;
}
