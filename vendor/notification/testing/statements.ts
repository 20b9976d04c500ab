/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as records from '../records/store.ts';
import * as sending from '../sending/store.ts';

export const statements: StatementSamples = {
  'records.notifications.page': ({ db }) =>
    records.notifications.page(db, { limit: 20, recipient: 'ada@example.com', status: 'sent' }),
  'records.exportMails': ({ db, id }) => records.exportMails(db, { keys: ['ada@example.com'], resourceIds: [id] }),
  'records.eraseMails': ({ db, id }) => records.eraseMails(db, { keys: ['ada@example.com'], resourceIds: [id] }),
  'sending.countAdmitted': ({ db }) => sending.countAdmitted(db, 'recipient', 'ada@example.com', 10),
  'records.deleteBefore': ({ db, id }) => records.deleteBefore(db, id),
  'sending.claimNotification': ({ db, id }) => sending.claimNotification(db, id),
  'sending.releaseDelayed': ({ db }) => sending.releaseDelayed(db),
};
