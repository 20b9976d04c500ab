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
  type TenantDatabase,
} from '@carton/runtime';
import { storeUpdated } from './events.ts';
import type { ChangeStore, Store } from './schemas.ts';
import { drawNumber, insertTenant, lockSettings, type TenantRow, updateStore } from './store.ts';
import { mergedSettings } from './store-settings.ts';

export const slugTaken = defineProblem({
  code: 'tenant_slug_taken',
  status: 409,
  title: 'Another tenant has this slug',
});

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
    await db.insert('stores', { name, defaultCurrency, defaultLocale, orderNumberFormat: '{number}' });
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
 * its body, and other callers must pass valid values.
 * @throws invalid_request (400) for an invalid origin
 */
export async function changeStore(db: TenantDatabase, patch: ChangeStore): Promise<Store> {
  const allowedOrigins = patch.allowedOrigins && [...new Set(patch.allowedOrigins.map(normalizeOrigin))];
  return db.transaction(async (transaction) => {
    const settings = patch.settings && mergedSettings(await lockSettings(transaction), patch.settings);
    const store = await updateStore(transaction, { ...patch, allowedOrigins, settings });
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

/** Skips the next order number, which an order already has because the store's format was changed. */
export async function skipOrderNumber(db: TenantDatabase): Promise<void> {
  await drawNumber(db, 'order', orderNumberOffset);
}
