/**
 * Queries of tenants.
 */
import type { Database, Tenant, TenantDatabase } from '@carton/runtime';

const tenantColumns = 'id, slug, name, status, deleted_at, deletion_at, created_at, updated_at';

export interface TenantRow extends Tenant {
  deletedAt: string | null;
  /** When the data of a deleted tenant is removed. */
  deletionAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export async function findTenantBySlug({ box }: Database, slug: string): Promise<TenantRow | null> {
  const [tenant] = await box.query<TenantRow>(`select ${tenantColumns} from tenants where slug = $1`, [slug]);
  return tenant ?? null;
}

export async function findTenantById({ box }: Database, id: string): Promise<TenantRow | null> {
  const [tenant] = await box.query<TenantRow>(`select ${tenantColumns} from tenants where id = $1`, [id]);
  return tenant ?? null;
}

/**
 * Joins the tenant with the id that an expression has, as `tenant`, for a statement of the box. Its columns are those of
 * `Tenant`.
 */
export const joinedTenant = (id: string) => `join tenants tenant on tenant.id = ${id}`;

/** The slug of the tenant of `db`. */
export async function findOwnSlug(db: TenantDatabase): Promise<string> {
  const [tenant] = await db.query<Tenant>('select slug from tenants where id = $1');
  if (!tenant) throw new Error(`no tenant ${db.tenantId}`);
  return tenant.slug;
}

/** The account of the tenant of `db` among accounts by slug or id; null without one. */
export async function findOwnAccount<T>(db: TenantDatabase, accounts: ReadonlyMap<string, T>): Promise<T | null> {
  if (accounts.size === 0) return null;
  return accounts.get(db.tenantId) ?? accounts.get(await findOwnSlug(db)) ?? null;
}

/** The only tenant of the box; null if there are none or several. */
export async function findOnlyTenant({ box }: Database): Promise<TenantRow | null> {
  const tenants = await box.query<TenantRow>(`select ${tenantColumns} from tenants limit 2`);
  return tenants.length === 1 ? (tenants[0] as TenantRow) : null;
}

/** Tenants ordered by slug and id, after a position. */
export function listTenantRows({ box }: Database, after: [string, string] | null, limit: number): Promise<TenantRow[]> {
  return box.query<TenantRow>(
    `select ${tenantColumns} from tenants where $1::text is null or (slug, id) > ($1, $2::uuid) order by slug, id limit $3`,
    [after?.[0] ?? null, after?.[1] ?? null, limit],
  );
}

export async function insertTenant(db: TenantDatabase, tenant: { slug: string; name: string }): Promise<TenantRow> {
  const [row] = await db.query<TenantRow>(
    `insert into tenants (id, slug, name) values ($1, $2, $3) returning ${tenantColumns}`,
    [tenant.slug, tenant.name],
  );
  return row as TenantRow;
}

/**
 * Changes the tenant of `db`. Reinstating a deleted one takes the deletion back.
 * @returns null if it is reinstated after the removal of its data has begun, or does not exist
 */
export async function updateTenant(
  db: TenantDatabase,
  patch: { name?: string; status?: Tenant['status'] },
): Promise<TenantRow | null> {
  const [row] = await db.query<TenantRow>(
    `update tenants
        set name = coalesce($2, name), status = coalesce($3, status), updated_at = now(),
            deleted_at = case when $3 = 'active' then null else deleted_at end,
            deletion_at = case when $3 = 'active' then null else deletion_at end
      where id = $1 and ($3::text is distinct from 'active' or removal_started_at is null)
      returning ${tenantColumns}`,
    [patch.name ?? null, patch.status ?? null],
  );
  return row ?? null;
}

/** Suspends the tenant of `db`, and has its data removed after days. The first deletion counts. Null for no tenant. */
export async function deleteTenantAfter(db: TenantDatabase, days: number): Promise<TenantRow | null> {
  const [deleted] = await db.query<TenantRow>(
    `update tenants
        set status = 'suspended', updated_at = now(), deleted_at = now(),
            deletion_at = now() + $2 * interval '1 day'
      where id = $1 and deleted_at is null returning ${tenantColumns}`,
    [days],
  );
  if (deleted) return deleted;
  const [row] = await db.query<TenantRow>(`select ${tenantColumns} from tenants where id = $1`);
  return row ?? null;
}

/** Begins the removal of the tenant's data, or continues it; false unless it is due. */
export async function startRemoval(db: TenantDatabase): Promise<boolean> {
  const [due] = await db.query<{ isStarted: boolean }>(
    'select removal_started_at is not null as is_started from tenants where id = $1 and deletion_at <= now()',
  );
  if (!due || due.isStarted) return due !== undefined;
  const started = await db.query(
    'update tenants set removal_started_at = now() where id = $1 and deletion_at <= now() returning id',
  );
  return started.length > 0;
}
