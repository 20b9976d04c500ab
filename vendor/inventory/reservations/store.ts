/**
 * Queries of reservations. Those that reserve and release stock are in `movements/`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { StockReference } from '../movements/lines.ts';
import type { StockReservation } from './schemas.ts';

export const { page: listReservations } = rows<StockReservation>({ table: 'stock_reservations', noun: 'reservation' });

/** Whether a reference has a reservation. */
export async function isReserved(db: TenantDatabase, { type, id }: StockReference): Promise<boolean> {
  const rows = await db.query(
    'select 1 from stock_reservations where tenant_id = $1 and reference_type = $2 and reference_id = $3 limit 1',
    [type, id],
  );
  return rows.length > 0;
}

/** Which of these ids of a type have a reservation. */
export async function findReserved(db: TenantDatabase, type: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ referenceId: string }>(
    `select distinct reference_id from stock_reservations
      where tenant_id = $1 and reference_type = $2 and reference_id = any($3::uuid[])`,
    [type, ids],
  );
  return rows.map(({ referenceId }) => referenceId);
}

/** References with expired reservations, earliest expiry first. */
export function findExpired(db: TenantDatabase, limit: number): Promise<StockReference[]> {
  return db.query<StockReference>(
    `select reference_type as type, reference_id as id from stock_reservations
      where tenant_id = $1 and ends_at <= now()
      group by 1, 2 order by min(ends_at) limit $2`,
    [limit],
  );
}

/**
 * SQL condition: whether a reference has a reservation. For statements of other packages; `$1` is the tenant.
 * @param id the column or parameter with the id of the reference
 */
export function hasReservation(type: string, id: string): string {
  return `exists (select from stock_reservations
                   where stock_reservations.tenant_id = $1 and stock_reservations.reference_type = '${type}'
                     and stock_reservations.reference_id = ${id})`;
}

/**
 * SQL value: the units reserved for a reference. For statements of other packages; `$1` is the tenant.
 * @param id the column or parameter with the id of the reference
 */
export function reservedUnits(type: string, id: string): string {
  return `(select coalesce(sum(stock_reservations.quantity), 0)::bigint from stock_reservations
            where stock_reservations.tenant_id = $1 and stock_reservations.reference_type = '${type}'
              and stock_reservations.reference_id = ${id})`;
}
