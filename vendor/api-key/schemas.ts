/**
 * Shapes of API keys.
 */
import {
  changeOf,
  DateTime,
  externalFields,
  integrationPageOf,
  integrationQuery,
  newExternalFields,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  Uuid,
} from '@carton/runtime';
import { kinds } from './key.ts';

const Name = Type.String({ minLength: 1, maxLength: 120, examples: ['Warehouse'] });
const Kind = oneOf(kinds, {
  description:
    'secret: for servers, in place of a member of staff; publishable: may stand in a page, and opens nothing',
});
const Scopes = Type.Array(
  Type.String({ pattern: '^(\\*|[a-z0-9-]+:(read|write))$', maxLength: 80, examples: ['product:read'] }),
  { maxItems: 200, uniqueItems: true, description: 'Permissions, or `*` for all. None for a publishable key' },
);

export const ApiKey = object(
  {
    id: Uuid,
    name: Name,
    kind: Kind,
    lastFour: Type.String({ description: 'The last four characters of the key', examples: ['9f3a'] }),
    scopes: Scopes,
    createdBy: Type.String({ description: 'Who made it, as they were called then', examples: ['ada@example.com'] }),
    createdById: nullable(
      Type.String({ ...Uuid, description: 'The member of staff who answers for it: with them it is revoked' }),
    ),
    expiresAt: nullable(DateTime),
    revokedAt: nullable(DateTime),
    lastUsedAt: nullable(Type.String({ ...DateTime, description: 'Within a quarter of an hour' })),
    ...externalFields,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;
export const ApiKeyPage = integrationPageOf(ApiKey, 'ApiKeyPage');
export const ApiKeyQuery = integrationQuery();
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;

export const CreatedApiKey = object(
  {
    ...ApiKey.properties,
    key: Type.String({
      description: 'Shown once. Send it as Authorization: Bearer',
      examples: ['ck_secret_3f6a52a1c0013f6a52a1c0013f6a52a1c0013f6a52a1c001'],
    }),
  },
  { $id: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const CreateApiKey = object(
  {
    name: Name,
    kind: Kind,
    scopes: Type.Optional(Scopes),
    expiresAt: Type.Optional(Type.String({ ...DateTime, maxLength: 40, description: 'Without it, never' })),
    ...newExternalFields,
  },
  { $id: 'CreateApiKey' },
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const ChangeApiKey = changeOf({ name: Name, scopes: Scopes, ...externalFields }, { $id: 'ChangeApiKey' });
export type ChangeApiKey = Static<typeof ChangeApiKey>;
