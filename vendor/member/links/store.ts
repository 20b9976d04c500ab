/**
 * Queries of `member_tokens`: requests for links, and the tokens in the links that were sent. A link to an address
 * proves that its user reads the mail of that address. The token is created when the link is sent, so that the mail has
 * the only copy, and only its hash is stored. Sending a link again creates another token; all tokens for an address are
 * deleted at the first use of one.
 */
import { inMinutes, newToken } from '@carton/auth';
import { hashToken, json, newId, publish, type TenantDatabase } from '@carton/runtime';
import { type LinkPurpose, linkRequests } from '../events.ts';

const minutesADay = 24 * 60;
const minutesOf: Readonly<Record<LinkPurpose, number>> = {
  registration: 2 * minutesADay,
  verification: 2 * minutesADay,
  password_reset: 30,
  email_change: minutesADay,
  email_changed: 7 * minutesADay,
};

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

/**
 * Whether a link is used in the session that requested it. The reader of the mail may be another person than
 * the one who has entered the address.
 */
export function isSameSession({ sessionHash }: Pick<LinkRow, 'sessionHash'>, used: { hash: string | null }): boolean {
  return sessionHash !== null && sessionHash === used.hash;
}

/** Requests a link to an address, in the transaction of its cause. The event causes the mail. */
export async function requestLink(
  tx: TenantDatabase,
  purpose: LinkPurpose,
  request: Pick<LinkRow, 'email'> & Partial<Pick<LinkRow, 'memberId' | 'passwordHash' | 'profile' | 'sessionHash'>>,
): Promise<void> {
  const { profile, ...columns } = request;
  const requestId = newId();
  const expiresAt = inMinutes(minutesOf[purpose]);
  const stored = { id: requestId, purpose, ...columns, profile: profile ? json(profile) : null, expiresAt };
  await tx.insert('member_tokens', stored);
  // Mails are found by the resource of their event, for example to erase them with the member.
  const { memberId } = request;
  const resource = memberId ? { type: 'member', id: memberId } : { type: 'member_link', id: requestId };
  await publish(tx, linkRequests[purpose], resource, { requestId, expiresAt });
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

/** Creates a token for a request. Returns null if the request is no longer open. */
export async function issueToken(db: TenantDatabase, { id, purpose }: LinkRow): Promise<string | null> {
  const token = newToken(purpose === 'password_reset' ? 'mbr' : 'mbv');
  const issued = await db.query(
    `insert into member_tokens (tenant_id, id, member_id, purpose, email, token_hash, password_hash, profile,
                                session_hash, created_at, expires_at)
     select tenant_id, $3, member_id, purpose, email, $4, password_hash, profile, session_hash, created_at, expires_at
       from member_tokens where tenant_id = $1 and id = $2 and expires_at > now()
        for share
     returning id`,
    [id, newId(), hashToken(token)],
  );
  return issued.length > 0 ? token : null;
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
