/**
 * What all movements of one statement have in common: the reference and the actor, passed as one parameter.
 */
import { actedBy, actorColumns, json, type TenantDatabase } from '@carton/runtime';
import type { StockReference } from './lines.ts';

/** The columns, for the insertion and for what it selects. */
export const recordColumns = `reference_type, reference_id, ${actorColumns}`;

/** The one row of these columns, for a `from` clause. */
export const recordFrom = (parameter: string) => `
      jsonb_to_record(${parameter}::jsonb)
        as record (reference_type text, reference_id uuid, actor_type text, actor_id uuid, actor_label text)`;

/** The value of the parameter. */
export function recordOf(tx: TenantDatabase, { type, id }: StockReference): string {
  const { actorType, actorId, actorLabel } = actedBy(tx);
  const actor = { actor_type: actorType, actor_id: actorId, actor_label: actorLabel };
  return json({ reference_type: type, reference_id: id, ...actor });
}
