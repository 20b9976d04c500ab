/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { countBytes } from '../content/store.ts';
import * as files from '../files/store.ts';
import { grants } from '../grants/store.ts';

export const statements: StatementSamples = {
  'content.countBytes': ({ db, id }) => countBytes(db, id, { bytes: 100, size: 1000, losses: 10 }),
  'files.lockUnneeded': ({ db }) => files.lockUnneeded(db, 20),
  'files.stillUnneeded': ({ db, id }) => files.stillUnneeded(db, [id]),
  'grants.grants.page': ({ db, id }) => grants.page(db, { limit: 20, orderId: id }),
};
