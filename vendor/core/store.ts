/**
 * Queries of the tables of core: tenants, stores and number sequences.
 */
import type { Database, Tenant, TenantDatabase } from '@carton/runtime';
import type { ChangeStore, Store } from './schemas.ts';
import type { StoredSettings } from './store-settings.ts';

const tenantColumns = 'id, slug, name, status, created_at, updated_at';

export interface TenantRow extends Tenant {
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

export async function updateTenant(
  db: TenantDatabase,
  patch: { name?: string; status?: Tenant['status'] },
): Promise<TenantRow | null> {
  const [row] = await db.query<TenantRow>(
    `update tenants set name = coalesce($2, name), status = coalesce($3, status), updated_at = now()
      where id = $1 returning ${tenantColumns}`,
    [patch.name ?? null, patch.status ?? null],
  );
  return row ?? null;
}

/** The stores that transactions and pipelined reads have read. */
const storesRead = new WeakMap<TenantDatabase, Promise<Store>>();

/** The tenant's store. A transaction, or pipelined reads, read it once, so that all of their work sees the same settings. */
export function findStore(db: TenantDatabase): Promise<Store> {
  if (!db.holdsConnection) return readStore(db);
  const store = storesRead.get(db) ?? readStore(db);
  storesRead.set(db, store);
  return store;
}

async function readStore(db: TenantDatabase): Promise<Store> {
  const [store] = await db.query<Store>('select * from stores where tenant_id = $1');
  if (!store) throw new Error(`tenant ${db.tenantId} has no store`);
  return store;
}

/** Origins whose pages may call the store; none for an unknown tenant. */
export async function findAllowedOrigins(database: Database, tenantId: string): Promise<readonly string[]> {
  const [store] = await database
    .forTenant(tenantId)
    .query<Pick<Store, 'allowedOrigins'>>('select allowed_origins from stores where tenant_id = $1');
  return store?.allowedOrigins ?? [];
}

/** The stored settings of packages, locked until the transaction ends. */
export async function lockSettings(db: TenantDatabase): Promise<StoredSettings> {
  storesRead.delete(db);
  const [store] = await db.query<Pick<Store, 'settings'>>(
    'select settings from stores where tenant_id = $1 for no key update',
  );
  return store?.settings ?? {};
}

export async function updateStore(db: TenantDatabase, patch: ChangeStore): Promise<Store> {
  const [store] = await db.update<Store>('stores', {}, { ...patch, updatedAt: new Date() });
  storesRead.delete(db);
  return store as Store;
}

/**
 * Draws the next number of a sequence that begins after `start`. The sequence stays locked until the transaction ends,
 * so a rollback leaves no gap.
 */
export async function drawNumber(db: TenantDatabase, name: string, start: number): Promise<number> {
  const [row] = await db.query<{ lastValue: number }>(
    `insert into number_sequences (tenant_id, name, last_value) values ($1, $2, $3::bigint + 1)
     on conflict (tenant_id, name) do update set last_value = number_sequences.last_value + 1
     returning last_value`,
    [name, start],
  );
  return (row as { lastValue: number }).lastValue;
}
