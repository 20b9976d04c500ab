/**
 * Queries of what services have said of tax numbers: until it expires, by hashes of what was asked.
 */
import { json, type TenantDatabase } from '@carton/runtime';
import type { TaxNumberAnswer } from './checker.ts';

export interface StoredCheck {
  /** Null if there was no answer. */
  answer: TaxNumberAnswer | null;
  checkedAt: string;
}

/** Also one that has expired, until it is deleted: then `isCurrent` is false. */
export async function findCheck(
  db: TenantDatabase,
  digest: string,
): Promise<(StoredCheck & { isCurrent: boolean }) | null> {
  const [found] = await db.query<StoredCheck & { isCurrent: boolean }>(
    `select answer, checked_at, expires_at > now() as is_current from tax_number_checks
      where tenant_id = $1 and digest = $2`,
    [digest],
  );
  return found ?? null;
}

/** Stores an answer, or with null that there was none. @param minutes for which it is used */
export async function storeCheck(
  db: TenantDatabase,
  digest: string,
  answer: TaxNumberAnswer | null,
  minutes: number,
): Promise<void> {
  await db.query(
    `insert into tax_number_checks (tenant_id, digest, answer, checked_at, expires_at)
     values ($1, $2, $3, now(), now() + $4 * interval '1 minute')
     on conflict (tenant_id, digest) do update
        set answer = excluded.answer, checked_at = excluded.checked_at, expires_at = excluded.expires_at`,
    [digest, answer && json(answer), minutes],
  );
}

/** Deletes at most `most` checks that have expired; returns their number. */
export async function deleteExpiredChecks(db: TenantDatabase, most: number): Promise<number> {
  const deleted = await db.query(
    `delete from tax_number_checks where tenant_id = $1 and digest in (
       select digest from tax_number_checks where tenant_id = $1 and expires_at <= now()
        order by expires_at limit $2 for update skip locked)
     returning 1`,
    [most],
  );
  return deleted.length;
}

export async function deleteChecks(tx: TenantDatabase): Promise<void> {
  await tx.query('delete from tax_number_checks where tenant_id = $1');
}
