/**
 * Routes of profiles, for staff.
 */
import { resource } from '@carton/runtime';
import { shippingProfileCodeTaken, shippingProfileInUse } from '../problems.ts';
import { profileShapes, ShippingProfileQuery } from './schemas.ts';
import { deleteProfile } from './service.ts';
import { shippingProfiles } from './store.ts';

export const adminShippingProfiles = resource({
  tag: 'Shipping',
  access: 'staff',
  beyond: true,
  path: '/admin/shipping-profiles',
  noun: 'shipping profile',
  item: profileShapes.Item,
  rows: shippingProfiles,
  list: { query: ShippingProfileQuery, page: profileShapes.Page },
  create: {
    body: profileShapes.Create,
    problems: [shippingProfileCodeTaken],
    run: ({ db, body }) => shippingProfiles.insert(db, body),
  },
  read: {},
  change: {
    summary: 'Rename a shipping profile',
    body: profileShapes.Change,
    run: ({ db, params, body }) => shippingProfiles.change(db, params.id, body),
  },
  remove: {
    summary: 'Delete a shipping profile that is not in use',
    problems: [shippingProfileInUse],
    run: ({ db, params }) => deleteProfile(db, params.id),
  },
});
