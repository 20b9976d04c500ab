/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as store from '../store.ts';

export const statements: StatementSamples = {
  'categories.page': ({ db }) => store.categories.page(db, { limit: 20, visible: true }),
  'categories.page by position': ({ db }) => store.categories.page(db, { limit: 20, sort: 'position' }),
  listTree: ({ db }) => store.listTree(db, 2),
  listChildren: ({ db }) => store.listChildren(db, store.top),
  listSubtree: ({ db }) => store.listSubtree(db, store.top),
  heightOf: ({ db }) => store.heightOf(db, { path: store.top, depth: 0 } as Parameters<typeof store.heightOf>[1]),
  movePaths: ({ db, id }) => store.movePaths(db, { from: `/${id}/`, to: store.top }, { parentId: id }),
  findByOldHandle: ({ db }) => store.findByOldHandle(db, 'shirts'),
  isVisible: ({ db, id }) => store.isVisible(db, id),
};
