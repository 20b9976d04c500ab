/**
 * Rules of core: creating tenants, changing store settings, and drawing order numbers.
 */
import {
  type Database,
  defineProblem,
  extensionPoint,
  invalidField,
  isUniqueViolation,
  newId,
  publish,
  type StaffCaller,
  type TenantDatabase,
} from '@carton/runtime';
import { storeUpdated } from './events.ts';
import type { ChangeStore, Store } from './schemas.ts';
import { drawNumber, insertTenant, lockSequence, lockStore, type TenantRow, updateStore } from './store.ts';
import { mergedSettings, newestDefaults, refuseReserved } from './store-settings.ts';

export const slugTaken = defineProblem({
  code: 'tenant_slug_taken',
  status: 409,
  title: 'Another tenant has this slug',
});

export const currencyInUse = defineProblem({
  code: 'currency_in_use',
  status: 409,
  title: 'A currency of the store is in use',
});

/** What needs currencies of the store, which then cannot be removed from its list. */
export interface CurrencyUse {
  /** In the plural: `regions`. */
  readonly noun: string;
  /** The currencies in use. Called in the transaction of a change, with the store's row locked. */
  list(tx: TenantDatabase): Promise<readonly string[]>;
}
export const currencyUses = extensionPoint<CurrencyUse>('core.currency-uses');

/**
 * Rejects a change of the store whose values refer to rows of another package. Called in its transaction, before the store's
 * row is locked. @throws invalid_request (400)
 */
export type StoreCheck = (tx: TenantDatabase, patch: ChangeStore) => Promise<void>;
export const storeChecks = extensionPoint<StoreCheck>('core.store-checks');

/** Order numbers start at 1001, so that they do not reveal how few orders a new store has had. */
const orderNumberOffset = 1000;

export interface NewTenant {
  slug: string;
  name: string;
  defaultCurrency: string;
  defaultLocale: string;
  firstStaffEmail: string;
}

/** Invites the first member of staff of a new tenant. Contributed by the package with staff accounts. */
export type FirstStaffInviter = (db: TenantDatabase, email: string) => Promise<{ token: string; expiresAt: string }>;
export const firstStaffInviters = extensionPoint<FirstStaffInviter>('core.first-staff');

/**
 * Creates a tenant, its store and the invite of its first member of staff in one transaction.
 * @param also further work in the same transaction
 * @throws tenant_slug_taken (409)
 */
export async function openTenant(
  database: Database,
  { slug, name, defaultCurrency, defaultLocale, firstStaffEmail }: NewTenant,
  also: (db: TenantDatabase, tenant: TenantRow) => Promise<void>,
): Promise<{ tenant: TenantRow; invite: { token: string; expiresAt: string } | null }> {
  const work = database.forTenant(newId()).transaction(async (db) => {
    const tenant = await insertTenant(db, { slug, name });
    const lists = { currencies: [defaultCurrency], locales: [defaultLocale] };
    const more = { orderNumberFormat: '{number}', defaultVersion: newestDefaults };
    await db.insert('stores', { name, defaultCurrency, defaultLocale, ...lists, ...more });
    const [inviter] = firstStaffInviters.of(db);
    const invite = inviter ? await inviter(db, firstStaffEmail) : null;
    await also(db, tenant);
    return { tenant, invite };
  });
  return work.catch((error) => {
    throw isUniqueViolation(error, 'tenants_slug_key')
      ? slugTaken(`A tenant with the slug ${slug} already exists.`)
      : error;
  });
}

/**
 * Changes the store. `settings` are merged into the stored ones. They are not validated here: the route has validated
 * its body, and other callers must pass valid values. The default currency and language are always in their lists: a
 * new default is added.
 * @param staff for whom settings may be reserved; without one, the change is the box's own
 * @throws invalid_request (400) for an invalid origin or region, currency_in_use (409), forbidden (403)
 */
export async function changeStore(db: TenantDatabase, patch: ChangeStore, staff?: StaffCaller): Promise<Store> {
  const allowedOrigins = patch.allowedOrigins && [...new Set(patch.allowedOrigins.map(normalizeOrigin))];
  return db.transaction(async (transaction) => {
    for (const check of storeChecks.of(transaction)) await check(transaction, patch);
    const before = await lockStore(transaction);
    if (staff) refuseReserved(transaction, staff, before, patch);
    const settings = patch.settings && mergedSettings(before.settings, patch.settings);
    const lists = listsOf({ ...before, ...patch });
    if (patch.currencies) await refuseMissing(transaction, lists.currencies);
    const store = await updateStore(transaction, before, { ...patch, ...lists, allowedOrigins, settings });
    const { name, defaultCurrency, defaultLocale } = store;
    await publish(
      transaction,
      storeUpdated,
      { type: 'store', id: db.tenantId },
      { name, defaultCurrency, defaultLocale },
    );
    return store;
  });
}

type Lists = Pick<Store, 'defaultCurrency' | 'currencies' | 'defaultLocale' | 'locales'>;

function listsOf({ defaultCurrency, currencies, defaultLocale, locales }: Lists) {
  return {
    currencies: [...new Set([defaultCurrency, ...currencies])],
    locales: [...new Set([defaultLocale, ...locales])],
  };
}

/** @throws currency_in_use (409) if a currency in use is not in the list */
async function refuseMissing(tx: TenantDatabase, currencies: readonly string[]): Promise<void> {
  for (const { noun, list } of currencyUses.of(tx)) {
    const missing = [...new Set(await list(tx))].filter((currency) => !currencies.includes(currency));
    if (missing.length > 0) throw currencyInUse(`There are ${noun} in ${missing.join(', ')}.`);
  }
}

/** Adds a currency to those of the store. It cannot be removed until the transaction ends. */
export async function addCurrency(tx: TenantDatabase, currency: string): Promise<void> {
  const { currencies } = await lockStore(tx);
  if (!currencies.includes(currency)) await changeStore(tx, { currencies: [...currencies, currency] });
}

function normalizeOrigin(origin: string, position: number): string {
  if (!URL.canParse(origin)) throw invalidField(`/allowedOrigins/${position}`, 'must be an origin');
  return new URL(origin).origin;
}

/** Draws the next order number in the store's format. Call it late in a transaction: it locks the sequence. */
export async function drawOrderNumber(
  db: TenantDatabase,
  { orderNumberFormat }: Pick<Store, 'orderNumberFormat'>,
): Promise<string> {
  const number = await drawNumber(db, 'order', orderNumberOffset);
  return orderNumberFormat.replace('{number}', () => String(number));
}

/** Waits for the orders of the tenant that have drawn their number, and holds up further ones until the transaction ends. */
export async function lockOrderNumbers(db: TenantDatabase): Promise<void> {
  await lockSequence(db, 'order', orderNumberOffset);
}

/** Skips the next order number, which an order already has because the store's format was changed. */
export async function skipOrderNumber(db: TenantDatabase): Promise<void> {
  await drawNumber(db, 'order', orderNumberOffset);
}
