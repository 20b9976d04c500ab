/**
 * Rules of core: opening a merchant's shop, its settings, and numbers that never repeat.
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

export const slugTaken = defineProblem({ code: 'tenant_slug_taken', status: 409, title: 'This slug is taken' });

/** The first order of a shop is number 1001: a shop does not tell its customers that they are the first. */
const numbersBeginAfter = 1000;

export interface NewTenant {
  slug: string;
  name: string;
  defaultCurrency: string;
  defaultLocale: string;
  firstStaffEmail: string;
}

/** Invites the first member of staff of a new tenant; the package that keeps staff contributes it. */
export type FirstStaffInviter = (db: TenantDatabase, email: string) => Promise<{ token: string; expiresAt: string }>;
export const firstStaffInviters = extensionPoint<FirstStaffInviter>('core.first-staff');

/**
 * Opens a merchant: tenant, store and the invite of its first member of staff, in one transaction.
 * @param also work of the caller's own in the same transaction
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
    throw isUniqueViolation(error, 'tenants_slug_key') ? slugTaken(`A shop called ${slug} exists already.`) : error;
  });
}

/**
 * Changes the store. Of `settings` what the patch leaves out stays; they are not looked at here: the route's body was,
 * and whoever else calls this has checked them.
 * @throws invalid_request (400) for what is no origin
 */
export async function changeStore(db: TenantDatabase, patch: ChangeStore): Promise<Store> {
  const allowedOrigins = patch.allowedOrigins && [...new Set(patch.allowedOrigins.map(normalOrigin))];
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

function normalOrigin(given: string, position: number): string {
  if (!URL.canParse(given)) throw invalidField(`/allowedOrigins/${position}`, 'must be an origin');
  return new URL(given).origin;
}

/** Draws the next order number in the store's format. Call it late in a transaction: others wait for its end. */
export async function drawOrderNumber(
  db: TenantDatabase,
  { orderNumberFormat }: Pick<Store, 'orderNumberFormat'>,
): Promise<string> {
  const number = await drawNumber(db, 'order', numbersBeginAfter);
  return orderNumberFormat.replace('{number}', () => String(number));
}

/** Leaves out the next order number, for good: it is in use, since the store's format was changed. */
export async function skipOrderNumber(db: TenantDatabase): Promise<void> {
  await drawNumber(db, 'order', numbersBeginAfter);
}
