/**
 * Queries of log-ins that wait for the code of the second factor: the right password has been sent. They are rows of
 * `staff_tokens`, so they end with the links of the person: when the password is reset or the account is disabled.
 */
import { newId, type TenantDatabase } from '@carton/runtime';

export async function insertChallenge(
  db: TenantDatabase,
  { staffUserId, tokenHash, expiresAt }: { staffUserId: string; tokenHash: string; expiresAt: string },
): Promise<void> {
  await db.query(
    `insert into staff_tokens (tenant_id, id, staff_user_id, purpose, token_hash, expires_at)
     values ($1, $2, $3, 'second_factor', $4, $5)`,
    [newId(), staffUserId, tokenHash, expiresAt],
  );
}

const isOpen = `tenant_id = $1 and token_hash = $2 and purpose = 'second_factor' and expires_at > now()`;

/** The id of the member of staff whose challenge this is; null if it is unknown, used or expired. */
export async function findChallengeOwner(db: TenantDatabase, tokenHash: string): Promise<string | null> {
  const [row] = await db.query<{ staffUserId: string }>(`select staff_user_id from staff_tokens where ${isOpen}`, [
    tokenHash,
  ]);
  return row?.staffUserId ?? null;
}

/** Counts a code, before it is checked. Returns false if the challenge is unknown, used or expired, or has had `most`. */
export async function countCode(db: TenantDatabase, tokenHash: string, most: number): Promise<boolean> {
  const counted = await db.query(
    `update staff_tokens set attempts = attempts + 1 where ${isOpen} and attempts < $3::integer returning 1`,
    [tokenHash, most],
  );
  return counted.length > 0;
}

/** Deletes a challenge, which opens one session. Returns false if it has been used. */
export async function consumeChallenge(db: TenantDatabase, tokenHash: string): Promise<boolean> {
  return (await db.query(`delete from staff_tokens where ${isOpen} returning 1`, [tokenHash])).length > 0;
}
