/**
 * Replacing the rows that belong to one thing, such as the countries of a region, and writing only what differs.
 */
import type { TenantDatabase } from './tenant-database.ts';

type Values = Record<string, unknown>;

/**
 * Replaces the rows of a table that belong to one thing. Rows that stay the same are not written; one with another value
 * is deleted and inserted again. Lock what the rows belong to first, so that `current` stays true.
 * @param owner columns that all of them share: `{ regionId }`
 * @param key the column by which each differs from the others of the same owner
 * @param current what is stored, at least the columns of `wanted`
 * @example await replaceRows(tx, 'region_countries', { regionId }, 'country', current, [{ country: 'DE' }]);
 */
export async function replaceRows(
  tx: TenantDatabase,
  table: string,
  owner: Values,
  key: string,
  current: readonly object[],
  wanted: readonly object[],
): Promise<void> {
  const stored = new Map((current as Values[]).map((row) => [row[key], row]));
  const isSame = (row: Values) =>
    Object.entries(row).every(([column, value]) => stored.get(row[key])?.[column] === value);
  const added = (wanted as Values[]).filter((row) => !isSame(row));
  const unchanged = new Set((wanted as Values[]).filter(isSame).map((row) => row[key]));
  const removed = [...stored.keys()].filter((value) => !unchanged.has(value));
  if (removed.length > 0) await tx.remove(table, { ...owner, [key]: removed });
  await tx.insertMany(
    table,
    added.map((row) => ({ ...row, ...owner })),
  );
}
