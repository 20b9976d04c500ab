/**
 * Advisory locks, for writes that have no row to lock.
 */
import type { TenantDatabase } from './tenant-database.ts';

/**
 * Acquires this tenant's lock of that name until the transaction ends, and waits while another transaction holds it.
 * @param name the package and what the lock guards: `region.countries`
 */
export async function lockFor(tx: TenantDatabase, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($2 || ' ' || $1::text, 0))`, [name]);
}
