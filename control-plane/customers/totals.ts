/**
 * Downloads in total, in pages of customers with a package each.
 */
import { decodeCursor, encodeCursor } from '@carton/runtime/service';
import type { Knex } from 'knex';

/** A customer and a package of which there are downloads. */
export interface TotalKey {
  customerId: string;
  packageName: string;
}

export interface TotalQuery {
  limit: number;
  cursor?: string;
  customerId?: string;
  packageName?: string;
}

/** The order of the list, by customer and package; its positions have no id. */
const order = 'customer and package';
const noId = '00000000-0000-0000-0000-000000000000';

/** @throws invalid_request (400) for a cursor of another list */
export function positionOf(cursor: string | undefined): TotalKey | null {
  if (cursor === undefined) return null;
  const [, value] = decodeCursor(cursor, order);
  const [customerId, packageName] = JSON.parse(String(value)) as [string, string];
  return { customerId, packageName };
}

export function cursorOf({ customerId, packageName }: TotalKey): string {
  return encodeCursor([order, JSON.stringify([customerId, packageName]), noId]);
}

/** Selects the groups of an outcome after a position, in order; the caller adds what it counts. */
export function selectTotals(
  db: Knex,
  outcome: 'allowed' | 'denied',
  { customerId, packageName }: Omit<TotalQuery, 'cursor' | 'limit'>,
  after: TotalKey | null,
): Knex.QueryBuilder {
  const query = db('download_totals')
    .where({ outcome })
    .groupBy('customerId', 'packageName')
    .orderBy(['customerId', 'packageName'])
    .select('customerId', 'packageName');
  if (customerId !== undefined) query.where({ customerId });
  if (packageName !== undefined) query.where({ packageName });
  if (after) query.whereRaw('(customer_id, package_name) > (?, ?)', [after.customerId, after.packageName]);
  return query;
}
