/**
 * Routes of API keys for staff.
 */
import { integrationQuery, resource } from '@carton/runtime';
import { CreatedApiKey, shapes } from './schemas.ts';
import { changeKey, createKey, keyRevoked, revokeKey } from './service.ts';
import { apiKeys } from './store.ts';

export const keyRoutes = resource({
  path: '/admin/api-keys',
  noun: 'API key',
  tag: 'API keys',
  access: 'staff',
  item: shapes.Item,
  rows: apiKeys,
  list: { query: integrationQuery(), page: shapes.Page },
  create: {
    description: 'Only this response contains the key. Its scopes cannot exceed the permissions of the caller.',
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
  actions: {
    revoke: {
      description: 'Takes effect immediately and cannot be undone. Revoking a revoked key has no effect.',
      run: ({ db, params }) => revokeKey(db, params.id),
    },
  },
});
