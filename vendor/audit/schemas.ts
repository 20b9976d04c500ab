/**
 * Schemas of the audit log.
 */
import {
  actorTypes,
  DateTime,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

/** The names of changes in the log. */
export const actions = { insert: 'created', update: 'updated', delete: 'deleted' } as const;

const Columns = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Properties by name, for an update only those that changed; never hashes of secrets',
  examples: [{ defaultCurrency: 'EUR' }],
});
const Resource = Type.String({
  pattern: '^[a-z][a-z0-9_]*$',
  maxLength: 63,
  description: 'The kind of the changed resource, in the singular',
  examples: ['product'],
});

export const AuditEntry = object(
  {
    id: Uuid,
    actorType: oneOf(actorTypes),
    actorId: Uuid,
    actorLabel: Type.String({
      description: 'The e-mail address of the member of staff or the name of the API key, at the time of the change',
      examples: ['ada@example.com'],
    }),
    action: oneOf(Object.values(actions)),
    resource: Resource,
    resourceId: Uuid,
    before: nullable(Columns),
    after: nullable(Columns),
    createdAt: DateTime,
  },
  { $id: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditEntryPage = pageOf(AuditEntry, 'AuditEntryPage');

export const AuditLogQuery = pageQuery({
  actorId: Type.Optional(Uuid),
  resource: Type.Optional(Resource),
  resourceId: Type.Optional(Uuid),
  from: Type.Optional(withOptions(DateTime, { description: 'At this time or later' })),
  to: Type.Optional(withOptions(DateTime, { description: 'Before this time' })),
});
