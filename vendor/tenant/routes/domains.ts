/**
 * Hosts of merchants, and which merchant a host belongs to.
 */
import { notFound, object, route, Type } from '@carton/runtime';
import { addDomain, findTenantByHost, hostTaken, listDomains, removeDomain } from '../domains.ts';
import { AddTenantDomain, TenantDomain, TenantDomainList, TenantLookup } from '../schemas.ts';
import { readTenant } from '../service.ts';

const access = ['operator', 'staff'];
const tag = 'Tenants';

export const lookUpTenant = route(
  {
    method: 'get',
    path: '/tenants/lookup',
    operationId: 'lookUpTenant',
    tag,
    summary: 'Find the merchant of a host',
    description: 'For the website hosting layer: what an exact match of the control plane asks the box.',
    access: 'hosting',
    query: object({ host: Type.String({ minLength: 1, maxLength: 255 }) }),
    status: 200,
    response: TenantLookup,
    problems: [notFound],
  },
  async ({ query, box }) => {
    const tenant = await findTenantByHost(box.database, query.host);
    if (!tenant) throw notFound(`No shop is served at ${query.host}.`);
    return { tenantSlug: tenant.slug };
  },
);

export const listTenantDomains = route(
  {
    method: 'get',
    path: '/admin/tenants/:id/domains',
    operationId: 'listTenantDomains',
    tag,
    summary: 'List the hosts of a merchant',
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
    summary: 'Serve a merchant at another host, exact or wildcard',
    access,
    body: AddTenantDomain,
    status: 201,
    response: TenantDomain,
    problems: [hostTaken],
  },
  async ({ params, body, ...caller }) => {
    const { id } = await readTenant(caller, params.id);
    const domain = await addDomain(caller.box.database, id, body.host);
    caller.box.forgetTenants();
    return domain;
  },
);

export const removeTenantDomain = route(
  {
    method: 'delete',
    path: '/admin/tenants/:id/domains/:domainId',
    operationId: 'removeTenantDomain',
    tag,
    summary: 'Stop serving a merchant at a host',
    access,
    status: 204,
  },
  async ({ params, ...caller }) => {
    const { id } = await readTenant(caller, params.id);
    const removed = await removeDomain(caller.box.database, id, params.domainId);
    if (!removed) throw notFound(`This shop has no host with the id ${params.domainId}.`);
    caller.box.forgetTenants();
  },
);
