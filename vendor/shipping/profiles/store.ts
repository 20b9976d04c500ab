/**
 * Queries of profiles.
 */
import { rows } from '@carton/runtime';
import { shippingProfileCodeTaken, shippingProfileInUse } from '../problems.ts';
import type { ShippingProfile } from './schemas.ts';

export const shippingProfiles = rows<ShippingProfile>({
  table: 'shipping_profiles',
  noun: 'shipping profile',
  json: ['metadata'],
  duplicates: { shipping_profiles_code: shippingProfileCodeTaken },
  inUse: () => shippingProfileInUse('Shipping options have this profile.'),
});
