/**
 * The log and the persons whose records staff have worked on: what a change says of a person goes when they are
 * erased; that there was a change, of which columns and by whom stays.
 */
import { type PersonalData, personalDataOf, toCamelCase } from '@carton/runtime';
import { resourceOf } from './resource.ts';

export const personalChanges: PersonalData = {
  name: 'changes-by-staff',
  keeps: [
    {
      table: 'audit_entries',
      columns: ['before', 'after'],
      reason: 'To know who in the shop changed what.',
      kept: 'without what tells of you, for as long as the shop has its log',
    },
  ],
  async exportData(db, { records }) {
    const entries = await db.query(
      `select action, resource, resource_id, before, after, created_at from audit_entries
        where tenant_id = $1 and resource_id = any($2::uuid[]) order by created_at, id`,
      [Object.values(records).flat()],
    );
    return entries.length === 0 ? null : entries;
  },
  async erase(tx, { records }) {
    const ids = Object.values(records).flat();
    for (const { table, columns } of personalDataOf(tx).flatMap(({ keeps }) => keeps)) {
      await tx.query(
        `update audit_entries set before = before - $2::text[], after = after - $2::text[]
          where tenant_id = $1 and resource = $3 and resource_id = any($4::uuid[])`,
        [columns.map(toCamelCase), resourceOf(table), ids],
      );
    }
  },
};
