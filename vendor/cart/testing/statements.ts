/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { listCarts } from '../admin/store.ts';
import { addToLine, moveLines, replaceLines } from '../items/store.ts';
import { lockCompletedCart } from '../orders/store.ts';
import { quoteStore } from '../quotes/store.ts';
import * as store from '../store.ts';
import { findPriceTerms, findTermsAt, findTermsOfCarts } from '../terms-store.ts';

const subjectOf = (id: string) => ({
  memberId: id,
  emails: ['ada@example.com'],
  records: { order: [id] },
  sessions: ['hash'],
});

export const statements: StatementSamples = {
  findActiveCart: ({ db }) => store.findActiveCart(db, { by: 'session', key: 'hash' }),
  'findActiveCart of a member': ({ db, id }) => store.findActiveCart(db, { by: 'member', key: id }),
  findCart: ({ db, id }) => store.findCart(db, id),
  lockSnapshotCart: ({ db }) => store.lockSnapshotCart(db, { by: 'session', key: 'hash' }),
  touchActiveCart: ({ db }) => store.touchActiveCart(db, { by: 'session', key: 'hash' }),
  insertCart: ({ db }) =>
    store.insertCart(
      db,
      { by: 'session', key: 'hash' },
      { regionId: null, currency: null, locale: null, email: null, note: null, taxNumber: null },
    ),
  findSessionsOf: ({ db, id }) => store.findSessionsOf(db, subjectOf(id)),
  exportCarts: ({ db, id }) => store.exportCarts(db, subjectOf(id)),
  lockCartsOf: ({ db, id }) => store.lockCartsOf(db, subjectOf(id)),
  findTermsAt: ({ db }) => findTermsAt(db, { regionId: null, place: 'FR' }),
  findPriceTerms: ({ db }) => findPriceTerms(db, { by: 'session', key: 'hash' }),
  findTermsOfCarts: ({ db, id }) => findTermsOfCarts(db, [id]),
  'admin.listCarts': ({ db }) => listCarts(db, { limit: 20, status: 'active' }),
  'orders.lockCompletedCart': ({ db, id }) => lockCompletedCart(db, id),
  'quotes.ask': ({ db }) =>
    quoteStore('tax_quotes').ask(db, { saleKey: 'cart 1', digest: 'digest' }, 60, () => Promise.resolve({})),
  'items.addToLine': ({ db, id }) => addToLine(db, id, { variantId: id, quantity: 1, properties: {} }),
  'items.replaceLines': ({ db, id }) => replaceLines(db, id, [{ variantId: id, quantity: 1, properties: {} }]),
  'items.moveLines': ({ db, id }) => moveLines(db, id, id),
};
