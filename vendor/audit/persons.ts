/**
 * Personal data in the log: erasing a person removes the values of personal columns from entries about the person's
 * records. The entries stay, with their actors.
 */
import { type PersonalData, personalDataOf, toCamelCase } from '@carton/runtime';
import { resourceOf } from './resource.ts';

export const personalChanges: PersonalData = {
  name: 'changes-by-staff',
  keeps: [
    {
      table: 'audit_entries',
      columns: ['before', 'after'],
      reason: 'To show who of the staff changed what.',
      kept: 'without your personal data, as long as the store exists',
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
