/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { insertEntry, listEntries } from '../store.ts';

export const statements: StatementSamples = {
  insertEntry: ({ db, id }) =>
    insertEntry(db, { action: 'updated', resource: 'products', resourceId: id, before: { title: 'A' }, after: null }),
  listEntries: ({ db }) =>
    listEntries(db, { limit: 20, from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', resource: 'products' }),
};
