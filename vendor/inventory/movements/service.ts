/**
 * Stock operations for other packages: selling, returning, reserving and releasing, all lines or none.
 */
import { findVariants } from '@carton/product';
import { publish, type TenantDatabase } from '@carton/runtime';
import { stockRanLow, stockReleased, stockReserved } from '../events.ts';
import { openLevels, recomputeLow } from '../levels-store.ts';
import { type StockSale, withServingLocations } from '../locations.ts';
import { insufficientStock } from '../problems.ts';
import { arraysOf, type Outcome, type StockLine, type StockReference } from './lines.ts';
import { releaseReserved } from './releasing-store.ts';
import { returnTaken } from './returning-store.ts';
import { takeAtOneLocation } from './taking-at-one-location-store.ts';
import { reserveFromLocations, takeFromLocations } from './taking-store.ts';

export interface TakeOptions {
  /** A reservation for the sale to consume: its stock is available to the sale, and its rest is released. */
  reserved?: StockReference;
  sale?: StockSale;
}

/**
 * Sells stock: takes all lines or none, in one statement, and writes the ledger. Lines of one variant are added up;
 * untracked items are always available and leave no movement. Call it in the transaction of the sale; it locks the
 * variants' stock until the transaction ends. Publishes `stock.ran_low` for items that fall to their low-stock level, and
 * `stock.released` for the rest of the reservation.
 * @throws insufficient_stock (409) naming the variants that are short and their available quantities
 */
export async function takeStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
  { reserved, sale = {} }: TakeOptions = {},
): Promise<void> {
  if (lines.length === 0) {
    if (reserved) await releaseStock(tx, reserved);
    return;
  }
  const outcomes = await withServingLocations(tx, sale, (serving) =>
    takeLines(tx, lines, serving, reference, reserved ?? null),
  );
  await handleOutcomes(tx, outcomes);
  if (reserved)
    await publishReleased(
      tx,
      reserved,
      outcomes.filter(({ kind }) => kind === 'released'),
    );
}

/**
 * Returns sold stock, all lines in one statement: for a canceled order or returned goods. A line without a location
 * returns to where the same reference took it, and no more than that: nothing of a variant that was not tracked when it
 * was sold, and what was taken of one that is not tracked any more. A line with a location is added there, whatever took it,
 * if its variant is tracked. Unknown variants are skipped. Call it in a transaction that ensures that it happens only once.
 */
export async function returnStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
): Promise<void> {
  if (lines.length === 0) return;
  const arrays = arraysOf(tx, lines);
  const { variantIds, locationIds } = arrays.placed;
  const opened = variantIds.length > 0 && openLevels(tx, variantIds, locationIds, arrays.variantIds);
  const [missed] = await Promise.all([returnTaken(tx, arrays, reference), opened]);
  await recomputeMissed(tx, missed);
}

export interface ReserveOptions {
  /** When the reservation expires; if omitted, it lasts until `releaseStock`. */
  until?: Date | null;
  sale?: StockSale;
}

/**
 * Reserves stock without selling it, all lines or none, and replaces the reservation of the same reference, including its
 * expiry; if there is not enough stock, the earlier reservation remains. An expired reservation remains usable until the
 * job releases it. `takeStock` with `reserved` sells it.
 * @throws insufficient_stock (409)
 */
export async function reserveStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
  { until = null, sale = {} }: ReserveOptions = {},
): Promise<void> {
  if (lines.length === 0) return releaseStock(tx, reference);
  await handleOutcomes(
    tx,
    await withServingLocations(tx, sale, (serving) =>
      reserveFromLocations(tx, arraysOf(tx, lines), serving, reference, until),
    ),
  );
  const reserved = lines.map(({ variantId, quantity }) => ({ variantId, quantity }));
  await publish(tx, stockReserved, reference, { reference, lines: reserved, endsAt: until?.toISOString() ?? null });
}

/** Sells all lines or none, consuming the reservation under `reserved`; returns the outcomes that need handling. */
function takeLines(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  serving: readonly string[],
  reference: StockReference,
  reserved: StockReference | null,
): Promise<Outcome[]> {
  const arrays = arraysOf(tx, lines);
  const [only, second] = serving;
  return only && !second && !reserved && arrays.placed.variantIds.length === 0
    ? takeAtOneLocation(tx, arrays, only, reference)
    : takeFromLocations(tx, arrays, serving, reference, reserved);
}

/** Releases the reservation of a reference; a no-op without one. */
export async function releaseStock(tx: TenantDatabase, reference: StockReference): Promise<void> {
  await publishReleased(tx, reference, await releaseLines(tx, reference, false));
}

/**
 * Releases the reservation of a reference if it has expired; not if it was sold or extended in the meantime.
 */
export async function releaseExpired(tx: TenantDatabase, reference: StockReference): Promise<void> {
  await publishReleased(tx, reference, await releaseLines(tx, reference, true));
}

/** Creates empty levels of variants at a location; existing levels are unaffected. */
export async function openStockLevels(
  tx: TenantDatabase,
  variantIds: readonly string[],
  locationId: string,
): Promise<void> {
  const locationIds = variantIds.map(() => locationId);
  if (variantIds.length > 0) await openLevels(tx, variantIds, locationIds);
}

/** Releases the reservation of a reference; returns the released quantity of each variant. */
async function releaseLines(tx: TenantDatabase, reference: StockReference, expiredOnly: boolean): Promise<StockLine[]> {
  const released = await releaseReserved(tx, reference, expiredOnly);
  await recomputeMissed(
    tx,
    released.filter(({ missed }) => missed),
  );
  return released;
}

async function publishReleased(
  tx: TenantDatabase,
  reference: StockReference,
  released: readonly { variantId: string; quantity: number }[],
): Promise<void> {
  if (released.length === 0) return;
  const lines = released.map(({ variantId, quantity }) => ({ variantId, quantity }));
  await publish(tx, stockReleased, reference, { reference, lines });
}

/** Throws if a variant is short; otherwise publishes `stock.ran_low` and recomputes items whose levels were missed. */
async function handleOutcomes(tx: TenantDatabase, outcomes: readonly Outcome[]): Promise<void> {
  const refused = outcomes.filter(({ kind }) => kind === 'refused');
  if (refused.length > 0) throw insufficientStock(await describeShortage(tx, refused));
  await recomputeMissed(
    tx,
    outcomes.filter(({ kind }) => kind === 'missed'),
  );
  for (const { kind, variantId, available, lowStockLevel } of outcomes) {
    if (kind !== 'low') continue;
    await publish(tx, stockRanLow, { type: 'stock_item', id: variantId }, { variantId, available, lowStockLevel });
  }
}

/**
 * Recomputes the columns of items whose levels a statement has missed. The locks on the other levels block all concurrent
 * changes, including new levels.
 */
async function recomputeMissed(tx: TenantDatabase, missed: readonly { variantId: string }[]): Promise<void> {
  for (const { variantId } of missed) await recomputeLow(tx, variantId);
}

async function describeShortage(db: TenantDatabase, lines: readonly Outcome[]): Promise<string> {
  const variants = await findVariants(
    db,
    lines.map(({ variantId }) => variantId),
  );
  const parts = lines.map(({ variantId, quantity, available }) => {
    const variant = variants.get(variantId);
    const name = variant ? (variant.sku ?? `${variant.productTitle} ${variant.title}`) : `variant ${variantId}`;
    return `${name}: ${quantity} requested, ${available} available`;
  });
  return `${parts.join('; ')}.`;
}
