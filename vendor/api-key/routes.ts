/**
 * Routes of API keys for staff.
 */
import { integrationQuery, resource, route } from '@carton/runtime';
import { eachWithPermissions, withPermissions } from './lineage.ts';
import { keyRevoked } from './problems.ts';
import { CreatedApiKey, shapes } from './schemas.ts';
import { changeKey, createKey, revokeKey, rotateKey } from './service.ts';
import { apiKeys } from './store.ts';

export const keyRoutes = resource({
  path: '/admin/api-keys',
  noun: 'API key',
  tag: 'API keys',
  access: 'staff',
  item: shapes.Item,
  rows: apiKeys,
  list: {
    query: integrationQuery(),
    page: shapes.Page,
    async run({ db, query }) {
      const { items, ...page } = await apiKeys.page(db, query);
      return { ...page, items: await eachWithPermissions(db, items) };
    },
  },
  create: {
    description: 'Only this response contains the key. Its scopes cannot exceed the permissions of the caller.',
    body: shapes.Create,
    response: CreatedApiKey,
    run: ({ body, ...caller }) => createKey(caller, body),
  },
  read: { run: async ({ db, params }) => withPermissions(db, await apiKeys.require(db, params.id)) },
  change: {
    summary: 'Rename an API key or change its scopes',
    body: shapes.Change,
    problems: [keyRevoked],
    run: ({ params, body, ...caller }) => changeKey(caller, params.id, body),
  },
  actions: {
    revoke: {
      description:
        'Takes effect immediately and cannot be undone. Keys that the key has created are revoked with it. Revoking a ' +
        'revoked key has no effect. The caller needs the permissions in its scopes, unless it is the key itself, a key above ' +
        'it or the person responsible.',
      run: ({ params, ...caller }) => revokeKey(caller, params.id),
    },
  },
});

export const rotateApiKey = route(
  {
    method: 'post',
    path: '/admin/api-keys/:id/rotate',
    beyond: true,
    operationId: 'rotateApiKey',
    tag: 'API keys',
    summary: 'Replace the text of an API key',
    description:
      'Only this response contains the new text; the former one ends at once, and so do keys that the key has created. Scopes, expiry and creator stay. A key can rotate itself, and keys that it has created.',
    access: 'staff',
    status: 200,
    response: CreatedApiKey,
    problems: [keyRevoked],
  },
  ({ params, ...caller }) => rotateKey(caller, params.id),
);
