/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as guests from '../guests/store.ts';
import { upsertCompleted, upsertCompletedByGuest } from '../store.ts';

const questionOf = (id: string): guests.CountedUnits => ({
  keys: [['email', 'ada@example.com']],
  lines: [{ variantId: id, quantity: 1 }],
  cartId: id,
  tenders: ['gift_card'],
  least: 1,
});

const completedOf = (id: string) =>
  ({ cartId: id, orderId: id, event: { id, payload: '{}' } }) as Parameters<typeof upsertCompleted>[1];

export const statements: StatementSamples = {
  upsertCompleted: ({ db, id }) => upsertCompleted(db, completedOf(id)),
  upsertCompletedByGuest: ({ db, id }) => upsertCompletedByGuest(db, completedOf(id), '192.0.2.0/24'),
  'guests.countUnits': ({ db, id }) => guests.countUnits(db, questionOf(id)),
  'guests.countWithOrder': ({ db, id }) => guests.countWithOrder(db, questionOf(id), id),
  'guests.countWithReservation': ({ db, id }) => guests.countWithReservation(db, questionOf(id)),
  'guests.deleteEndedUnits': ({ db }) => guests.deleteEndedUnits(db, ['gift_card']),
  'guests.deleteEndedReservations': ({ db }) => guests.deleteEndedReservations(db),
};
