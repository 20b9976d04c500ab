/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { copyToRegion } from '../products/store.ts';

export const statements: StatementSamples = {
  'products.copyToRegion': ({ db, id }) => copyToRegion(db, id, 'EUR'),
};
