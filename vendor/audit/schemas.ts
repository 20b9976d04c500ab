/**
 * Shapes of the audit log.
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
} from '@carton/runtime';

/** What a change is called in the log. */
export const actions = { insert: 'created', update: 'updated', delete: 'deleted' } as const;

/** Columns of a row by name; of an update those alone that changed. */
const Columns = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Properties by name. Of an update only those that changed; hashes of secrets are never among them',
  examples: [{ defaultCurrency: 'EUR' }],
});
const Resource = Type.String({
  pattern: '^[a-z][a-z0-9_]*$',
  maxLength: 63,
  description: 'What was changed, in the singular',
  examples: ['product'],
});

export const AuditEntry = object(
  {
    id: Uuid,
    actorType: oneOf(actorTypes),
    actorId: Uuid,
    actorLabel: Type.String({
      description: 'The e-mail address of the member of staff, or the name of the API key, as it was then',
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
  from: Type.Optional(Type.String({ ...DateTime, maxLength: 40, description: 'At this instant or later' })),
  to: Type.Optional(Type.String({ ...DateTime, maxLength: 40, description: 'Before this instant' })),
});
