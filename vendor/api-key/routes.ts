/**
 * API keys, in the hands of staff.
 */
import { integrationQuery, resource, route } from '@carton/runtime';
import { CreatedApiKey, shapes } from './schemas.ts';
import { changeKey, createKey, keyRevoked, revokeKey } from './service.ts';
import { apiKeys } from './store.ts';

const common = { path: '/admin/api-keys', tag: 'API keys', access: 'staff' } as const;

export const keyRoutes = resource({
  ...common,
  noun: 'API key',
  item: shapes.Item,
  rows: apiKeys,
  list: { query: integrationQuery(), page: shapes.Page },
  create: {
    description: 'The key is in this answer alone. It can be given no permission that its maker does not have.',
    body: shapes.Create,
    response: CreatedApiKey,
    run: ({ body, ...caller }) => createKey(caller, body),
  },
  read: {},
  change: {
    summary: 'Rename an API key or change its scopes',
    body: shapes.Change,
    problems: [keyRevoked],
    run: ({ params, body, ...caller }) => changeKey(caller, params.id, body),
  },
});

export const revokeApiKey = route(
  {
    ...common,
    method: 'post',
    path: '/admin/api-keys/:id/revoke',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'For good, and at once. Revoking it again changes nothing.',
    status: 200,
    response: shapes.Item,
  },
  ({ db, params }) => revokeKey(db, params.id),
);
