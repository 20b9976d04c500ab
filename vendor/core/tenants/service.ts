/**
 * Creating tenants.
 */
import { type Database, extensionPoint, isUniqueViolation, newId, type TenantDatabase } from '@carton/runtime';
import { slugTaken } from '../problems.ts';
import { newestDefaults } from '../settings/declaration.ts';
import { insertStore } from '../store.ts';
import { insertTenant, type TenantRow } from './store.ts';

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
    await insertStore(db, { name, defaultCurrency, defaultLocale, defaultVersion: newestDefaults });
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
