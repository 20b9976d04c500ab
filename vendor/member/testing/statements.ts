/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as persons from '../members/person-store.ts';
import { memberSessions } from '../sessions/store.ts';
import { deleteExpired, members } from '../store.ts';

export const statements: StatementSamples = {
  'members.page': ({ db }) =>
    members.page(db, { limit: 20, createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-02-01T00:00:00Z' }),
  deleteExpired: ({ db }) => deleteExpired(db, 'member_sessions', 20),
  'members.page with a text': ({ db }) => members.page(db, { limit: 20, q: 'ada', status: 'active' }),
  'members.removeRowsOf': ({ db, id }) => persons.removeRowsOf(db, id),
  'members.blankMember': ({ db, id }) => persons.blankMember(db, id),
  'members.findIdentity': ({ db, id }) => persons.findIdentity(db, id, 'for update'),
  'sessions.memberSessions.page': ({ db, id }) => memberSessions.page(db, { limit: 20, open: true }, { memberId: id }),
};
