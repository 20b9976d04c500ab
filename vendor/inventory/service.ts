/**
 * Rules of stock for other packages: what can be had, all lines or none; what is held, for how long, and given back.
 */
import { findVariants } from '@carton/product';
import { defineProblem, publish, type TenantDatabase } from '@carton/runtime';
import { stockLow, stockReleased, stockReserved } from './events.ts';
import type { Outcome, StockLine, StockReference } from './lines.ts';
import { atServingLocations, type StockSale } from './locations.ts';
import { settleMissed } from './lowness.ts';
import { openLevels, releaseLines, returnLines } from './returning.ts';
import { reserveLines, takeLines } from './taking.ts';

export const insufficientStock = defineProblem({
  code: 'insufficient_stock',
  status: 409,
  title: 'There is not enough in stock',
});

export interface TakeOptions {
  /** A reservation that the sale uses up: it counts as available to the sale, and what is left of it is freed. */
  reserved?: StockReference;
  sale?: StockSale;
}

/**
 * Sells stock: takes all lines or none, in one statement, and writes the ledger. Lines of one variant are added up;
 * what is not tracked is always there and leaves no movement. Call it in the transaction of the sale; it locks the
 * variants' stock until that ends. Writes `stock.low` for what fell to its low-stock level, and `stock.released` for
 * what is left of the reservation.
 * @throws insufficient_stock (409) naming what is short and how many there are
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
  const outcomes = await atServingLocations(tx, sale, (serving) =>
    takeLines(tx, lines, serving, reference, reserved ?? null),
  );
  await settle(tx, outcomes);
  if (reserved)
    await announceReleased(
      tx,
      reserved,
      outcomes.filter(({ kind }) => kind === 'freed'),
    );
}

/**
 * Puts back what was sold, all lines in one statement: for a canceled order or goods that came back. A line that names
 * no location goes back to where the same reference has taken it. What is not tracked, or not known, is passed over.
 * Call it in the transaction that makes sure it happens once.
 */
export async function returnStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
): Promise<void> {
  if (lines.length > 0) await returnLines(tx, lines, reference);
}

export interface ReserveOptions {
  /** When the reservation ends by itself; left out, it stands until `releaseStock`. */
  until?: Date | null;
  sale?: StockSale;
}

/**
 * Holds stock for somebody without selling it, all lines or none. What the reference holds already is replaced: what is
 * more is taken, what is less is freed, and the end moves; refused, it stays as it was. After its end a reservation
 * goes on until the job lets it go, and whoever sells it first has it. `takeStock` with `reserved` sells it.
 * @throws insufficient_stock (409)
 */
export async function reserveStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
  { until = null, sale = {} }: ReserveOptions = {},
): Promise<void> {
  if (lines.length === 0) return releaseStock(tx, reference);
  await settle(tx, await atServingLocations(tx, sale, (serving) => reserveLines(tx, lines, serving, reference, until)));
  const held = lines.map(({ variantId, quantity }) => ({ variantId, quantity }));
  await publish(tx, stockReserved, reference, { reference, lines: held, endsAt: until?.toISOString() ?? null });
}

/** Frees everything that is reserved for a reference; nothing happens when that is nothing. */
export async function releaseStock(tx: TenantDatabase, reference: StockReference): Promise<void> {
  await announceReleased(tx, reference, await releaseLines(tx, reference));
}

/**
 * Frees what is reserved for a reference if it has come to its end: not what has been sold or prolonged meanwhile.
 */
export async function releaseEnded(tx: TenantDatabase, reference: StockReference): Promise<void> {
  await announceReleased(tx, reference, await releaseLines(tx, reference, true));
}

/** Begins to keep variants at a location, with nothing on hand; where they are kept already nothing happens. */
export async function openStockLevels(
  tx: TenantDatabase,
  variantIds: readonly string[],
  locationId: string,
): Promise<void> {
  const locationIds = variantIds.map(() => locationId);
  if (variantIds.length > 0) await openLevels(tx, variantIds, locationIds);
}

async function announceReleased(
  tx: TenantDatabase,
  reference: StockReference,
  freed: readonly { variantId: string; quantity: number }[],
): Promise<void> {
  if (freed.length === 0) return;
  const lines = freed.map(({ variantId, quantity }) => ({ variantId, quantity }));
  await publish(tx, stockReleased, reference, { reference, lines });
}

/** Refuses what could not be had, else tells of what became low, and counts what was not seen. */
async function settle(tx: TenantDatabase, outcomes: readonly Outcome[]): Promise<void> {
  const refused = outcomes.filter(({ kind }) => kind === 'refused');
  if (refused.length > 0) throw insufficientStock(await describeShortage(tx, refused));
  await settleMissed(
    tx,
    outcomes.filter(({ kind }) => kind === 'missed'),
  );
  for (const { kind, variantId, available, lowStockLevel } of outcomes) {
    if (kind !== 'low') continue;
    await publish(tx, stockLow, { type: 'stock_item', id: variantId }, { variantId, available, lowStockLevel });
  }
}

async function describeShortage(db: TenantDatabase, lines: readonly Outcome[]): Promise<string> {
  const variants = await findVariants(
    db,
    lines.map(({ variantId }) => variantId),
  );
  const parts = lines.map(({ variantId, quantity, available }) => {
    const variant = variants.get(variantId);
    const name = variant ? (variant.sku ?? `${variant.productTitle} ${variant.title}`) : `variant ${variantId}`;
    return `${name}: ${quantity} wanted, ${available} available`;
  });
  return `${parts.join('; ')}.`;
}
