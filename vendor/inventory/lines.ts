/**
 * Lines of a sale or of what comes back, as the statements that move stock take them.
 */
import { newId, type TenantDatabase } from '@carton/runtime';

export interface StockLine {
  variantId: string;
  /** One or more. */
  quantity: number;
  /** Where it is taken from or comes back to; left out, the locations that serve a sale are asked in their order. */
  locationId?: string | null;
}

/** What stock is moved or held for: an order, a cart, a return. */
export interface StockReference {
  type: string;
  id: string;
}

/** Lines added up, as parallel arrays in the order of the variants' ids. */
export interface StockArrays {
  variantIds: string[];
  /** How many of each variant, wherever from. */
  quantities: number[];
  /** How many of each variant of those lines that name no location. */
  anywhere: number[];
  placed: { variantIds: string[]; locationIds: string[]; quantities: number[] };
}

/** What is worth telling of a variant after stock was taken or refused. */
export interface Outcome {
  variantId: string;
  /** Could not be had; fell to its low-stock level; was reserved and is free again; has levels that were not seen. */
  kind: 'refused' | 'low' | 'freed' | 'missed';
  /** How many were wanted, or were freed. */
  quantity: number;
  /** How many could be had, or of what is low: how many are left. */
  available: number;
  lowStockLevel: number;
}

/** @throws Error outside a transaction, and for a quantity that is none */
export function arraysOf(db: TenantDatabase, lines: readonly StockLine[]): StockArrays {
  if (!db.inTransaction) throw new Error('stock is moved outside a transaction');
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
  const places = [...placed.values()];
  return {
    variantIds,
    quantities: variantIds.map((id) => quantities.get(id) as number),
    anywhere: variantIds.map((id) => anywhere.get(id) ?? 0),
    placed: {
      variantIds: places.map(({ variantId }) => variantId),
      locationIds: places.map(({ locationId }) => locationId),
      quantities: places.map(({ quantity }) => quantity),
    },
  };
}

/** Ids for as many rows as may be written. */
export function newIds(count: number): string[] {
  return Array.from({ length: count }, newId);
}
