/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { StatementSamples } from '@carton/runtime/testing';
import * as quotas from '../quotas/store.ts';
import * as store from '../store.ts';
import * as tenants from '../tenants/store.ts';

export const statements: StatementSamples = {
  readWithVersion: ({ db, answer }) => {
    answer([{ settings: {} }]);
    return store.readWithVersion(db);
  },
  'quotas.listQuotaRows': ({ db }) => quotas.listQuotaRows(db),
  'quotas.findQuota': ({ db }) => quotas.findQuota(db, { name: 'products' }),
  'quotas.changeKept': ({ db }) => quotas.changeKept(db, { name: 'products' }, 1),
  'quotas.recount': ({ db, answer }) => {
    answer([]);
    answer([{ used: null }]);
    return quotas.recount(db, { name: 'products' });
  },
  'tenants.findTenantBySlug': ({ database }) => tenants.findTenantBySlug(database, 'shop'),
  'tenants.findTenantById': ({ database, id }) => tenants.findTenantById(database, id),
  'tenants.findOnlyTenant': ({ database }) => tenants.findOnlyTenant(database),
  'tenants.listTenantRows': ({ database, id }) => tenants.listTenantRows(database, ['shop', id], 20),
  'tenants.insertTenant': ({ db }) => tenants.insertTenant(db, { slug: 'shop', name: 'Acme' }),
  'tenants.updateTenant': ({ db }) => tenants.updateTenant(db, { name: 'Acme', status: 'active' }),
  'tenants.deleteTenantAfter': ({ db }) => tenants.deleteTenantAfter(db, 30),
};
