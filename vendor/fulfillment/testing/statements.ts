/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { fulfillments } from '../parcels/store.ts';

export const statements: StatementSamples = {
  'parcels.fulfillments.page': ({ db, id }) => fulfillments.page(db, { limit: 20, orderId: id }),
};
