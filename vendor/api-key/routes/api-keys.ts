/**
 * API keys, as staff manage them.
 */
import { externalIdTaken, route } from '@carton/runtime';
import { ApiKey, ApiKeyPage, ApiKeyQuery, ChangeApiKey, CreateApiKey, CreatedApiKey } from '../schemas.ts';
import { changeKey, createKey, keyRevoked, readKey, revokeKey } from '../service.ts';
import { listKeys } from '../store.ts';

const tag = 'API keys';

export const listApiKeys = route(
  {
    method: 'get',
    path: '/admin/api-keys',
    operationId: 'listApiKeys',
    tag,
    summary: 'List API keys, newest first',
    access: 'staff',
    query: ApiKeyQuery,
    status: 200,
    response: ApiKeyPage,
  },
  ({ db, query }) => listKeys(db, query),
);

export const createApiKey = route(
  {
    method: 'post',
    path: '/admin/api-keys',
    operationId: 'createApiKey',
    tag,
    summary: 'Make an API key',
    description: 'The key is in this answer alone. It can be given no permission that its maker does not have.',
    access: 'staff',
    body: CreateApiKey,
    status: 201,
    response: CreatedApiKey,
    location: '/admin/api-keys/{id}',
    problems: [externalIdTaken],
  },
  ({ body, ...caller }) => createKey(caller, body),
);

export const readApiKey = route(
  {
    method: 'get',
    path: '/admin/api-keys/:id',
    operationId: 'readApiKey',
    tag,
    summary: 'Read an API key',
    access: 'staff',
    status: 200,
    response: ApiKey,
  },
  ({ db, params }) => readKey(db, params.id),
);

export const updateApiKey = route(
  {
    method: 'patch',
    path: '/admin/api-keys/:id',
    operationId: 'updateApiKey',
    tag,
    summary: 'Rename an API key or change its scopes',
    access: 'staff',
    body: ChangeApiKey,
    status: 200,
    response: ApiKey,
    problems: [externalIdTaken, keyRevoked],
  },
  ({ params, body, ...caller }) => changeKey(caller, params.id, body),
);

export const revokeApiKey = route(
  {
    method: 'post',
    path: '/admin/api-keys/:id/revoke',
    operationId: 'revokeApiKey',
    tag,
    summary: 'Revoke an API key',
    description: 'For good, and at once. Revoking it again changes nothing.',
    access: 'staff',
    status: 200,
    response: ApiKey,
  },
  ({ db, params }) => revokeKey({ db }, params.id),
);
