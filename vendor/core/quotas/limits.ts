/**
 * Limits and usage of the quotas of a tenant, for the operator and staff, and the job that counts again.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { limitOf } from './claims.ts';
import { inUnits, quotasOf } from './declaration.ts';
import { listQuotaRows, recount, setLimit } from './store.ts';

/** Limits by the name of their quota. */
export type QuotaLimits = Readonly<Record<string, number | null>>;

/**
 * Sets limits of the tenant of `tx`. One below the usage keeps what is stored, and refuses what is added.
 * @param limits of quotas that the box has
 */
export async function setQuotaLimits(tx: TenantDatabase, limits: QuotaLimits): Promise<void> {
  for (const name of Object.keys(limits).toSorted()) await setLimit(tx, name, limits[name] ?? null);
}

/** The quotas of a tenant with their limits and usage, by name. */
export async function readQuotas(db: TenantDatabase) {
  const rows = new Map((await listQuotaRows(db)).map((row) => [row.name, row]));
  const quotas = [];
  for (const quota of quotasOf(db).toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const row = rows.get(quota.name) ?? null;
    const kept = row?.used ?? (await quota.kept?.(db)) ?? 0;
    const live = (await quota.live?.(db, Number.MAX_SAFE_INTEGER)) ?? 0;
    const { name, unit, description } = quota;
    const used = inUnits(quota, kept + live);
    quotas.push({ name, unit, description, limit: limitOf(db, quota, row), isDefault: !row?.isLimited, used });
  }
  return quotas;
}

/** Counts again what an older release may have changed without changing the kept counts. */
export const recountQuotas = job({
  name: 'core.recount-quotas',
  everySeconds: 86_400,
  async run(db) {
    for (const quota of quotasOf(db)) if (quota.kept) await db.transaction((tx) => recount(tx, quota));
  },
});
