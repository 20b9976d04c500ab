/**
 * @carton/tenant: the tenants of a box and the hosts at which they are served.
 */
import { definePackage, tenantDirectories } from '@carton/runtime';
import { findOrigins, findTenantByHost } from './domains.ts';
import { domainAdded, tenantCreated, tenantSuspended } from './events.ts';
import {
  addTenantDomain,
  listTenantDomains,
  lookUpTenant,
  removeTenantDomain,
  verifyTenantDomain,
} from './routes/domains.ts';
import { createTenant, listTenants, readTenant, updateTenant } from './routes/tenants.ts';
import { tenantSettings } from './settings.ts';

export { listOwnHosts } from './domains.ts';

export default definePackage({
  routes: [
    lookUpTenant,
    listTenants,
    createTenant,
    readTenant,
    updateTenant,
    listTenantDomains,
    addTenantDomain,
    verifyTenantDomain,
    removeTenantDomain,
  ],
  events: [tenantCreated, tenantSuspended, domainAdded],
  boxTables: ['tenant_domains', 'tenant_domain_claims'],
  settings: tenantSettings,
  extends: [tenantDirectories.with({ byHost: findTenantByHost, origins: findOrigins })],
});
