/**
 * Routes of zones, for staff.
 */
import { resource } from '@carton/runtime';
import { shippingZoneInUse, shippingZoneOverlap } from '../problems.ts';
import { ShippingZoneQuery, zoneShapes } from './schemas.ts';
import { changeZone, createZone } from './service.ts';
import { shippingZones } from './store.ts';

export const adminShippingZones = resource({
  tag: 'Shipping',
  access: 'staff',
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
