/**
 * Changes as they are written: whoever listens is told of each row a member of staff inserts, changes or removes,
 * in the same transaction. Told at the one database access point, so that no package can forget it.
 */
export const actorTypes = ['staff', 'api_key', 'operator'] as const;

/** Who acts. Shoppers' writes and the system's own are not reported as changes. */
export interface Actor {
  type: (typeof actorTypes)[number];
  id: string;
  label: string;
}

export interface Change {
  actor: Actor;
  action: 'insert' | 'update' | 'delete';
  table: string;
  /** The row before (null for an insert) and after (null for a delete), secrets left out. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/**
 * A row without what must not be copied anywhere, every column that holds the hash of a secret, and without what only
 * repeats another column for comparisons, by custom called `…_key`.
 */
export function withoutSecrets(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !/([hH]ash|[a-z]Key)$/.test(column)));
}
