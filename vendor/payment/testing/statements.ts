/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import { disputes } from '../disputes/store.ts';
import { isInDispute, paymentsInDispute } from '../payments/dispute-store.ts';
import { steps } from '../payments/store.ts';
import { listRefunds } from '../refunds/store.ts';
import * as sessions from '../sessions/store.ts';
import * as pending from '../steps/store.ts';

export const statements: StatementSamples = {
  'payments.steps.page': ({ db, id }) => steps.page(db, { limit: 20, ofRefunds: true }, { paymentId: id }),
  'payments.isInDispute': ({ db, id }) => isInDispute(db, { id }),
  'payments.paymentsInDispute': ({ db, id }) => paymentsInDispute(db, id),
  'disputes.disputes.page': ({ db, id }) => disputes.page(db, { limit: 20, orderId: id }),
  'refunds.listRefunds': ({ db, id }) => listRefunds(db, { limit: 20, status: 'pending', orderId: id }),
  'refunds.listRefunds by status': ({ db }) => listRefunds(db, { limit: 20, status: 'pending' }),
  'sessions.markAbandoned': ({ db, id }) => sessions.markAbandoned(db, id, 60),
  'sessions.markUsed': ({ db, id }) => sessions.markUsed(db, id, id),
  'sessions.scheduleCheck': ({ db, id }) => sessions.scheduleCheck(db, id),
  'steps.unclaimedPendingPayments': ({ db }) => pending.unclaimedPendingPayments(db),
  'steps.claimPendingStep': ({ db, id }) => pending.claimPendingStep(db, id),
};
