/**
 * The history of prices, and the lowest price before a reduction (Directive 98/6/EC, article 6a).
 */
import { actorOf, type Page, type TenantDatabase } from '@carton/runtime';
import { requireVariant } from '../service.ts';
import type { PriceChange as ChangeForStaff, PriceChangeQuery } from './schemas.ts';
import { findChanges, listChanges, type PriceChange } from './store.ts';

/** The changes of a variant's prices, newest first. @throws not_found (404) */
export async function listPriceChanges(
  db: TenantDatabase,
  id: string,
  query: PriceChangeQuery,
): Promise<Page<ChangeForStaff>> {
  const page = await listChanges(db, query, { variantId: await requireVariant(db, id) });
  const items = page.items.map(({ variantId: _, actorType, actorId, actorLabel, ...change }) => ({
    ...change,
    actor: actorType === null ? null : actorOf({ actorType, actorId, actorLabel }),
  }));
  return { items, nextCursor: page.nextCursor };
}

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
  const start = startOfPrior(at).getTime();
  const timeOf = ({ createdAt }: PriceChange) => new Date(createdAt).getTime();
  const amountAt = (time: number, region: string | null) =>
    changes.findLast((change) => change.regionId === region && timeOf(change) <= time)?.amount ?? null;
  const times = [start, ...changes.map(timeOf).filter((time) => time > start && time < end)];
  const amounts = times.flatMap((time) => amountAt(time, regionId) ?? amountAt(time, null) ?? []);
  return amounts.length === 0 ? null : Math.min(...amounts);
}

/** The changes of the prices of variants that `lowestPriorPrice` needs for a price that begins at a time. */
export async function findPriorChanges(
  db: TenantDatabase,
  variantIds: readonly string[],
  at: Date,
): Promise<PriceChange[]> {
  return variantIds.length === 0 ? [] : findChanges(db, variantIds, startOfPrior(at));
}

function startOfPrior(at: Date): Date {
  return new Date(at.getTime() - priorDays * day);
}
