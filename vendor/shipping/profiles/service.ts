/**
 * Rules of profiles.
 */
import { hasProductOfShippingProfile } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';
import { shippingProfileInUse } from '../problems.ts';
import { shippingProfiles } from './store.ts';

/** @throws not_found (404), shipping_profile_in_use (409) while a product or an option refers to it */
export function deleteProfile(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const { code } = await shippingProfiles.lock(tx, id);
    if (await hasProductOfShippingProfile(tx, code)) throw shippingProfileInUse('Products have this profile.');
    await shippingProfiles.remove(tx, id);
  });
}
