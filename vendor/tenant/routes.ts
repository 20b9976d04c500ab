/**
 * Routes of tenants. The operator has access to all of them, staff to their own.
 */
import { readQuotas, slugTaken } from '@carton/core';
import { forbidden, pageQuery, route, withOverrides } from '@carton/runtime';
import { removalStarted } from './problems.ts';
import {
  ChangeTenant,
  CreatedTenant,
  CreateTenant,
  changeTenantSchema,
  createTenantSchema,
  TenantPage,
  TenantQuotaList,
  TenantResource,
} from './schemas.ts';
import {
  changeTenant,
  deleteTenant as deleteLater,
  listTenants as list,
  createTenant as openTenant,
  readTenant as read,
} from './service.ts';

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

export const createTenant = withOverrides(
  route(
    {
      method: 'post',
      path: '/admin/tenants',
      operationId: 'createTenant',
      tag,
      summary: 'Create a tenant and invite its first member of staff',
      description: '`quotas` are the limits of what the tenant may store, where they differ from those of the box.',
      access,
      body: CreateTenant,
      status: 201,
      response: CreatedTenant,
      location: '/admin/tenants/{id}',
      problems: [slugTaken, forbidden],
    },
    ({ body, ...caller }) => openTenant(caller, body),
  ),
  (box) => ({ body: createTenantSchema(box) }),
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

export const updateTenant = withOverrides(
  route(
    {
      method: 'patch',
      path: '/admin/tenants/:id',
      operationId: 'updateTenant',
      tag,
      summary: 'Rename, suspend or reinstate a tenant, or set its quotas',
      access,
      description:
        'Reinstating a deleted tenant takes the deletion back, until the removal of its data begins. ' +
        'A quota below what the tenant stores keeps that and refuses more. Staff can only rename their own.',
      body: ChangeTenant,
      status: 200,
      response: TenantResource,
      problems: [forbidden, removalStarted],
    },
    ({ params, body, ...caller }) => changeTenant(caller, params.id, body),
  ),
  (box) => ({ body: changeTenantSchema(box) }),
);

export const readTenantQuotas = route(
  {
    method: 'get',
    path: '/admin/tenants/:id/quotas',
    operationId: 'readTenantQuotas',
    tag,
    summary: 'Read the quotas of a tenant: limits and usage',
    description: 'A change that would exceed a limit is 409 `quota_exceeded`.',
    access,
    status: 200,
    response: TenantQuotaList,
    beyond: true,
  },
  async ({ params, ...caller }) => {
    const { id } = await read(caller, params.id);
    return { items: await readQuotas(caller.box.database.forTenant(id)) };
  },
);

export const deleteTenant = route(
  {
    method: 'delete',
    path: '/admin/tenants/:id',
    operationId: 'deleteTenant',
    tag,
    summary: 'Delete a tenant',
    description:
      'The tenant is suspended immediately. At `deletionAt`, after `TENANT_DELETION_DAYS`, all of its rows and files are ' +
      'removed for good, and its slug and hosts are free again; until then `PATCH` with the status `active` takes the ' +
      'deletion back. Invoices and credit notes are removed as well: if the law requires the seller to keep them, export ' +
      'them before.',
    access,
    status: 200,
    response: TenantResource,
    problems: [forbidden],
    beyond: true,
  },
  ({ params, ...caller }) => deleteLater(caller, params.id),
);
