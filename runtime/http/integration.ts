/**
 * Schemas for integrations, the same for every resource: external ids, metadata, and incremental reads of lists.
 */
import { requestSchema } from './input-forms.ts';
import { pageQuery } from './paging.ts';
import { defineProblem } from './problems.ts';
import {
  DateTime,
  humanText,
  Metadata,
  nullable,
  object,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  Uuid,
  withOptions,
} from './schemas.ts';

export const ExternalId = humanText(255, {
  description: 'Id of the resource in an external system; unique among resources of the same type',
  examples: ['ERP-4711'],
});

/** Also as it was written, since earlier releases have stored ids with spaces around them. */
const externalIdParameter = withOptions(Type.String({ minLength: 1, maxLength: 255 }), {
  description: ExternalId.description as string,
  examples: ExternalId.examples as string[],
});

/** Fields of a resource and of the body that changes it; `externalId` is null for none. */
export const externalFields = { externalId: nullable(ExternalId), metadata: Metadata };

/** Fields of the body that creates a resource. */
export const newExternalFields = {
  externalId: Type.Optional(externalFields.externalId),
  metadata: Type.Optional(Metadata),
};

/** Thrown by the engine for a violation of a table's unique index `<table>_external_id`. */
export const externalIdTaken = defineProblem({
  code: 'external_id_taken',
  status: 409,
  title: 'The externalId is already used by another resource of the same type',
});

/** Days for which deletions are stored: the longest time between two incremental reads of a list. */
export const deletionRetentionDays = 90;

/** Thrown by the engine when deletions since `updatedAfter` may no longer be stored. */
export const changesForgotten = defineProblem({
  code: 'changes_forgotten',
  status: 410,
  title: 'Deletions since updatedAfter are no longer available: read the complete list again',
});

const updatedAfter = Type.Optional(
  withOptions(DateTime, {
    description: `Returns only resources that were changed or deleted after this time, oldest change first; see \`deleted\` and \`updatedUntil\`. Cannot be combined with other filters. At most ${deletionRetentionDays} days ago, or any time before the store was created, which returns the complete list.`,
  }),
);

/** The query of a list with incremental reads, of a resource without an `externalId`. */
export function updatedAfterQuery<T extends TProperties = Record<never, never>>(filters: T = {} as T) {
  return pageQuery({ ...filters, updatedAfter });
}

/** Whether a list supports incremental reads. */
export function takesUpdatedAfter(query: TSchema | undefined): boolean {
  const own = (query as TObject | undefined)?.properties?.updatedAfter;
  return own !== undefined && [updatedAfter, requestSchema(updatedAfter)].includes(own as typeof updatedAfter);
}

/** The query of a list with incremental reads, of a resource with an `externalId`. */
export function integrationQuery<T extends TProperties = Record<never, never>>(filters: T = {} as T) {
  return updatedAfterQuery({ ...filters, externalId: Type.Optional(externalIdParameter) });
}

const Deletion = object(
  { id: Uuid, externalId: nullable(ExternalId), deletedAt: DateTime },
  { $id: 'Deletion', description: 'A deleted resource' },
);
export interface Deletion {
  id: string;
  externalId: string | null;
  deletedAt: string;
}

/** The response of a list with incremental reads. */
export function integrationPageOf<T extends TSchema>(item: T, name: string) {
  return object(
    {
      items: Type.Array(item),
      nextCursor: nullable(Type.String({ examples: ['WyJ1cGRhdGVkIiwi…'] })),
      deleted: Type.Optional(
        Type.Array(Deletion, {
          description: 'With `updatedAfter`: the deletions of this page, in addition to `items`',
        }),
      ),
      updatedUntil: Type.Optional(
        withOptions(DateTime, {
          description:
            'With `updatedAfter`: all changes up to this time have been returned. Use it as the next `updatedAfter`.',
        }),
      ),
    },
    { $id: name },
  );
}
