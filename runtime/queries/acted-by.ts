/**
 * The actor of a recorded change, as tables with a history store it: the columns `actor_type`, `actor_id` and
 * `actor_label`, where the label is the one of that time. Packages may add actor types, so no constraint lists them.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { nullable, object, Type, Uuid } from '../http/schemas.ts';

/** The actor in a response. */
export const ActedBy = object(
  {
    type: Type.String({
      description: 'One of `shopper`, `staff`, `api_key`, `operator` or `system`; packages may add further values',
      examples: ['staff'],
    }),
    id: nullable(Uuid),
    label: nullable(Type.String({ examples: ['ada@example.com'] })),
  },
  { $id: 'Actor' },
);

/** The columns in a row; `Type` includes null where a row may have no actor. */
export interface ActorColumns<Type extends string | null = string> {
  actorType: Type;
  actorId: string | null;
  actorLabel: string | null;
}

/** The column names for a statement, in the order of `actorValues`. */
export const actorColumns = 'actor_type, actor_id, actor_label';

/** The actor to record when the database handle has none: `{ type: 'system' }`. */
interface FallbackActor {
  type: string;
  id?: string | null;
}

/** The actor columns for `db.insert`: the actor of `db`, else the fallback, else nulls. */
export function actedBy(db: Pick<TenantDatabase, 'actor'>, fallback: FallbackActor): ActorColumns;
export function actedBy(db: Pick<TenantDatabase, 'actor'>, fallback?: FallbackActor): ActorColumns<string | null>;
export function actedBy(
  { actor }: Pick<TenantDatabase, 'actor'>,
  fallback?: FallbackActor,
): ActorColumns<string | null> {
  if (actor) return { actorType: actor.type, actorId: actor.id, actorLabel: actor.label };
  return { actorType: fallback?.type ?? null, actorId: fallback?.id ?? null, actorLabel: null };
}

/** The same values for a statement that names the columns with `actorColumns`. */
export function actorValues(db: Pick<TenantDatabase, 'actor'>, fallback?: FallbackActor): (string | null)[] {
  const { actorType, actorId, actorLabel } = actedBy(db, fallback);
  return [actorType, actorId, actorLabel];
}

/** The actor of a row. */
export function actorOf({ actorType, actorId, actorLabel }: ActorColumns) {
  return { type: actorType, id: actorId, label: actorLabel };
}
