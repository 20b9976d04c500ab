/**
 * Writes prices together with their history.
 */
import type { TenantDatabase } from '@carton/runtime';
import { findPriorChanges, lowestPriorPrice } from '../history/service.ts';
import { type PriceChange, recordChanges, timeOfChange } from '../history/store.ts';
import { rewriteLowest } from '../products/service.ts';
import {
  type BasePrice,
  changePrice,
  findPricedRegions,
  insertPrice,
  keyOf,
  type PriceRow,
  removePrices,
} from '../store.ts';
import type { PriceLine } from './schemas.ts';

interface PriceWrites {
  /** All prices of the variants, read under the lock. */
  before: readonly PriceRow[];
  removed: readonly PriceRow[];
  /** Prices to set; an omitted `compareAt` or `cost` stays as it is. */
  lines: readonly PriceLine[];
}

/**
 * Writes the prices that differ and records those whose amount or regular price changed; `lockPrices` must be held.
 * @returns the variants with such a change
 */
export async function writePrices(
  tx: TenantDatabase,
  { before, removed, lines }: PriceWrites,
): Promise<ReadonlySet<string>> {
  const byKey = new Map(before.map((row) => [keyOf(row), row]));
  const planned = lines
    .map((line) => plan(line, byKey.get(keyOf(line)) ?? null))
    .filter(({ row, price }) => !row || row.cost !== price.cost || isRepriced(row, price));
  const repriced = planned.filter(({ row, price }) => isRepriced(row, price)).map(({ price }) => price);
  const changed = new Set([...removed, ...repriced].map(({ variantId }) => variantId));
  const regions = changed.size > 0 ? await findPricedRegions(tx) : [];
  if (changed.size > 0) {
    const at = await timeOfChange(tx, [...changed]);
    await setLowestPrior(tx, planned, at);
    await removePrices(
      tx,
      removed.map(({ id }) => id),
    );
    const gone = removed.map((row) => ({ ...changeOf(row), amount: null, compareAt: null }));
    await recordChanges(tx, [...gone, ...repriced.map(changeOf)], at);
  }
  for (const { row, price } of planned) {
    const { amount, compareAt, cost, lowestPrior } = price;
    if (row) await changePrice(tx, row.id, { amount, compareAt, cost, lowestPrior });
    else await insertPrice(tx, price);
  }
  if (changed.size > 0) await rewriteLowest(tx, [...changed], regions);
  return changed;
}

type NewPrice = Omit<PriceRow, 'id' | 'updatedAt'>;

interface PlannedPrice {
  row: PriceRow | null;
  price: NewPrice;
}

function plan(
  { variantId, currency, regionId = null, amount, ...line }: PriceLine,
  row: PriceRow | null,
): PlannedPrice {
  const { compareAt = row?.compareAt ?? null, cost = row?.cost ?? null } = line;
  const lowestPrior = row?.lowestPrior ?? null;
  return { row, price: { variantId, currency, regionId, amount, compareAt, cost, lowestPrior } };
}

function isRepriced(row: PriceRow | null, { amount, compareAt }: NewPrice): boolean {
  return !row || row.amount !== amount || row.compareAt !== compareAt;
}

const isReduced = ({ amount, compareAt }: Pick<BasePrice, 'amount' | 'compareAt'>) =>
  compareAt !== null && compareAt > amount;

/**
 * Sets the lowest prior price of reduced prices. A reduction begins when its amount begins, or when it gets a regular
 * price; from then on it does not change, since the 30 days before its beginning are over.
 */
async function setLowestPrior(tx: TenantDatabase, planned: readonly PlannedPrice[], at: Date): Promise<void> {
  const begins = ({ row, price }: PlannedPrice) =>
    isReduced(price) && (!row || row.amount !== price.amount || !isReduced(row));
  const beginning = planned.filter(begins);
  const changes = await findPriorChanges(tx, [...new Set(beginning.map(({ price }) => price.variantId))], at);
  const byCurrency = Map.groupBy(changes, ({ variantId, currency }) => keyOf({ variantId, currency }));
  for (const { price } of beginning) {
    const { variantId, currency, regionId } = price;
    price.lowestPrior = lowestPriorPrice(byCurrency.get(keyOf({ variantId, currency })) ?? [], regionId, at);
  }
  for (const { price } of planned) if (!isReduced(price)) price.lowestPrior = null;
}

function changeOf({ variantId, currency, regionId, amount, compareAt }: NewPrice): Omit<PriceChange, 'createdAt'> {
  return { variantId, currency, regionId, amount, compareAt };
}
