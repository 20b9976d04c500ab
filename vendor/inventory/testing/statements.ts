/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { findAvailable } from '../availability/store.ts';
import { insertItems, stockItems } from '../items/store.ts';
import { openLevels } from '../levels-store.ts';
import type { StockArrays } from '../movements/lines.ts';
import { releaseReserved } from '../movements/releasing-store.ts';
import { returnTaken } from '../movements/returning-store.ts';
import { takeAtOneLocation } from '../movements/taking-at-one-location-store.ts';
import { reserveFromLocations, takeFromLocations } from '../movements/taking-store.ts';
import * as products from '../products/store.ts';

const arraysOf = (id: string): StockArrays => ({
  variantIds: [id],
  quantities: [2],
  anywhere: [1],
  placed: { variantIds: [id], locationIds: [id], quantities: [1] },
});
const since = '2026-01-01T00:00:00Z';

export const statements: StatementSamples = {
  'availability.findAvailable': ({ db, id }) => findAvailable(db, [id], [id], undefined),
  'availability.findAvailable of a reservation': ({ db, id }) => findAvailable(db, [id], [id], { type: 'cart', id }),
  'items.insertItems': ({ db, id }) => insertItems(db, [id], [id]),
  'items.stockItems.page': ({ db, id }) => stockItems.page(db, { limit: 20, variantId: id }),
  'items.stockItems.page of changes': ({ db }) => stockItems.page(db, { limit: 20, updatedAfter: since }),
  openLevels: ({ db, id }) => openLevels(db, [id], [id]),
  'movements.releaseReserved': ({ db, id }) => releaseReserved(db, { type: 'cart', id }, true),
  'movements.returnTaken': ({ db, id }) => returnTaken(db, arraysOf(id), { type: 'order', id }),
  'movements.takeAtOneLocation': ({ db, id }) => takeAtOneLocation(db, arraysOf(id), id, { type: 'order', id }),
  'movements.takeFromLocations': ({ db, id }) =>
    takeFromLocations(db, arraysOf(id), [id], { type: 'order', id }, { type: 'cart', id }),
  'movements.reserveFromLocations': ({ db, id }) =>
    reserveFromLocations(db, arraysOf(id), [id], { type: 'cart', id }, new Date(since)),
  'products.countProducts': ({ db, id }) => products.countProducts(db, [id]),
  'products.lockCounts': ({ db }) => products.lockCounts(db),
  'products.findChangedProducts': ({ db }) => products.findChangedProducts(db, since, since),
  'products.hasChanges': ({ db }) => products.hasChanges(db),
};
