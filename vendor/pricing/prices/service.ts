/**
 * Rules of prices: one per variant, currency and region; a region's prices are in its currency.
 */
import { findVariants } from '@carton/product';
import { holdRegion, type RegionRow } from '@carton/region';
import { type FieldError, invalidRequest, publish, type TenantDatabase } from '@carton/runtime';
import { requireVariant } from '../service.ts';
import { findPrices, keyOf, lockPrices, type PriceRow } from '../store.ts';
import { priceUpdated } from './events.ts';
import type { PriceLine } from './schemas.ts';
import { writePrices } from './writing.ts';

/** @throws not_found (404), also for a deleted variant */
export async function listPrices(db: TenantDatabase, id: string): Promise<PriceRow[]> {
  return findPrices(db, [await requireVariant(db, id)]);
}

/** Converts ids to lower case, as stored, so that they can be compared. */
function normalize(line: PriceLine): PriceLine {
  return { ...line, variantId: line.variantId.toLowerCase(), regionId: line.regionId?.toLowerCase() ?? null };
}

/**
 * Replaces all prices of a variant.
 * @throws not_found (404), invalid_request (400) with every invalid line
 */
export async function replacePrices(
  db: TenantDatabase,
  id: string,
  prices: readonly Omit<PriceLine, 'variantId'>[],
): Promise<PriceRow[]> {
  return db.transaction(async (tx) => {
    const variantId = await requireVariant(tx, id);
    const lines = prices.map((price) => normalize({ ...price, variantId }));
    await validateLines(tx, lines);
    await lockPrices(tx);
    const before = await findPrices(tx, [variantId]);
    const keptKeys = new Set(lines.map(keyOf));
    const removed = before.filter((row) => !keptKeys.has(keyOf(row)));
    const complete = lines.map((line) => ({ ...line, compareAt: line.compareAt ?? null, cost: line.cost ?? null }));
    return publishChanges(tx, [variantId], await writePrices(tx, { before, removed, lines: complete }));
  });
}

/**
 * Sets prices of many variants, all or none; other prices do not change. Returns the resulting prices in the same
 * order.
 * @throws invalid_request (400) with every invalid line
 */
export async function setPrices(db: TenantDatabase, input: readonly PriceLine[]): Promise<PriceRow[]> {
  const lines = input.map(normalize);
  return db.transaction(async (tx) => {
    await validateLines(tx, lines);
    await lockPrices(tx);
    const variantIds = [...new Set(lines.map(({ variantId }) => variantId))];
    const before = await findPrices(tx, variantIds);
    const changed = await writePrices(tx, { before, removed: [], lines });
    const rows = await publishChanges(tx, variantIds, changed);
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    return lines.map((line) => byKey.get(keyOf(line)) as PriceRow);
  });
}

/** Returns all current prices of these variants, and publishes an event for each that changed. */
async function publishChanges(
  tx: TenantDatabase,
  variantIds: readonly string[],
  changed: ReadonlySet<string>,
): Promise<PriceRow[]> {
  const rows = await findPrices(tx, variantIds);
  const byVariant = Map.groupBy(rows, ({ variantId }) => variantId);
  for (const id of changed) {
    const prices = (byVariant.get(id) ?? []).map(({ currency, regionId, amount, compareAt }) => ({
      currency,
      regionId,
      amount,
      compareAt,
    }));
    await publish(tx, priceUpdated, { type: 'variant', id }, { prices });
  }
  return rows;
}

/**
 * Validates every line against the tenant's variants, regions and their currencies; the regions are locked until the
 * transaction ends.
 */
async function validateLines(tx: TenantDatabase, lines: readonly PriceLine[]): Promise<void> {
  const regions = new Map<string, RegionRow | null>();
  for (const id of new Set(lines.flatMap(({ regionId }) => regionId ?? []).sort())) {
    regions.set(id, await holdRegion(tx, id));
  }
  const variants = await findVariants(tx, [...new Set(lines.map(({ variantId }) => variantId))]);
  const firstByKey = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [index, line] of lines.entries()) {
    const addError = (pointer: string, detail: string) =>
      errors.push({ in: 'body', pointer: `/prices/${index}${pointer}`, detail });
    const { variantId, currency, regionId } = line;
    if (variants.get(variantId)?.deleted !== false) addError('/variantId', 'is not a variant of this store');
    const region = regionId ? regions.get(regionId) : undefined;
    if (region === null) addError('/regionId', 'is not a region of this store');
    if (region && region.currency !== currency) {
      addError('/currency', `must be ${region.currency}, the currency of the region`);
    }
    const first = firstByKey.get(keyOf(line));
    if (first !== undefined) addError('', `sets the same price as /prices/${first}`);
    else firstByKey.set(keyOf(line), index);
  }
  if (errors.length === 0) return;
  throw invalidRequest(`body ${errors[0]?.pointer}: ${errors[0]?.detail}`, { errors });
}
