/**
 * Where stock is kept. A shop has one location until a package that keeps several says which of them serve a sale.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

/** The location every shop has: the nil UUID. Each variant has a level there from the beginning. */
export const defaultLocation = '00000000-0000-0000-0000-000000000000';

/** What is known of a sale that a choice of locations may turn on; whoever knows nothing leaves it out. */
export interface StockSale {
  channelId?: string | null;
  /** ISO 3166-1 alpha-2, of the shipping address. */
  country?: string | null;
}

/**
 * Answers the locations that serve a sale, those first from which stock is to be taken first. It is given what the
 * package before it answered, beginning with the default location alone, and may add to that, narrow or reorder it.
 * None at all: nothing can be had. It is asked in the transaction that takes the stock, and reads its own tables only.
 */
export type StockLocations = (
  db: TenantDatabase,
  locationIds: readonly string[],
  sale: StockSale,
) => Promise<readonly string[]>;

/** Which locations serve a sale. */
export const stockLocations = extensionPoint<StockLocations>('inventory.stock-locations');

const defaultOnly: readonly string[] = [defaultLocation];

/**
 * Does work with the locations that serve a sale. Without a contribution the work begins at once, so that its
 * statement stands before what its caller sends next.
 */
export function atServingLocations<T>(
  db: TenantDatabase,
  sale: StockSale,
  work: (locationIds: readonly string[]) => Promise<T>,
): Promise<T> {
  const contributed = stockLocations.of(db);
  return contributed.length === 0 ? work(defaultOnly) : askLocations(db, contributed, sale).then(work);
}

async function askLocations(
  db: TenantDatabase,
  contributed: readonly StockLocations[],
  sale: StockSale,
): Promise<readonly string[]> {
  let locationIds = defaultOnly;
  for (const choose of contributed) locationIds = await choose(db, locationIds, sale);
  return [...new Set(locationIds.map((id) => id.toLowerCase()))];
}
