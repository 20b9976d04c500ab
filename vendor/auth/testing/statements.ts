/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as attempts from '../attempts/store.ts';
import * as invites from '../invites/store.ts';
import * as links from '../link-store.ts';
import * as challenges from '../sessions/challenge-store.ts';
import { staffSessions } from '../sessions/store.ts';
import { deleteExpired } from '../store.ts';

const hash = 'hash';
const count = { kind: 'password', subject: 'ada@example.com', free: 5, longestWait: 60 } as attempts.Count;

export const statements: StatementSamples = {
  'attempts.countAttempt': ({ db }) => attempts.countAttempt(db, count),
  'attempts.secondsToWait': ({ db }) => attempts.secondsToWait(db, count),
  'invites.staffInvites.page': ({ db }) => invites.staffInvites.page(db, { limit: 20, open: true }),
  'invites.isOpenInvite': ({ db }) => invites.isOpenInvite(db, hash),
  'invites.consumeInvite': ({ db }) => invites.consumeInvite(db, hash),
  'links.findLinkOwner': ({ db }) => links.findLinkOwner(db, hash, 'password_reset'),
  'links.consumeLink': ({ db }) => links.consumeLink(db, hash, 'password_reset'),
  'challenges.findChallengeOwner': ({ db }) => challenges.findChallengeOwner(db, hash),
  'challenges.countCode': ({ db }) => challenges.countCode(db, hash, 5),
  'challenges.consumeChallenge': ({ db }) => challenges.consumeChallenge(db, hash),
  'sessions.staffSessions.page': ({ db }) => staffSessions.page(db, { limit: 20, open: true }),
  deleteExpired: ({ db }) => deleteExpired(db, 'staff_sessions'),
  'attempts.storeTrusted': ({ db }) => attempts.storeTrusted(db, count),
  'attempts.deleteExpiredCounts': ({ db }) => attempts.deleteExpiredCounts(db),
};
