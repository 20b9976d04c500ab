/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { regions } from '../store.ts';

export const statements: StatementSamples = {
  'regions.page': ({ db }) => regions.page(db, { limit: 20, country: 'FR' }),
};
