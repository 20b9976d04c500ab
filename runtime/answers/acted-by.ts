/**
 * Who did something, as tables with a history keep it: the columns `actor_type`, `actor_id` and `actor_label`, with the
 * label as it was then. Kinds of actors are open (packages add some), so no constraint lists them.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { nullable, object, Type, Uuid } from '../http/schemas.ts';

/** Who did something, as it is answered. */
export const ActedBy = object(
  {
    type: Type.String({
      description: 'Open: `shopper`, `staff`, `api_key`, `operator`, `system`, and what packages add',
      examples: ['staff'],
    }),
    id: nullable(Uuid),
    label: nullable(Type.String({ examples: ['ada@example.com'] })),
  },
  { $id: 'Actor' },
);

/** The columns in a row; `Type` is nullable where rows may be of nobody in particular. */
export interface ActorColumns<Type extends string | null = string> {
  actorType: Type;
  actorId: string | null;
  actorLabel: string | null;
}

/** Their names in a statement, in the order of `actorValues`. */
export const actorColumns = 'actor_type, actor_id, actor_label';

/** Who acts where nobody of the staff does: `{ type: 'system' }`. */
interface Otherwise {
  type: string;
  id?: string | null;
}

/** The columns for whoever acts in `db`, else for `otherwise`; without it they are null then. For `db.insert`. */
export function actedBy(db: Pick<TenantDatabase, 'actor'>, otherwise: Otherwise): ActorColumns;
export function actedBy(db: Pick<TenantDatabase, 'actor'>, otherwise?: Otherwise): ActorColumns<string | null>;
export function actedBy({ actor }: Pick<TenantDatabase, 'actor'>, otherwise?: Otherwise): ActorColumns<string | null> {
  if (actor) return { actorType: actor.type, actorId: actor.id, actorLabel: actor.label };
  return { actorType: otherwise?.type ?? null, actorId: otherwise?.id ?? null, actorLabel: null };
}

/** The same as values of a statement that names the columns by `actorColumns`. */
export function actorValues(db: Pick<TenantDatabase, 'actor'>, otherwise?: Otherwise): (string | null)[] {
  const { actorType, actorId, actorLabel } = actedBy(db, otherwise);
  return [actorType, actorId, actorLabel];
}

/** What the columns of a row say. */
export function actorOf({ actorType, actorId, actorLabel }: ActorColumns) {
  return { type: actorType, id: actorId, label: actorLabel };
}
