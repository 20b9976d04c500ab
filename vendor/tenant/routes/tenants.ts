/**
 * Routes of tenants. The operator has access to all of them, staff to their own.
 */
import { slugTaken } from '@carton/core';
import { forbidden, pageQuery, route } from '@carton/runtime';
import { ChangeTenant, CreatedTenant, CreateTenant, TenantPage, TenantResource } from '../schemas.ts';
import { changeTenant, listTenants as list, createTenant as openTenant, readTenant as read } from '../service.ts';

const access = ['operator', 'staff'] as const;
const tag = 'Tenants';

export const listTenants = route(
  {
    method: 'get',
    path: '/admin/tenants',
    operationId: 'listTenants',
    tag,
    summary: 'List the tenants of this box',
    description: 'The operator sees all of them, staff only their own.',
    access,
    query: pageQuery(),
    status: 200,
    response: TenantPage,
  },
  ({ query, ...caller }) => list(caller, query),
);

export const createTenant = route(
  {
    method: 'post',
    path: '/admin/tenants',
    operationId: 'createTenant',
    tag,
    summary: 'Create a tenant and invite its first member of staff',
    access,
    body: CreateTenant,
    status: 201,
    response: CreatedTenant,
    location: '/admin/tenants/{id}',
    problems: [slugTaken, forbidden],
  },
  ({ body, ...caller }) => openTenant(caller, body),
);

export const readTenant = route(
  {
    method: 'get',
    path: '/admin/tenants/:id',
    operationId: 'readTenant',
    tag,
    summary: 'Read a tenant',
    access,
    status: 200,
    response: TenantResource,
  },
  ({ params, ...caller }) => read(caller, params.id),
);

export const updateTenant = route(
  {
    method: 'patch',
    path: '/admin/tenants/:id',
    operationId: 'updateTenant',
    tag,
    summary: 'Rename, suspend or reinstate a tenant',
    access,
    body: ChangeTenant,
    status: 200,
    response: TenantResource,
    problems: [forbidden],
  },
  ({ params, body, ...caller }) => changeTenant(caller, params.id, body),
);
