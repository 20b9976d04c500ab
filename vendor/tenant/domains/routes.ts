/**
 * Routes of hosts.
 */
import { quotaExceeded } from '@carton/core';
import { notFound, object, route, Type } from '@carton/runtime';
import { hostTaken } from '../problems.ts';
import { isOperator, readTenant } from '../service.ts';
import { AddTenantDomain, TenantDomain, TenantDomainList, TenantLookup } from './schemas.ts';
import { addDomain, findTenantByHost, listDomains, removeDomain, verifyDomain } from './service.ts';

const access = ['operator', 'staff'] as const;
const tag = 'Tenants';

export const lookUpTenant = route(
  {
    method: 'get',
    path: '/tenants/lookup',
    operationId: 'lookUpTenant',
    tag,
    summary: 'Find the tenant of a host',
    description: 'For the website hosting layer, which resolves exact hosts of the control plane here.',
    access: 'hosting',
    query: object({ host: Type.String({ minLength: 1, maxLength: 255 }) }),
    status: 200,
    response: TenantLookup,
    problems: [notFound],
  },
  async ({ query, box }) => {
    const tenant = await findTenantByHost(box.database, query.host);
    if (!tenant) throw notFound(`No tenant is served at ${query.host}.`);
    return { tenantSlug: tenant.slug };
  },
);

export const listTenantDomains = route(
  {
    method: 'get',
    path: '/admin/tenants/:id/domains',
    operationId: 'listTenantDomains',
    tag,
    summary: 'List the hosts of a tenant',
    access,
    status: 200,
    response: TenantDomainList,
  },
  async ({ params, ...caller }) => {
    const { id } = await readTenant(caller, params.id);
    return { items: await listDomains(caller.box.database, id) };
  },
);

export const addTenantDomain = route(
  {
    method: 'post',
    path: '/admin/tenants/:id/domains',
    operationId: 'addTenantDomain',
    tag,
    summary: 'Add a host to a tenant, exact or wildcard',
    description:
      'Refuses hosts of other tenants, names above or below them, public suffixes and addresses. A host that staff add is ' +
      'served once DNS has proved it or the operator has approved it, a reserved name (RFC 6761) immediately.',
    access,
    body: AddTenantDomain,
    status: 201,
    response: TenantDomain,
    problems: [hostTaken, quotaExceeded],
  },
  async ({ params, body, ...caller }) => {
    const { id } = await readTenant(caller, params.id);
    const domain = await addDomain(caller.box.database, id, body.host, { isOperator: isOperator(caller.staff) });
    await caller.box.invalidateTenants();
    return domain;
  },
);

export const verifyTenantDomain = route(
  {
    method: 'post',
    path: '/admin/tenants/:id/domains/:domainId/verify',
    operationId: 'verifyTenantDomain',
    tag,
    summary: 'Verify a host by DNS, or approve it as the operator',
    description: 'The response has the result of the DNS lookup. A host that is served already does not change.',
    access,
    status: 200,
    response: TenantDomain,
    problems: [hostTaken],
    beyond: true,
  },
  async ({ params, ...caller }) => {
    const { id } = await readTenant(caller, params.id);
    const operator = { isOperator: isOperator(caller.staff) };
    const domain = await verifyDomain(caller.box.database, id, params.domainId, operator);
    await caller.box.invalidateTenants();
    return domain;
  },
);

export const removeTenantDomain = route(
  {
    method: 'delete',
    path: '/admin/tenants/:id/domains/:domainId',
    operationId: 'removeTenantDomain',
    tag,
    summary: 'Remove a host from a tenant',
    access,
    status: 204,
  },
  async ({ params, ...caller }) => {
    const { id } = await readTenant(caller, params.id);
    await removeDomain(caller.box.database, id, params.domainId);
    await caller.box.invalidateTenants();
  },
);
