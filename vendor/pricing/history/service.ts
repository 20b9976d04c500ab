/**
 * The history of prices, and the lowest price before a reduction (Directive 98/6/EC, article 6a).
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

export const priceChanges = rows<PriceChangeRow>({ table: 'variant_price_changes', noun: 'price change' });

const day = 86_400_000;
const priorDays = 30;

/**
 * The lowest price that applied in the 30 days before a reduction; null if there was none. A region without a price of
 * its own has the price of the currency.
 * @param changes all changes of the variant's prices in the currency before `at`, oldest first
 * @param regionId the region whose price is reduced; null for the price of the currency
 * @param at when the reduced price begins
 */
export function lowestPriorPrice(changes: readonly PriceChange[], regionId: string | null, at: Date): number | null {
  const end = at.getTime();
  const start = end - priorDays * day;
  const timeOf = ({ createdAt }: PriceChange) => new Date(createdAt).getTime();
  const amountAt = (time: number, region: string | null) =>
    changes.findLast((change) => change.regionId === region && timeOf(change) <= time)?.amount ?? null;
  const times = [start, ...changes.map(timeOf).filter((time) => time > start && time < end)];
  const amounts = times.flatMap((time) => amountAt(time, regionId) ?? amountAt(time, null) ?? []);
  return amounts.length === 0 ? null : Math.min(...amounts);
}

/** The changes of the prices of variants, oldest first, without those that ended more than 30 days before a time. */
export async function findRecentChanges(
  db: TenantDatabase,
  variantIds: readonly string[],
  at: Date,
): Promise<PriceChange[]> {
  if (variantIds.length === 0) return [];
  return db.query<PriceChange>(
    `select variant_id, currency, region_id, amount, compare_at, created_at
       from (select *, lead(created_at) over (partition by variant_id, currency, region_id order by created_at) as ended_at
               from variant_price_changes where tenant_id = $1 and variant_id = any($2::uuid[])) changes
      where ended_at is null or ended_at > $3
      order by created_at`,
    [variantIds, new Date(at.getTime() - priorDays * day)],
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
