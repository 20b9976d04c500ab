/**
 * Stock locations. A tenant has one location unless a package with several decides which of them serve a sale.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

/** The default location of every tenant: the nil UUID. Every variant has a level there. */
export const defaultLocation = '00000000-0000-0000-0000-000000000000';

/** The properties of a sale that may decide its locations; omitted if unknown. */
export interface StockSale {
  channelId?: string | null;
  /** ISO 3166-1 alpha-2, of the shipping address. */
  country?: string | null;
}

/**
 * Returns the locations that serve a sale, in order of preference. Receives the result of the previous package, starting
 * with only the default location, and may extend, narrow or reorder it. Without any location, no stock is available. Runs
 * in the transaction that takes the stock, and must read only its own tables.
 */
export type StockLocations = (
  db: TenantDatabase,
  locationIds: readonly string[],
  sale: StockSale,
) => Promise<readonly string[]>;

/** Extension point that decides which locations serve a sale. */
export const stockLocations = extensionPoint<StockLocations>('inventory.stock-locations');

const defaultOnly: readonly string[] = [defaultLocation];

/**
 * Calls `work` with the locations that serve a sale. Without contributions it is called synchronously, so that its
 * statement is sent before those that the caller sends next.
 */
export function withServingLocations<T>(
  db: TenantDatabase,
  sale: StockSale,
  work: (locationIds: readonly string[]) => Promise<T>,
): Promise<T> {
  const contributed = stockLocations.of(db);
  return contributed.length === 0 ? work(defaultOnly) : resolveLocations(db, contributed, sale).then(work);
}

async function resolveLocations(
  db: TenantDatabase,
  contributed: readonly StockLocations[],
  sale: StockSale,
): Promise<readonly string[]> {
  let locationIds = defaultOnly;
  for (const choose of contributed) locationIds = await choose(db, locationIds, sale);
  return [...new Set(locationIds.map((id) => id.toLowerCase()))];
}
