/**
 * Names and ids of changed rows in the log.
 */

type Row = Record<string, unknown>;

/** The singular of a table's name: `products` becomes `product`, `tax_categories` becomes `tax_category`. */
export function resourceOf(table: string): string {
  if (/ies$/.test(table)) return table.replace(/ies$/, 'y');
  if (/(ss|ms|x|ch|sh)es$/.test(table)) return table.replace(/es$/, '');
  return table.replace(/s$/, '');
}

/** The id of a row; for a table without one, the id of the row's owner, or else of the tenant. */
export function resourceIdOf(row: Row): string {
  const owner = Object.keys(row).find((column) => /Id$/.test(column) && column !== 'tenantId' && row[column] !== null);
  return (row.id ?? (owner && row[owner]) ?? row.tenantId) as string;
}
