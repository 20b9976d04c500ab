/**
 * Rules of the audit log: every row that staff insert, update or delete leaves an entry in the same transaction. If the
 * entry cannot be written, the change is rolled back.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Change, TenantDatabase } from '@carton/runtime';
import { resourceIdOf, resourceOf } from './resource.ts';
import { actions } from './schemas.ts';
import { insertEntry } from './store.ts';

type Row = Record<string, unknown>;

/** Columns that are not recorded: the entry has its own tenant and time. */
const unrecorded = new Set(['tenantId', 'updatedAt']);

/** Inserts the entry of a change, unless it is an update that changed nothing. */
export async function recordChange(db: TenantDatabase, change: Change): Promise<void> {
  const { action, table } = change;
  const row = (change.after ?? change.before) as Row;
  const recorded = Object.keys(row).filter((column) => !unrecorded.has(column));
  const columns = action === 'update' ? recorded.filter((column) => differs(change, column)) : recorded;
  if (action === 'update' && columns.length === 0) return;
  await insertEntry(db, {
    action: actions[action],
    resource: resourceOf(table),
    resourceId: resourceIdOf(row),
    before: change.before && pick(change.before, columns),
    after: change.after && pick(change.after, columns),
  });
}

function differs({ before, after }: Change, column: string): boolean {
  return !isDeepStrictEqual(before?.[column], after?.[column]);
}

function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}
