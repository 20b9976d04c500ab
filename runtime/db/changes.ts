/**
 * Changes that staff make: listeners receive each row that a member of staff inserts, updates or deletes, in the same
 * transaction. The report is made in `TenantDatabase`, so that no package can forget it.
 */
export const actorTypes = ['staff', 'api_key', 'operator'] as const;

/** The author of a change. Writes by shoppers and by the system are not reported. */
export interface Actor {
  type: (typeof actorTypes)[number];
  id: string;
  label: string;
}

export interface Change {
  actor: Actor;
  action: 'insert' | 'update' | 'delete';
  table: string;
  /** The row before (null for an insert) and after (null for a delete), without secrets. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/**
 * A row without the columns that hold hashes of secrets, and without those that only repeat another column in a form
 * for comparison, by convention named `…_key`.
 */
export function withoutSecrets(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !/([hH]ash|[a-z]Key)$/.test(column)));
}
