/**
 * Replacing the rows that belong to one owner, such as the countries of a region, by writing only the differences.
 */
import type { TenantDatabase } from './tenant-database.ts';

type Values = Record<string, unknown>;

/**
 * Replaces the rows of one owner in a table. Rows that stay the same are not written; a row with a changed value is
 * deleted and inserted again. Lock the owner's row before reading `current`.
 * @param owner the columns that identify the owner: `{ regionId }`
 * @param key the column that is unique among the rows of an owner
 * @param current the stored rows, with at least the columns of `target`
 * @example await replaceRows(tx, 'region_countries', { regionId }, 'country', current, [{ country: 'DE' }]);
 */
export async function replaceRows(
  tx: TenantDatabase,
  table: string,
  owner: Values,
  key: string,
  current: readonly object[],
  target: readonly object[],
): Promise<void> {
  const stored = new Map((current as Values[]).map((row) => [row[key], row]));
  const isSame = (row: Values) =>
    Object.entries(row).every(([column, value]) => stored.get(row[key])?.[column] === value);
  const added = (target as Values[]).filter((row) => !isSame(row));
  const unchanged = new Set((target as Values[]).filter(isSame).map((row) => row[key]));
  const removed = [...stored.keys()].filter((value) => !unchanged.has(value));
  if (removed.length > 0) await tx.remove(table, { ...owner, [key]: removed });
  await tx.insertMany(
    table,
    added.map((row) => ({ ...row, ...owner })),
  );
}
