/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { findQuotes } from '../carriers/store.ts';
import { putDelivery } from '../carts/store.ts';
import { shippingOptions } from '../options/store.ts';
import { findChosen, findOffers } from '../sales/store.ts';
import { shippingZones } from '../zones/store.ts';

export const statements: StatementSamples = {
  'options.shippingOptions.page': ({ db }) => shippingOptions.page(db, { limit: 20 }),
  'zones.shippingZones.page': ({ db }) => shippingZones.page(db, { limit: 20 }),
  'carriers.findQuotes': ({ db }) => findQuotes(db, 'cart 1'),
  'carts.putDelivery': ({ db, id }) => putDelivery(db, id, id),
  'sales.findChosen': ({ db, id }) => findChosen(db, id),
  'sales.findOffers': ({ db, id }) => findOffers(db, { country: 'US', provinces: ['NY'], codes: ['10001'] }, id, [id]),
};
