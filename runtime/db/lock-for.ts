/**
 * Letting one writer in at a time where no row stands for what is written.
 */
import type { TenantDatabase } from './tenant-database.ts';

/**
 * Waits until no other transaction of this tenant holds the lock of this name, and holds it until this one ends.
 * @param name package and what is written: `region.countries`
 */
export async function lockFor(tx: TenantDatabase, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($2 || ' ' || $1::text, 0))`, [name]);
}
