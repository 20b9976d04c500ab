/**
 * Queries of the tables of core: tenants, stores and number sequences.
 */
import { type Database, referenceQuery, type Tenant, type TenantDatabase } from '@carton/runtime';
import type { ChangeStore, Store } from './schemas.ts';

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

/** The stores that transactions and pipelined reads have read. */
const storesRead = new WeakMap<TenantDatabase, Promise<Store>>();

/** The tenant's store. A transaction, or pipelined reads, read it once, so that all of their work sees the same settings. */
export function findStore(db: TenantDatabase): Promise<Store> {
  if (!db.holdsConnection) return readStore(db);
  const store = storesRead.get(db) ?? readStore(db);
  storesRead.set(db, store);
  return store;
}

const storeOfTenant = referenceQuery('select * from stores where tenant_id = $1');

async function readStore(db: TenantDatabase): Promise<Store> {
  const [store] = await db.readReference<StoreRow>(storeOfTenant);
  if (!store) throw new Error(`tenant ${db.tenantId} has no store`);
  return withDefaults(store);
}

/** A row of the table. */
type StoreRow = Omit<Store, keyof OwnSettings>;
/** What a store has besides its columns. */
type OwnSettings = Pick<Store, 'country' | 'defaultRegionId'>;

/**
 * The group of `settings` with what belongs to the store itself. Not columns: a further one would change the rows that
 * statements return which a box of the former release has prepared, and fail there.
 */
const ownGroup = 'store';

/**
 * SQL of the store of the tenant `$1`, for statements of other packages, which would otherwise need a round trip of their
 * own: a table of one row, with the columns `tenant_id`, `default_currency`, `country` and `default_region_id`; the last two
 * are null if they are not set.
 */
export const ownStore = `(
  select stores.tenant_id, stores.default_currency, stores.settings -> '${ownGroup}' ->> 'country' as country,
         (stores.settings -> '${ownGroup}' ->> 'defaultRegionId')::uuid as default_region_id
    from stores where stores.tenant_id = $1)`;

/** The default currency and language come first in their lists. Rows of earlier releases lack them. */
function withDefaults(store: StoreRow): Store {
  const { defaultCurrency, defaultLocale } = store;
  const { country = null, defaultRegionId = null } = (store.settings[ownGroup] ?? {}) as Partial<OwnSettings>;
  return {
    ...store,
    ...{ country, defaultRegionId },
    currencies: [...new Set([defaultCurrency, ...store.currencies])],
    locales: [...new Set([defaultLocale, ...store.locales])],
  };
}

/** SQL of the locales of all stores, the most used first; for the owner of the table. */
export const localesInUse = 'select default_locale as locale from stores group by 1 order by count(*) desc, 1';

/** Origins whose pages may call the store; none for an unknown tenant. */
export async function findAllowedOrigins(database: Database, tenantId: string): Promise<readonly string[]> {
  const [store] = await database
    .forTenant(tenantId)
    .query<Pick<Store, 'allowedOrigins'>>('select allowed_origins from stores where tenant_id = $1');
  return store?.allowedOrigins ?? [];
}

/** The store, locked until the transaction ends. */
export async function lockStore(db: TenantDatabase): Promise<Store> {
  storesRead.delete(db);
  const [store] = await db.query<StoreRow>('select * from stores where tenant_id = $1 for no key update');
  if (!store) throw new Error(`tenant ${db.tenantId} has no store`);
  return withDefaults(store);
}

/** @param before the locked store */
export async function updateStore(db: TenantDatabase, before: Store, patch: ChangeStore): Promise<Store> {
  const { country = before.country, defaultRegionId = before.defaultRegionId, settings, ...columns } = patch;
  const own = { country, defaultRegionId };
  const isOwnChanged = country !== before.country || defaultRegionId !== before.defaultRegionId;
  const stored = isOwnChanged ? { ...(settings ?? before.settings), [ownGroup]: own } : settings;
  const [store] = await db.update<StoreRow>('stores', {}, { ...columns, settings: stored, updatedAt: new Date() });
  storesRead.delete(db);
  return withDefaults(store as StoreRow);
}

/** Locks a sequence that begins after `start` until the transaction ends, without drawing a number. */
export async function lockSequence(db: TenantDatabase, name: string, start: number): Promise<void> {
  const locked = await db.query('select 1 from number_sequences where tenant_id = $1 and name = $2 for update', [name]);
  if (locked.length > 0) return;
  // Before its first number. The update changes nothing, and waits for who has drawn it meanwhile.
  await db.query(
    `insert into number_sequences (tenant_id, name, last_value) values ($1, $2, $3::bigint)
     on conflict (tenant_id, name) do update set last_value = number_sequences.last_value`,
    [name, start],
  );
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
