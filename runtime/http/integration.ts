/**
 * What integrators keep with a resource and how they follow its list: one vocabulary for every resource.
 */
import { pageQuery } from './paging.ts';
import { defineProblem } from './problems.ts';
import {
  DateTime,
  Metadata,
  nullable,
  object,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  Uuid,
} from './schemas.ts';

export const ExternalId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Its id in a system of your own; unique among its kind',
  examples: ['ERP-4711'],
});

/** Of a resource, and of the body that changes it: null for none. */
export const externalFields = { externalId: nullable(ExternalId), metadata: Metadata };

/** Of the body that creates it. */
export const newExternalFields = {
  externalId: Type.Optional(externalFields.externalId),
  metadata: Type.Optional(Metadata),
};

/** Thrown by the engine where a table's unique index `<table>_external_id` refuses a row. */
export const externalIdTaken = defineProblem({
  code: 'external_id_taken',
  status: 409,
  title: 'Another resource of this kind has this externalId',
});

/** Days for which it is known what was deleted: how long whoever follows a list may be away. */
export const deletionRetentionDays = 90;

/** Thrown by the engine for a moment since when deletions may be forgotten; every list that can be followed has it. */
export const changesForgotten = defineProblem({
  code: 'changes_forgotten',
  status: 410,
  title: 'What was deleted since then is no longer known: read the whole list again',
});

const updatedAfter = Type.Optional({
  ...DateTime,
  description: `Only what was changed or deleted later, oldest change first: see \`deleted\` and \`updatedUntil\`. Taken without any other filter. At most ${deletionRetentionDays} days ago, or before the shop was opened, which reads the whole list.`,
});

/** The query of a list that can be followed, of a resource that nobody gives an `externalId`. */
export function updatedAfterQuery<T extends TProperties = Record<never, never>>(filters: T = {} as T) {
  return pageQuery({ ...filters, updatedAfter });
}

/** Whether a list can be followed. */
export function takesUpdatedAfter(query: TSchema | undefined): boolean {
  return (query as TObject | undefined)?.properties?.updatedAfter === updatedAfter;
}

/** The query of a list that can be followed, of a resource that has an `externalId`. */
export function integrationQuery<T extends TProperties = Record<never, never>>(filters: T = {} as T) {
  return updatedAfterQuery({ ...filters, externalId: Type.Optional(ExternalId) });
}

const Deletion = object(
  { id: Uuid, externalId: nullable(ExternalId), deletedAt: DateTime },
  { $id: 'Deletion', description: 'A resource that is no more' },
);
export interface Deletion {
  id: string;
  externalId: string | null;
  deletedAt: string;
}

/** The answer of a list that can be followed. */
export function integrationPageOf<T extends TSchema>(item: T, name: string) {
  return object(
    {
      items: Type.Array(item),
      nextCursor: nullable(Type.String({ examples: ['WyJ1cGRhdGVkIiwi…'] })),
      deleted: Type.Optional(
        Type.Array(Deletion, { description: 'With `updatedAfter`: what was deleted, beside the items of this page' }),
      ),
      updatedUntil: Type.Optional({
        ...DateTime,
        description: 'With `updatedAfter`: all changes up to here have been told. The `updatedAfter` to go on with.',
      }),
    },
    { $id: name },
  );
}
