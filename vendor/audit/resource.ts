/**
 * What a changed row is called in the log: tables are named in the plural, the log speaks of one thing.
 */

type Row = Record<string, unknown>;

/** The singular of a table's name: `products` gives `product`, `tax_categories` gives `tax_category`. */
export function resourceOf(table: string): string {
  if (/ies$/.test(table)) return table.replace(/ies$/, 'y');
  if (/(ss|ms|x|ch|sh)es$/.test(table)) return table.replace(/es$/, '');
  return table.replace(/s$/, '');
}

/** The id of a row; of a table without one that of what the row belongs to, in the end the shop itself. */
export function resourceIdOf(row: Row): string {
  const owner = Object.keys(row).find((column) => /Id$/.test(column) && column !== 'tenantId' && row[column] !== null);
  return (row.id ?? (owner && row[owner]) ?? row.tenantId) as string;
}
