/**
 * @carton/tenant: the tenants of a box and the hosts at which they are served.
 */
import { tenantQuotas, tenantRemovals } from '@carton/core';
import { definePackage, tenantDirectories } from '@carton/runtime';
import { findOrigins, findTenantByHost } from './domains.ts';
import { domainAdded, tenantCreated, tenantDeleted, tenantSuspended } from './events.ts';
import { exportTenants, removeExports } from './exports/job.ts';
import { createTenantExport, readTenantExport, readTenantExportState } from './exports/routes.ts';
import { hostQuota } from './quotas.ts';
import { lastClaim, removeDeleted } from './removal.ts';
import {
  addTenantDomain,
  listTenantDomains,
  lookUpTenant,
  removeTenantDomain,
  verifyTenantDomain,
} from './routes/domains.ts';
import {
  createTenant,
  deleteTenant,
  listTenants,
  readTenant,
  readTenantQuotas,
  updateTenant,
} from './routes/tenants.ts';
import { tenantSettings } from './settings.ts';

export { findOwnOrigin, listOwnHosts } from './domains.ts';

export default definePackage({
  routes: [
    lookUpTenant,
    listTenants,
    createTenant,
    readTenant,
    updateTenant,
    readTenantQuotas,
    deleteTenant,
    createTenantExport,
    readTenantExportState,
    readTenantExport,
    listTenantDomains,
    addTenantDomain,
    verifyTenantDomain,
    removeTenantDomain,
  ],
  events: [tenantCreated, tenantSuspended, tenantDeleted, domainAdded],
  jobs: [removeDeleted, exportTenants],
  boxTables: ['tenant_domains', 'tenant_domain_claims'],
  settings: tenantSettings,
  extends: [
    tenantDirectories.with({ byHost: findTenantByHost, origins: findOrigins }),
    tenantQuotas.with(hostQuota),
    tenantRemovals.with(lastClaim),
    tenantRemovals.with(removeExports),
  ],
});
