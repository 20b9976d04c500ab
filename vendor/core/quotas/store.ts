/**
 * Queries of `tenant_quotas`.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { TenantQuota } from './declaration.ts';

export interface QuotaRow {
  name: string;
  /** The kept count; null until it is counted. */
  used: number | null;
  /** Whether the operator has set a limit. */
  isLimited: boolean;
  /** In the unit of the quota; null for none. */
  limitValue: number | null;
}

const columns = 'name, used, is_limited, limit_value';

export function listQuotaRows(db: TenantDatabase): Promise<QuotaRow[]> {
  return db.query(`select ${columns} from tenant_quotas where tenant_id = $1`);
}

export async function findQuota(db: TenantDatabase, { name }: Pick<TenantQuota, 'name'>): Promise<QuotaRow | null> {
  const [row] = await db.query<QuotaRow>(`select ${columns} from tenant_quotas where tenant_id = $1 and name = $2`, [
    name,
  ]);
  return row ?? null;
}

type Counted = Pick<TenantQuota, 'name' | 'kept'>;

/**
 * Changes the kept count of a quota by what the transaction has changed, and locks its row until the transaction ends. A
 * count that is not kept yet is made first. A quota without one keeps zero.
 */
export async function changeKept(tx: TenantDatabase, quota: Counted, change: number): Promise<QuotaRow> {
  const [changed] = await tx.query<QuotaRow>(
    `update tenant_quotas set used = greatest(0, used + $3::bigint)
      where tenant_id = $1 and name = $2 and used is not null returning ${columns}`,
    [quota.name, change],
  );
  if (changed) return changed;
  const { used } = await lockQuota(tx, quota);
  // Another transaction has counted while this one waited for the row.
  return used === null ? recount(tx, quota) : changeKept(tx, quota, change);
}

/** Locks the row of a quota until the transaction ends, so that its count does not change. */
async function lockQuota(tx: TenantDatabase, { name }: Counted): Promise<Pick<QuotaRow, 'used'>> {
  await tx.query(
    'insert into tenant_quotas (tenant_id, name) values ($1, $2) on conflict (tenant_id, name) do nothing',
    [name],
  );
  const [row] = await tx.query<QuotaRow>(
    'select used from tenant_quotas where tenant_id = $1 and name = $2 for update',
    [name],
  );
  return row as QuotaRow;
}

/** Counts again, with what the transaction itself has changed. */
export async function recount(tx: TenantDatabase, quota: Counted): Promise<QuotaRow> {
  await lockQuota(tx, quota);
  const count = (await quota.kept?.(tx)) ?? 0;
  const [row] = await tx.query<QuotaRow>(
    `update tenant_quotas set used = $3 where tenant_id = $1 and name = $2 returning ${columns}`,
    [quota.name, count],
  );
  return row as QuotaRow;
}

/** Sets the limit of a quota; null for none. */
export async function setLimit(tx: TenantDatabase, name: string, limit: number | null): Promise<void> {
  await tx.query(
    `insert into tenant_quotas (tenant_id, name, is_limited, limit_value) values ($1, $2, true, $3)
     on conflict (tenant_id, name) do update set is_limited = true, limit_value = excluded.limit_value`,
    [name, limit],
  );
}
