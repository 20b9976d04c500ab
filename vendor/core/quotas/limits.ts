/**
 * Limits and usage of the quotas of a tenant, for the operator and staff, and the job that counts again.
 */
import {
  type HasExtensions,
  job,
  nullable,
  object,
  type TenantDatabase,
  type TObject,
  Type,
  withOptions,
} from '@carton/runtime';
import { limitOf } from './claims.ts';
import { inUnits, quotasOf } from './declaration.ts';
import { listQuotaRows, recount, setLimit } from './store.ts';

/** The largest limit. */
const maxLimit = 1_000_000_000;

export const TenantQuotaUsage = object(
  {
    name: Type.String({ examples: ['products'] }),
    unit: Type.String({ examples: ['products'] }),
    description: Type.String(),
    limit: withOptions(nullable(Type.Integer({ minimum: 0 })), {
      description: 'In the unit; null for no limit',
      examples: [1000],
    }),
    isDefault: Type.Boolean({ description: 'Whether the limit is that of the box: the operator has set no other' }),
    used: Type.Number({
      minimum: 0,
      description: 'In the unit; may be above a limit that was lowered',
      examples: [940],
    }),
  },
  { $id: 'TenantQuotaUsage' },
);

/** Limits by the name of their quota. */
export type QuotaLimits = Readonly<Record<string, number | null>>;

/** The schema of the limits that the operator sets. */
export function quotaLimitsSchema(box: HasExtensions): TObject {
  const limits = quotasOf(box).map(({ name, unit, description }) => [
    name,
    Type.Optional(
      withOptions(nullable(Type.Integer({ minimum: 0, maximum: maxLimit })), {
        description: `${description}, in ${unit}; null for no limit`,
        examples: [1000],
      }),
    ),
  ]);
  return object(Object.fromEntries(limits), {
    $id: 'TenantQuotaLimits',
    description: 'Limits to change; those that are left out stay',
  });
}

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
