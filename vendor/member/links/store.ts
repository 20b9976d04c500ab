/**
 * Queries of `member_tokens`: requests for links, and the tokens in the links that were sent, by their hashes.
 */
import { json, newId, type TenantDatabase } from '@carton/runtime';
import type { LinkPurpose } from '../events.ts';

/** What a person who registers states about themselves. */
export interface Profile {
  name: string | null;
  phone: string | null;
  locale: string | null;
  acceptsMarketing: boolean;
}

export interface LinkRow {
  id: string;
  memberId: string | null;
  purpose: LinkPurpose;
  email: string;
  /** Of a registration. */
  passwordHash: string | null;
  profile: Profile | null;
  /** The session in which a registration or a change of the address was requested; null if it had none. */
  sessionHash: string | null;
  createdAt: string;
  expiresAt: string;
}

/** Inserts a request for a link. Returns its id. */
export async function insertRequest(
  tx: TenantDatabase,
  {
    profile,
    ...columns
  }: Pick<LinkRow, 'purpose' | 'email' | 'expiresAt'> &
    Partial<Pick<LinkRow, 'memberId' | 'passwordHash' | 'profile' | 'sessionHash'>>,
): Promise<string> {
  const id = newId();
  await tx.insert('member_tokens', { id, ...columns, profile: profile ? json(profile) : null });
  return id;
}

/** A request that has not expired and was not superseded; null otherwise. */
export async function findRequest(db: TenantDatabase, requestId: string): Promise<LinkRow | null> {
  const [row] = await db.query<LinkRow>(
    'select * from member_tokens where tenant_id = $1 and id = $2 and token_hash is null and expires_at > now()',
    [requestId],
  );
  return row ?? null;
}

/** The latest registration of an address that is not verified yet. */
export async function findRegistration(db: TenantDatabase, email: string): Promise<LinkRow | null> {
  const [row] = await db.query<LinkRow>(
    `select * from member_tokens
      where tenant_id = $1 and email = $2 and purpose = 'registration' and token_hash is null and expires_at > now()
      order by created_at desc, id desc limit 1`,
    [email],
  );
  return row ?? null;
}

/** Inserts a token for a request, in a row of its own. Returns false if the request is no longer open. */
export async function insertToken(db: TenantDatabase, requestId: string, tokenHash: string): Promise<boolean> {
  const inserted = await db.query(
    `insert into member_tokens (tenant_id, id, member_id, purpose, email, token_hash, password_hash, profile,
                                session_hash, created_at, expires_at)
     select tenant_id, $3, member_id, purpose, email, $4, password_hash, profile, session_hash, created_at, expires_at
       from member_tokens where tenant_id = $1 and id = $2 and expires_at > now()
        for share
     returning id`,
    [requestId, newId(), tokenHash],
  );
  return inserted.length > 0;
}

/** The link with this token; null if it is unknown, used or expired. */
export async function findLink(
  db: TenantDatabase,
  tokenHash: string,
  purposes: readonly LinkPurpose[],
): Promise<LinkRow | null> {
  const [row] = await db.query<LinkRow>(
    `select * from member_tokens
      where tenant_id = $1 and token_hash = $2 and purpose = any($3::text[]) and expires_at > now()`,
    [tokenHash, purposes],
  );
  return row ?? null;
}

/** Deletes a link, which works only once, and all others to its address. Returns false if it has just been used. */
export async function consumeLink(tx: TenantDatabase, { id, email }: LinkRow): Promise<boolean> {
  const used = await tx.query('delete from member_tokens where tenant_id = $1 and id = $2 returning id', [id]);
  await removeLinksTo(tx, email);
  return used.length > 0;
}

export async function removeLinksTo(tx: TenantDatabase, email: string): Promise<void> {
  await tx.query("delete from member_tokens where tenant_id = $1 and email = $2 and purpose <> 'email_changed'", [
    email,
  ]);
}

/** Deletes the registrations of an address with their links, before a new one: the latest counts. */
export async function removeRegistrations(tx: TenantDatabase, email: string): Promise<void> {
  await tx.query("delete from member_tokens where tenant_id = $1 and email = $2 and purpose = 'registration'", [email]);
}
