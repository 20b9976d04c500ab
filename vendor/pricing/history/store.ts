/**
 * Queries of `variant_price_changes`.
 */
import { type ActorColumns, actedBy, newId, rows, type TenantDatabase } from '@carton/runtime';

/** A price from a time on, until the next change in the same place (variant, currency, region). */
export interface PriceChange {
  variantId: string;
  currency: string;
  regionId: string | null;
  /** Minor units; null if the price was removed. */
  amount: number | null;
  compareAt: number | null;
  createdAt: string;
}

interface PriceChangeRow extends PriceChange, ActorColumns<string | null> {
  id: string;
}

export const { page: listChanges } = rows<PriceChangeRow>({ table: 'variant_price_changes', noun: 'price change' });

/** The changes of the prices of variants, oldest first, without those that ended before a time or at it. */
export function findChanges(db: TenantDatabase, variantIds: readonly string[], since: Date): Promise<PriceChange[]> {
  return db.query<PriceChange>(
    `select variant_id, currency, region_id, amount, compare_at, created_at
       from (select *, lead(created_at) over (partition by variant_id, currency, region_id order by created_at) as ended_at
               from variant_price_changes where tenant_id = $1 and variant_id = any($2::uuid[])) changes
      where ended_at is null or ended_at > $3
      order by created_at`,
    [variantIds, since],
  );
}

/** The time of a change: now, and later than all changes of these variants so far, whatever the clock says. */
export async function timeOfChange(db: TenantDatabase, variantIds: readonly string[]): Promise<Date> {
  const [row] = await db.query<{ at: string }>(
    `select greatest(date_trunc('milliseconds', clock_timestamp()), max(created_at) + interval '1 millisecond') as at
       from variant_price_changes where tenant_id = $1 and variant_id = any($2::uuid[])`,
    [variantIds],
  );
  return new Date((row as { at: string }).at);
}

export async function recordChanges(
  db: TenantDatabase,
  changes: readonly Omit<PriceChange, 'createdAt'>[],
  createdAt: Date,
): Promise<void> {
  const actor = actedBy(db, { type: 'system' });
  await db.insertMany(
    'variant_price_changes',
    changes.map((change) => ({ id: newId(), ...change, ...actor, createdAt })),
  );
}
