/**
 * Rules of prices: one per variant, currency and region; a region's prices are in its currency.
 */
import { findVariants, type PriceRequest, type VariantPrice } from '@carton/product';
import { findRegion, holdRegion, type RegionRow } from '@carton/region';
import { type FieldError, invalidRequest, notFound, publish, type TenantDatabase } from '@carton/runtime';
import { priceUpdated } from './events.ts';
import { resolvePrices } from './resolver.ts';
import type { PriceLine } from './schemas.ts';
import type { PriceItem } from './sources.ts';
import { changeAmount, findPrices, insertPrice, lockPrices, type PriceRow, removePrices } from './store.ts';

/** Identifies a price; a request with a duplicate key would set it twice. */
function keyOf({ variantId, currency, regionId }: { variantId: string; currency: string; regionId?: string | null }) {
  return `${variantId} ${currency} ${regionId ?? ''}`;
}

/** @throws not_found (404), also for a deleted variant */
export async function listPrices(db: TenantDatabase, id: string): Promise<PriceRow[]> {
  return findPrices(db, [await requireVariant(db, id)]);
}

/** The stored id of a variant. @throws not_found (404) */
async function requireVariant(db: TenantDatabase, id: string): Promise<string> {
  const [variant] = (await findVariants(db, [id])).values();
  if (!variant || variant.deleted) throw notFound(`No variant has the id ${id}.`);
  return variant.id;
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
    if (removed.length > 0)
      await removePrices(
        tx,
        removed.map(({ id }) => id),
      );
    const changed = await writeLines(tx, before, lines);
    if (removed.length > 0) changed.add(variantId);
    return publishChanges(tx, [variantId], changed);
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
    const changed = await writeLines(tx, await findPrices(tx, variantIds), lines);
    const rows = await publishChanges(tx, variantIds, changed);
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    return lines.map((line) => byKey.get(keyOf(line)) as PriceRow);
  });
}

/** Writes the lines that differ; returns the variants that changed. */
async function writeLines(
  tx: TenantDatabase,
  before: readonly PriceRow[],
  lines: readonly PriceLine[],
): Promise<Set<string>> {
  const byKey = new Map(before.map((row) => [keyOf(row), row]));
  const changed = new Set<string>();
  for (const line of lines) {
    const row = byKey.get(keyOf(line));
    if (row?.amount === line.amount) continue;
    if (row) await changeAmount(tx, row.id, line.amount);
    else await insertPrice(tx, line);
    changed.add(line.variantId);
  }
  return changed;
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
    const prices = (byVariant.get(id) ?? []).map(({ currency, regionId, amount }) => ({ currency, regionId, amount }));
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

/**
 * Prices for the pages of product, in a currency or in the currency of a region.
 * @throws invalid_request (400) for an unknown region, or one with another currency
 */
export async function priceVariants(
  db: TenantDatabase,
  variantIds: readonly string[],
  { currency: requested, regionId, quantity = 1, memberId = null }: PriceRequest,
): Promise<Map<string, VariantPrice>> {
  const currency = regionId ? await currencyOfRegion(db, regionId, requested) : requested;
  if (currency === undefined || variantIds.length === 0) return new Map();
  const items = variantIds.map((variantId) => ({ variantId, quantity, properties: {} }));
  const context = { currency, regionId: regionId ?? null, memberId, channelId: null, time: new Date() };
  const prices = await resolvePrices(db, items, context);
  return new Map(
    prices.flatMap((price, position): [string, VariantPrice][] => {
      const { variantId } = items[position] as PriceItem;
      return price ? [[variantId, { amount: price.amount, currency, compareAt: price.compareAt }]] : [];
    }),
  );
}

async function currencyOfRegion(db: TenantDatabase, regionId: string, requested: string | undefined): Promise<string> {
  const region = await findRegion(db, regionId);
  if (!region) throw invalidQuery('/regionId', 'is not a region of this store');
  if (requested !== undefined && requested !== region.currency) {
    throw invalidQuery('/currency', `must be ${region.currency}, the currency of the region`);
  }
  return region.currency;
}

function invalidQuery(pointer: string, detail: string) {
  return invalidRequest(`query ${pointer}: ${detail}`, { errors: [{ in: 'query', pointer, detail }] });
}
