/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as contact from '../contact/store.ts';
import * as pages from '../pages/store.ts';
import { redirects } from '../redirects/store.ts';

const emails = ['ada@example.com'];

export const statements: StatementSamples = {
  'contact.messages.page': ({ db }) => contact.messages.page(db, { limit: 20, status: 'open' }),
  'contact.countOfClient': ({ db }) =>
    contact.countOfClient(db, { clientKey: '192.0.2.0', emailKey: 'ada@example.com' }),
  'contact.countAnnounced': ({ db }) => contact.countAnnounced(db),
  'contact.forgetClients': ({ db }) => contact.forgetClients(db),
  'contact.listIdsBySender': ({ db }) => contact.listIdsBySender(db, emails),
  'contact.listBySender': ({ db }) => contact.listBySender(db, emails),
  'contact.removeBySender': ({ db }) => contact.removeBySender(db, emails),
  'pages.pages.page': ({ db }) => pages.pages.page(db, { limit: 20, status: 'published' }),
  'pages.findVisiblePage': ({ db }) => pages.findVisiblePage(db, 'about'),
  'pages.isVisible': ({ db, id }) => pages.isVisible(db, id),
  'pages.markPublication': ({ db, id }) => pages.markPublication(db, id),
  'redirects.redirects.page': ({ db }) => redirects.page(db, { limit: 20, path: '/about' }),
};
