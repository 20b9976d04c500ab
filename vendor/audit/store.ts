/**
 * Queries of `audit_entries`. Entries are inserted and read; erasure removes values from them, nothing else changes them.
 */
import { actorColumns, actorValues, json, newId, rows, type TenantDatabase } from '@carton/runtime';
import type { AuditEntry } from './schemas.ts';

type NewEntry = Pick<AuditEntry, 'action' | 'resource' | 'resourceId' | 'before' | 'after'>;

/** Inserts an entry for the actor of `db`, by a plain statement, which is not itself reported as a change. */
export async function insertEntry(db: TenantDatabase, entry: NewEntry): Promise<void> {
  const { action, resource, resourceId, before, after } = entry;
  await db.query(
    `insert into audit_entries
       (tenant_id, id, ${actorColumns}, action, resource, resource_id, before, after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [newId(), ...actorValues(db), action, resource, resourceId, before && json(before), after && json(after)],
  );
}

/** One page of entries, newest first. `from` is inclusive, `to` is exclusive. */
export const { page: listEntries } = rows<AuditEntry>({
  table: 'audit_entries',
  noun: 'entry',
  filters: {
    from: (listed, from: string) => listed.where('audit_entries.createdAt', '>=', from),
    to: (listed, to: string) => listed.where('audit_entries.createdAt', '<', to),
  },
});

/** What changed in these records, the oldest change first; without its actor. */
export function entriesAbout(
  db: TenantDatabase,
  resourceIds: readonly string[],
): Promise<Omit<AuditEntry, 'id' | 'actorType' | 'actorId' | 'actorLabel'>[]> {
  return db.query(
    `select action, resource, resource_id, before, after, created_at from audit_entries
      where tenant_id = $1 and resource_id = any($2::uuid[]) order by created_at, id`,
    [resourceIds],
  );
}

/** Removes properties from the values before and after the changes of records of one kind. */
export async function removeValues(
  tx: TenantDatabase,
  { resource, ids, properties }: { resource: string; ids: readonly string[]; properties: readonly string[] },
): Promise<void> {
  await tx.query(
    `update audit_entries set before = before - $2::text[], after = after - $2::text[]
      where tenant_id = $1 and resource = $3 and resource_id = any($4::uuid[])`,
    [properties, resource, ids],
  );
}
