/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as store from '../domains/store.ts';

export const statements: StatementSamples = {
  'domains.findTenantAt': ({ database }) => store.findTenantAt(database, ['shop.example', null]),
  'domains.listHosts': ({ database, id }) => store.listHosts(database, id),
  'domains.findHost': ({ database, id }) => store.findHost(database, id, id),
  'domains.insertHost': ({ db }) => store.insertHost(db, { host: 'shop.example', state: 'pending', proof: 'record' }),
  'domains.setVerified': ({ db, id }) => store.setVerified(db, id, { state: 'proved', fault: null, isQueried: true }),
};
