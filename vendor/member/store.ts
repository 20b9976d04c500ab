/**
 * Queries of `members`, and of rows of several tables.
 */
import {
  lockFor,
  type MemberTaxExemption,
  type MemberTaxNumber,
  rows,
  type TenantDatabase,
  unauthenticated,
} from '@carton/runtime';
import { emailTaken } from './problems.ts';
import type { Member, statuses } from './schemas.ts';

export interface MemberRow extends Member {
  status: (typeof statuses)[number];
  passwordHash: string | null;
  /** Why the member buys without tax. */
  taxExempt: string | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  deletedAt: string | null;
  erasedAt: string | null;
}

export const members = rows<MemberRow>({
  table: 'members',
  noun: 'member',
  json: ['metadata'],
  softDelete: true,
  duplicates: { members_email: emailTaken },
  words: { table: 'member_words', id: 'member_id', entire: ['email'], texts: ['name'] },
  filters: {
    createdFrom: (listed, time: string) => listed.whereRaw('members.created_at >= ?', [time]),
    createdTo: (listed, time: string) => listed.whereRaw('members.created_at < ?', [time]),
  },
});

/** SQL of a member's tax number. */
export const taxNumberOfMember: MemberTaxNumber = (id) =>
  `(select members.tax_number from members where members.tenant_id = $1 and members.id = ${id})`;

/** SQL of whether a member buys without tax. */
export const isTaxExempt: MemberTaxExemption = (id) =>
  `exists (select from members
            where members.tenant_id = $1 and members.id = ${id} and members.tax_exempt is not null)`;

/**
 * Locks an e-mail address until the transaction ends, whether or not it has a member, and returns the member. Lock order:
 * addresses before members, members before tokens.
 */
export async function lockEmail(tx: TenantDatabase, email: string): Promise<MemberRow | null> {
  await lockFor(tx, `member.email ${email}`);
  const [member] = await members.lockAllBy(tx, { email });
  return member ?? null;
}

/**
 * Locks the account of a member who is logged in. It may have been erased since the request was authenticated.
 * @throws unauthenticated (401)
 */
export async function lockOwnMember(tx: TenantDatabase, id: string): Promise<MemberRow> {
  const [member] = await members.lockAllBy(tx, { id });
  if (!member) throw unauthenticated();
  return member;
}

/**
 * Deletes the sessions of a member and all links that give access to the account.
 * @param except hash of the token of a session to leave open
 */
export async function endAccess(
  tx: TenantDatabase,
  { id, email }: Pick<MemberRow, 'id' | 'email'>,
  except: string | null = null,
): Promise<void> {
  await tx.query(
    'delete from member_sessions where tenant_id = $1 and member_id = $2 and token_hash is distinct from $3',
    [id, except],
  );
  await tx.query(
    `delete from member_tokens
      where tenant_id = $1 and (member_id = $2 or email = $3) and purpose <> 'email_changed'`,
    [id, email],
  );
}

/** Tables whose rows expire. */
export const expiringTables = ['member_sessions', 'member_tokens'] as const;

/** Deletes at most `most` expired rows of a table, the oldest first. Skips locked rows. Returns their number. */
export async function deleteExpired(
  db: TenantDatabase,
  table: (typeof expiringTables)[number],
  most: number,
): Promise<number> {
  const deleted = await db.query(
    `delete from ${table} where tenant_id = $1 and id in (
       select id from ${table} where tenant_id = $1 and expires_at <= now()
        order by expires_at limit $2 for update skip locked)
     returning 1`,
    [most],
  );
  return deleted.length;
}
