/**
 * Routes of zones, profiles and options, for staff.
 */
import { resource } from '@carton/runtime';
import {
  shippingOptionCodeTaken,
  shippingProfileCodeTaken,
  shippingProfileInUse,
  shippingZoneInUse,
  shippingZoneOverlap,
} from '../problems.ts';
import { changeProfile, changeZone, createProfile, createZone, deleteProfile } from '../zones/service.ts';
import { shippingOptions, shippingProfiles, shippingZones } from '../zones/store.ts';
import {
  optionShapes,
  profileShapes,
  ShippingOptionQuery,
  ShippingProfileQuery,
  ShippingZoneQuery,
  zoneShapes,
} from './schemas.ts';
import { changeOption, createOption, deleteOption } from './service.ts';

const common = { tag: 'Shipping', access: 'staff' } as const;

export const adminShippingZones = resource({
  ...common,
  path: '/admin/shipping-zones',
  noun: 'shipping zone',
  item: zoneShapes.Item,
  rows: shippingZones,
  list: { query: ShippingZoneQuery, page: zoneShapes.Page },
  create: {
    description: 'An address belongs to its most specific zone. Zones that would be equally specific are rejected.',
    body: zoneShapes.Create,
    problems: [shippingZoneOverlap],
    run: ({ db, body }) => createZone(db, body),
  },
  change: {
    body: zoneShapes.Change,
    problems: [shippingZoneOverlap],
    run: ({ db, params, body }) => changeZone(db, params.id, body),
  },
  remove: { summary: 'Delete a shipping zone that is not in use', problems: [shippingZoneInUse] },
});

export const adminShippingProfiles = resource({
  ...common,
  beyond: true,
  path: '/admin/shipping-profiles',
  noun: 'shipping profile',
  item: profileShapes.Item,
  rows: shippingProfiles,
  list: { query: ShippingProfileQuery, page: profileShapes.Page },
  create: {
    body: profileShapes.Create,
    problems: [shippingProfileCodeTaken],
    run: ({ db, body }) => createProfile(db, body),
  },
  read: {},
  change: {
    summary: 'Rename a shipping profile',
    body: profileShapes.Change,
    run: ({ db, params, body }) => changeProfile(db, params.id, body),
  },
  remove: {
    summary: 'Delete a shipping profile that is not in use',
    problems: [shippingProfileInUse],
    run: ({ db, params }) => deleteProfile(db, params.id),
  },
});

export const adminShippingOptions = resource({
  ...common,
  path: '/admin/shipping-options',
  noun: 'shipping option',
  item: optionShapes.Item,
  rows: shippingOptions,
  list: { query: ShippingOptionQuery, page: optionShapes.Page },
  create: {
    body: optionShapes.Create,
    problems: [shippingOptionCodeTaken],
    run: ({ db, body }) => createOption(db, body),
  },
  read: {},
  change: {
    summary: 'Change a shipping option; existing orders do not change',
    body: optionShapes.Change,
    problems: [shippingOptionCodeTaken],
    run: ({ db, params, body }) => changeOption(db, params.id, body),
  },
  remove: {
    summary: 'Delete a shipping option; carts that have chosen it must choose another',
    run: ({ db, params }) => deleteOption(db, params.id),
  },
});
