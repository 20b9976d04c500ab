/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { deleteExpired } from '../links/store.ts';
import { insertOrder } from '../placing/store.ts';
import * as refunds from '../refunds/store.ts';
import { listsOf, type OrderList, ofAll, type Search } from '../search/lists-store.ts';
import { type Filters, lastOfPart, matchesAmong, matchesInPart, pageOfMatches } from '../search/store.ts';
import { numbersLike, rewriteWords } from '../search/words-store.ts';
import * as states from '../states/store.ts';
import { type OrderRow, orders } from '../store.ts';
import { findOrderUnits } from '../units/store.ts';

const time = '2026-01-01T00:00:00Z';
const filters: Filters = {
  ...{ placedFrom: time, placedTo: time, status: 'placed', paymentStatus: 'paid', fulfillmentStatus: 'unfulfilled' },
  ...{ archived: false, currency: 'EUR', tag: 'gift', q: 'ada', totalMin: 100, totalMax: 2000 },
};
const namesOf = (some: Filters) => Object.keys(some) as (keyof Filters)[];

/** The first part of each list that serves the filters. */
async function firstParts(db: Search['db'], some: Filters, listed = listsOf): Promise<void> {
  const lists: OrderList[] = await listed({ db, filters: some, names: namesOf(some), need: 21, after: null });
  for (const list of lists) await list.next(null);
}

const order = {
  ...{ number: '1001', email: 'ada@example.com', customerName: 'Ada Lovelace' },
  ...{ adjustments: [], taxLines: [], lines: [], memberId: null },
} as unknown as OrderRow;
const entry = { type: 'placed', message: '' };
const event = { type: 'order.placed', payload: '{}' } as Parameters<typeof insertOrder>[3];

export const statements: StatementSamples = {
  'placing.insertOrder': ({ db, id }) => insertOrder(db, { ...order, id }, entry, { ...event, id }),
  'placing.insertOrder with taxes': ({ db, id }) =>
    insertOrder(db, { ...order, id, taxLines: [{}] as OrderRow['taxLines'] }, entry, { ...event, id }),
  'placing.insertOrder of any texts': ({ db, id }) =>
    insertOrder(db, { ...order, id, customerName: 'Zoë' }, entry, { ...event, id }),
  'orders.find': ({ db, id }) => orders.find(db, id),
  'refunds.partsOfOrder': ({ db, id }) => refunds.partsOfOrder(db, id),
  'refunds.partsOfRefunds': ({ db, id }) => refunds.partsOfRefunds(db, [id]),
  'search.pageOfMatches': ({ db, id }) => pageOfMatches(db, { limit: 20 }, filters, [id]),
  'search.pageOfMatches of pending orders': ({ db }) => pageOfMatches(db, { limit: 20 }, { status: 'pending' }),
  'search.matchesAmong': ({ db, id }) =>
    matchesAmong(db, [id], { filters, names: ['status', 'currency', 'tag', 'q', 'totalMin'], count: 21 }),
  'search.matchesAmong by words': ({ db, id }) => matchesAmong(db, [id], { filters, names: ['tag', 'q'], count: 21 }),
  'search.matchesInPart': ({ db, id }) =>
    matchesInPart(db, { filters: { paymentStatus: 'paid' }, after: { createdAt: time, id }, size: 300 }, 21),
  'search.lastOfPart of a currency': ({ db }) =>
    lastOfPart(db, { filters: { currency: 'EUR' }, after: null, size: 300 }),
  'search.ofAll': ({ db }) => firstParts(db, { placedFrom: time, placedTo: time }, async (search) => [ofAll(search)]),
  'search.listsOf states': ({ db }) => firstParts(db, { status: 'placed', archived: false }),
  'search.listsOf a tag': ({ db }) => firstParts(db, { tag: 'gift' }),
  'search.listsOf a word': ({ db }) => firstParts(db, { q: 'ada' }),
  'search.listsOf words': ({ db }) => firstParts(db, { q: 'ada lovelace' }),
  'search.listsOf totals': ({ db }) => firstParts(db, { currency: 'EUR', totalMin: 100, totalMax: 2000 }),
  'search.rewriteWords': ({ db, id }) => rewriteWords(db, [id]),
  'search.numbersLike': ({ db }) => numbersLike(db, '1001'),
  'units.findOrderUnits': ({ db, id }) => findOrderUnits(db, [id]),
  'links.deleteExpired': ({ db }) => deleteExpired(db),
  'states.findOverdue': ({ db }) => states.findOverdue(db),
  'states.markReminded': ({ db }) => states.markReminded(db),
  'states.findDuePending': ({ db }) => states.findDuePending(db),
};
