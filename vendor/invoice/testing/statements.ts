/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as retention from '../retention/store.ts';
import { invoices } from '../store.ts';

const ten = { years: 10, timeZone: 'Europe/Paris' };

export const statements: StatementSamples = {
  'invoices.page': ({ db }) =>
    invoices.page(db, { limit: 20, issuedFrom: '2026-01-01T00:00:00Z', issuedTo: '2026-02-01T00:00:00Z' }),
  'retention.lockOld': ({ db }) => retention.lockOld(db, ten, 20),
  'retention.stillOld': ({ db, id }) => retention.stillOld(db, ten, [{ id, orderId: id }]),
};
