/**
 * Queries of stores.
 */
import { type Database, referenceQuery, referenceVersion, type TenantDatabase } from '@carton/runtime';
import type { ChangeStore, Store } from './schemas.ts';

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

const storeWithVersion = `select stores.*, ${referenceVersion} as reference_version from stores where tenant_id = $1`;

/**
 * Reads without the version of the reference data learn it, for what they read next. Transactions do not: what one writes,
 * such as what follows from an event, must not come from goods of before a commit whose version is not replaced yet.
 */
async function readStore(db: TenantDatabase): Promise<Store> {
  if (db.holdsConnection && !db.inTransaction && !db.knowsReferenceVersion) return readWithVersion(db);
  const [store] = await db.readReference<StoreRow>(storeOfTenant);
  if (!store) throw withoutStore(db);
  return withDefaults(store);
}

/** The store; `db` knows the version of the reference data from then on. */
export async function readWithVersion(db: TenantDatabase): Promise<Store> {
  const [found] = await db.query<StoreRow & { referenceVersion: string | null }>(storeWithVersion);
  if (!found) throw withoutStore(db);
  const { referenceVersion: version, ...store } = found;
  db.knowReferenceVersion(version);
  return withDefaults(store);
}

const withoutStore = ({ tenantId }: TenantDatabase) => new Error(`tenant ${tenantId} has no store`);

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

/** Stores by the rows that are shared among requests. */
const stores = new WeakMap<StoreRow, Store>();

/** The default currency and language come first in their lists. Rows of earlier releases lack them. */
function withDefaults(row: StoreRow): Store {
  const known = stores.get(row);
  if (known) return known;
  const store = completed(row);
  if (Object.isFrozen(row)) stores.set(row, Object.freeze(store));
  return store;
}

function completed(store: StoreRow): Store {
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

/** Creates the store of a new tenant. */
export async function insertStore(
  tx: TenantDatabase,
  store: Pick<Store, 'name' | 'defaultCurrency' | 'defaultLocale'> & { defaultVersion: number },
): Promise<void> {
  const { defaultCurrency, defaultLocale } = store;
  const lists = { currencies: [defaultCurrency], locales: [defaultLocale] };
  await tx.insert('stores', { ...store, ...lists, orderNumberFormat: '{number}' });
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
