/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { findAsset, mediaAssets } from '../assets/store.ts';

export const statements: StatementSamples = {
  'assets.mediaAssets.page': ({ db }) => mediaAssets.page(db, { limit: 20, kind: 'image' }),
  'assets.findAsset': ({ db, id }) => findAsset(db, id, 'for key share'),
};
