/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { recordUse } from '../store.ts';

export const statements: StatementSamples = {
  recordUse: ({ db, id }) => recordUse(db, { id, lastUsedAt: null }),
};
