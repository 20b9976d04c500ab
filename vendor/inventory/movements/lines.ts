/**
 * Lines of sales, returns and reservations, and their conversion to statement parameters.
 */
import { newId, type TenantDatabase } from '@carton/runtime';

export interface StockLine {
  variantId: string;
  /** One or more. */
  quantity: number;
  /** The location to take from or return to; if omitted, the locations that serve the sale, in their order. */
  locationId?: string | null;
}

/** The reason why stock is moved or reserved: an order, a cart, a return. */
export interface StockReference {
  type: string;
  id: string;
}

/** Lines added up per variant, as parallel arrays ordered by variant id. */
export interface StockArrays {
  variantIds: string[];
  /** Total quantity of each variant. */
  quantities: number[];
  /** Quantity of each variant in lines without a location. */
  anywhere: number[];
  placed: { variantIds: string[]; locationIds: string[]; quantities: number[] };
}

/** An outcome of a stock statement that the caller has to handle. */
export interface Outcome {
  variantId: string;
  /** Short of stock; fell to its low-stock level; rest of a reservation released; has levels that the statement missed. */
  kind: 'refused' | 'low' | 'released' | 'missed';
  /** The quantity requested, or released. */
  quantity: number;
  /** The quantity available; for `low`, the quantity left. */
  available: number;
  lowStockLevel: number;
}

/** @throws Error outside a transaction, and for an invalid quantity */
export function arraysOf(db: TenantDatabase, lines: readonly StockLine[]): StockArrays {
  if (!db.inTransaction) throw new Error('stock operations must run in a transaction');
  const quantities = new Map<string, number>();
  const anywhere = new Map<string, number>();
  const placed = new Map<string, { variantId: string; locationId: string; quantity: number }>();
  for (const line of lines) {
    const { quantity } = line;
    if (!Number.isSafeInteger(quantity) || quantity < 1) throw new Error(`a line has the quantity ${quantity}`);
    const variantId = line.variantId.toLowerCase();
    quantities.set(variantId, (quantities.get(variantId) ?? 0) + quantity);
    if (!line.locationId) {
      anywhere.set(variantId, (anywhere.get(variantId) ?? 0) + quantity);
      continue;
    }
    const locationId = line.locationId.toLowerCase();
    const key = `${variantId} ${locationId}`;
    placed.set(key, { variantId, locationId, quantity: (placed.get(key)?.quantity ?? 0) + quantity });
  }
  const variantIds = [...quantities.keys()].sort();
  const placedLines = [...placed.values()];
  return {
    variantIds,
    quantities: variantIds.map((id) => quantities.get(id) as number),
    anywhere: variantIds.map((id) => anywhere.get(id) ?? 0),
    placed: {
      variantIds: placedLines.map(({ variantId }) => variantId),
      locationIds: placedLines.map(({ locationId }) => locationId),
      quantities: placedLines.map(({ quantity }) => quantity),
    },
  };
}

/** Generates ids for new rows. */
export function newIds(count: number): string[] {
  return Array.from({ length: count }, newId);
}
