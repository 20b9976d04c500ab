/**
 * Schemas of API keys.
 */
import { KeyPermissions } from '@carton/auth';
import { DateTime, humanText, nullable, object, oneOf, type Static, shapesOf, Type, Uuid } from '@carton/runtime';
import { kinds } from './key.ts';

export const shapes = shapesOf({
  name: 'ApiKey',
  fields: {
    name: humanText(120, { examples: ['Warehouse'] }),
    scopes: Type.Array(
      Type.String({ pattern: '^(\\*|[a-z0-9-]+:(read|write))$', maxLength: 80, examples: ['product:read'] }),
      {
        default: [],
        maxItems: 200,
        uniqueItems: true,
        description:
          'Permissions, or `*` for all; empty for a publishable key. They have effect as far as the person responsible has them',
      },
    ),
  },
  immutable: {
    kind: oneOf(kinds, {
      description:
        'secret: for servers, authenticates routes for staff; publishable: may be part of a page, authenticates nothing',
    }),
  },
  createOnly: {
    expiresAt: Type.Optional(
      Type.String({
        ...DateTime,
        maxLength: 40,
        description: 'Omit it for a key that does not expire, or that expires with the key that creates it',
      }),
    ),
  },
  readOnly: {
    permissions: KeyPermissions,
    lastFour: Type.String({ description: 'The last four characters of the key', examples: ['9f3a'] }),
    createdBy: Type.String({
      description: 'The e-mail address or key name of its creator, at the time',
      examples: ['ada@example.com'],
    }),
    createdById: nullable(
      Type.String({
        ...Uuid,
        description:
          'The member of staff responsible for it, whose permissions limit it. Disabling or removing that person revokes it',
      }),
    ),
    parentId: nullable(
      Type.String({
        ...Uuid,
        description: 'The API key that created it. It ends with that key, and has no more rights',
      }),
    ),
    expiresAt: nullable(DateTime),
    revokedAt: nullable(DateTime),
    lastUsedAt: nullable(Type.String({ ...DateTime, description: 'Accurate to 15 minutes' })),
  },
});
export type ApiKey = Static<typeof shapes.Item>;
/** A key as it is stored: its permissions depend on others. */
export type StoredKey = Omit<ApiKey, 'permissions'>;
export type CreateApiKey = Static<typeof shapes.Create>;
export type ChangeApiKey = Static<typeof shapes.Change>;

export const CreatedApiKey = object(
  {
    ...shapes.Item.properties,
    key: Type.String({
      description: 'Shown only here. Send it as Authorization: Bearer',
      examples: ['ck_secret_3f6a52a1c0013f6a52a1c0013f6a52a1c0013f6a52a1c001'],
    }),
  },
  { $id: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;
