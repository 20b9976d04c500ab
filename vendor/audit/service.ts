/**
 * Rules of the audit log: every row that a member of staff inserts, changes or removes leaves an entry, in the
 * transaction of the change. An entry that cannot be written undoes the change.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Change, TenantDatabase } from '@carton/runtime';
import { resourceIdOf, resourceOf } from './resource.ts';
import { actions } from './schemas.ts';
import { insertEntry } from './store.ts';

type Row = Record<string, unknown>;

/** Columns that say nothing of what somebody did: the shop is the log's own, and an update always has a time. */
const unsaid = new Set(['tenantId', 'updatedAt']);

/** Writes the entry of a change. An update that changed nothing leaves none. */
export async function recordChange(db: TenantDatabase, change: Change): Promise<void> {
  const { action, table } = change;
  const row = (change.after ?? change.before) as Row;
  const said = Object.keys(row).filter((column) => !unsaid.has(column));
  const columns = action === 'update' ? said.filter((column) => differs(change, column)) : said;
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
