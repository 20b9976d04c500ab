/**
 * @carton/tenant: the tenants of a box and the hosts at which they are served.
 */
import { tenantQuotas, tenantRemovals } from '@carton/core';
import { definePackage, tenantDirectories } from '@carton/runtime';
import { hostQuota } from './domains/quotas.ts';
import {
  addTenantDomain,
  listTenantDomains,
  lookUpTenant,
  removeTenantDomain,
  verifyTenantDomain,
} from './domains/routes.ts';
import { findOrigins, findTenantByHost } from './domains/service.ts';
import { domainAdded, tenantCreated, tenantDeleted, tenantSuspended } from './events.ts';
import { exportTenants, removeExports } from './exports/job.ts';
import { createTenantExport, readTenantExport, readTenantExportState } from './exports/routes.ts';
import { lastClaim, removeDeleted } from './removal.ts';
import { createTenant, deleteTenant, listTenants, readTenant, readTenantQuotas, updateTenant } from './routes.ts';
import { tenantSettings } from './settings.ts';

export { findOwnOrigin } from './domains/service.ts';
export { listOwnHosts } from './domains/store.ts';

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
