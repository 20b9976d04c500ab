/**
 * Personal data in the log: erasing a person removes the values of personal columns from entries about the person's
 * records. The entries stay, with their actors.
 */
import { type PersonalData, personalDataOf, toCamelCase } from '@carton/runtime';
import { resourceOf } from './resource.ts';
import { entriesAbout, removeValues } from './store.ts';

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
    const entries = await entriesAbout(db, Object.values(records).flat());
    return entries.length === 0 ? null : entries;
  },
  async erase(tx, { records }) {
    const ids = Object.values(records).flat();
    for (const { table, columns } of personalDataOf(tx).flatMap(({ keeps }) => keeps)) {
      await removeValues(tx, { resource: resourceOf(table), ids, properties: columns.map(toCamelCase) });
    }
  },
};
