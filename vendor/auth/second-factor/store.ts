/**
 * Queries of `staff_second_factors`. Its columns with secrets are named so that the reports of changes leave them out.
 */
import type { TenantDatabase } from '@carton/runtime';

interface FactorRow {
  staffUserId: string;
  /** As `encryptSecret` returns it. */
  secretKey: string;
  enabledAt: string | null;
  recoveryHash: string[];
}

/** The factor of a member of staff, also one that is not enabled yet. */
export async function findFactor(db: TenantDatabase, staffUserId: string): Promise<FactorRow | null> {
  const [row] = await db.query<FactorRow>(
    'select * from staff_second_factors where tenant_id = $1 and staff_user_id = $2',
    [staffUserId],
  );
  return row ?? null;
}

/** Whether a log-in needs a code. */
export async function isFactorEnabled(db: TenantDatabase, staffUserId: string): Promise<boolean> {
  return (await findFactor(db, staffUserId))?.enabledAt != null;
}

/** Stores a secret that no code has confirmed yet, in place of an earlier one. */
export async function replacePendingFactor(db: TenantDatabase, staffUserId: string, secretKey: string): Promise<void> {
  await db.remove('staff_second_factors', { staffUserId, enabledAt: null });
  await db.insert('staff_second_factors', { staffUserId, secretKey });
}

/**
 * Uses up a time step of an enabled factor, and with it all earlier ones. The comparison and the change are one
 * statement, so of several concurrent uses of a code one succeeds. Also stores the secret as it is to be stored now.
 * Returns whether this use succeeded.
 */
export async function useStep(
  db: TenantDatabase,
  factor: Pick<FactorRow, 'staffUserId' | 'secretKey'>,
  { step, secretKey }: { step: number; secretKey: string },
): Promise<boolean> {
  const used = await db.query(
    `update staff_second_factors set last_step = $3, secret_key = case when secret_key = $4 then $5 else secret_key end
      where tenant_id = $1 and staff_user_id = $2 and enabled_at is not null and last_step < $3
     returning 1`,
    [factor.staffUserId, step, factor.secretKey, secretKey],
  );
  return used.length > 0;
}

/** Deletes a recovery code of an enabled factor: it works once. Returns whether there was one with this hash. */
export async function useRecoveryCode(db: TenantDatabase, staffUserId: string, hash: string): Promise<boolean> {
  const used = await db.query(
    `update staff_second_factors set recovery_hash = array_remove(recovery_hash, $3)
      where tenant_id = $1 and staff_user_id = $2 and enabled_at is not null and $3 = any(recovery_hash)
     returning 1`,
    [staffUserId, hash],
  );
  return used.length > 0;
}

/** Enables a factor by the time step of its first code. @returns false if it is enabled already */
export async function enableFactor(
  db: TenantDatabase,
  { staffUserId, secretKey }: FactorRow,
  { lastStep, recoveryHash }: { lastStep: number; recoveryHash: string[] },
): Promise<boolean> {
  const where = { staffUserId, secretKey, enabledAt: null };
  const enabled = await db.update('staff_second_factors', where, { enabledAt: new Date(), lastStep, recoveryHash });
  return enabled.length > 0;
}

export async function replaceRecoveryCodes(
  db: TenantDatabase,
  staffUserId: string,
  recoveryHash: string[],
): Promise<void> {
  await db.update('staff_second_factors', { staffUserId }, { recoveryHash });
}

/** Returns whether the person had an enabled factor. */
export async function removeFactor(db: TenantDatabase, staffUserId: string): Promise<boolean> {
  const removed = await db.remove<FactorRow>('staff_second_factors', { staffUserId });
  return removed.some(({ enabledAt }) => enabledAt !== null);
}
