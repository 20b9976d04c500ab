/**
 * Changes of what quotas limit: one that would exceed the limit of its tenant is refused.
 *
 * What can be many is not counted by each change: its count is kept in `tenant_quotas` and changed in the transaction of
 * the rows. The row of a quota also serializes changes, so that of two at the last place one is refused.
 */
import type { HasExtensions, TenantDatabase } from '@carton/runtime';
import { inUnits, type TenantQuota } from './declaration.ts';
import { quotaExceeded } from './problems.ts';
import { changeKept, findQuota, type QuotaRow } from './store.ts';

/** The limit in effect, in the unit; null for none. */
export function limitOf(box: HasExtensions, quota: TenantQuota, row: QuotaRow | null): number | null {
  return row?.isLimited ? row.limitValue : (quota.defaultLimit?.(box) ?? null);
}

export interface QuotaClaim {
  /** What was added to the kept count, if not all that was added. */
  kept?: number;
  /** What is still counted although what was added replaces it. */
  replaced?: number;
}

/**
 * Counts what a transaction has added, and refuses it above the limit. Call it at the end of the transaction, after the
 * rows are written: it waits for other changes of the quota, and holds them up until the commit. A transaction that
 * changes several quotas does so in the order of their names.
 * @throws quota_exceeded (409)
 */
export async function claimQuota(
  tx: TenantDatabase,
  quota: TenantQuota,
  added: number,
  { kept = added, replaced = 0 }: QuotaClaim = {},
): Promise<void> {
  const row = await changeKept(tx, quota, quota.kept ? kept : 0);
  const limit = limitOf(tx, quota, row);
  if (limit === null || added <= 0) return;
  const most = limit * (quota.perUnit ?? 1);
  const live = (await quota.live?.(tx, most + 1)) ?? 0;
  const used = (row.used ?? 0) + live - replaced;
  if (used > most) throw exceeded(quota, limit, used - added, added);
}

/**
 * Refuses early what `claimQuota` would refuse. Other changes may take the room before it is claimed.
 * @param added 0 if it is not known yet
 * @param replaced as for `claimQuota`
 * @returns what is left; null for no limit
 * @throws quota_exceeded (409)
 */
export async function requireRoom(
  db: TenantDatabase,
  quota: TenantQuota,
  added: number,
  { replaced = 0 }: Pick<QuotaClaim, 'replaced'> = {},
): Promise<number | null> {
  const row = await findQuota(db, quota);
  const limit = limitOf(db, quota, row);
  // A count that is not kept yet is made by the first claim.
  if (limit === null || (quota.kept && row?.used == null)) return null;
  const most = limit * (quota.perUnit ?? 1);
  const used = (row?.used ?? 0) + ((await quota.live?.(db, most + 1)) ?? 0) - replaced;
  if (used + added > most || used >= most) throw exceeded(quota, limit, used, Math.max(1, added));
  return most - used;
}

function exceeded(quota: TenantQuota, limit: number, before: number, added: number) {
  const { name, unit } = quota;
  const used = inUnits(quota, Math.max(0, before));
  return quotaExceeded(
    `The store has ${used} ${unit}, and its limit is ${limit}: there is no room for ${inUnits(quota, added)} more. ` +
      'Delete what is not needed, or ask the operator of the box for a higher limit.',
    { members: { quota: name, limit, used } },
  );
}

/**
 * Subtracts from the kept count what a transaction has deleted. Call it as `claimQuota`.
 * @param removed in what the quota counts
 */
export async function releaseQuota(tx: TenantDatabase, quota: TenantQuota, removed: number): Promise<void> {
  if (removed > 0) await changeKept(tx, quota, -removed);
}
