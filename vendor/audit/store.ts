/**
 * Queries of the table of audit. Entries are inserted and read; there is no way to change or remove one.
 */
import { json, newId, type Page, paginate, type TenantDatabase } from '@carton/runtime';
import type { AuditEntry, AuditLogQuery } from './schemas.ts';

/** Inserts an entry as it is: a statement of its own is not itself reported as a change. */
export async function insertEntry(db: TenantDatabase, entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<void> {
  const { actorType, actorId, actorLabel, action, resource, resourceId, before, after } = entry;
  await db.query(
    `insert into audit_entries
       (tenant_id, id, actor_type, actor_id, actor_label, action, resource, resource_id, before, after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      newId(),
      actorType,
      actorId,
      actorLabel,
      action,
      resource,
      resourceId,
      before && json(before),
      after && json(after),
    ],
  );
}

/** Entries, newest first. `from` is part of the span, `to` is not. */
export function listEntries(db: TenantDatabase, query: AuditLogQuery): Promise<Page<AuditEntry>> {
  const { actorId, resource, resourceId, from, to } = query;
  const entries = db.table<AuditEntry>('audit_entries');
  if (actorId) entries.where('actor_id', actorId);
  if (resource) entries.where('resource', resource);
  if (resourceId) entries.where('resource_id', resourceId);
  if (from) entries.where('created_at', '>=', from);
  if (to) entries.where('created_at', '<', to);
  return paginate(entries, 'audit_entries', query);
}
