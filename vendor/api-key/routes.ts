/**
 * API keys, in the hands of staff.
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
  actions: {
    revoke: {
      description: 'For good, and at once. Revoking it again changes nothing.',
      run: ({ db, params }) => revokeKey(db, params.id),
    },
  },
});
