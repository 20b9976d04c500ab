/**
 * Queries of stock items and of the ledger of their changes, to which those that move stock (`movements/`) also write.
 */
import { isPublishedProduct } from '@carton/product';
import { actedBy, json, newId, rows, type TenantDatabase } from '@carton/runtime';
import type { LevelRow } from '../levels-store.ts';
import { defaultLocation } from '../locations.ts';
import type { backOrderPolicies, StockMovement } from './schemas.ts';

export interface StockItemRow {
  id: string;
  tracked: boolean;
  backOrderPolicy: (typeof backOrderPolicies)[number];
  lowStockLevel: number;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/**
 * Creates the items of variants: tracked, none on hand.
 * @param productIds the product of each variant, in their order
 */
export async function insertItems(
  db: TenantDatabase,
  variantIds: readonly string[],
  productIds: readonly (string | null)[],
): Promise<void> {
  await db.query(
    `with items as (
       insert into stock_items (tenant_id, id, product_id)
       select $1, * from unnest($2::uuid[], $3::uuid[]) returning id
     ),
     counted as (
       insert into product_stock (tenant_id, product_id, units)
       select distinct $1, of_items.id, 0 from unnest($3::uuid[]) as of_items (id)
        where ${isPublishedProduct('of_items.id')}
       on conflict (tenant_id, product_id) do nothing
     )
     insert into stock_levels (tenant_id, stock_item_id, location_id) select $1, id, '${defaultLocation}' from items`,
    [variantIds, productIds],
  );
}

/** Changes of levels count as changes of their item in `updatedAfter` lists. */
export const stockItems = rows<StockItemRow>({
  table: 'stock_items',
  noun: 'stock item',
  filters: { variantId: (listed, id: string) => listed.where('stock_items.id', id) },
  changeSource: { table: 'stock_levels', id: 'stock_item_id', resource: 'product_variants' },
});

export const { page: listMovements } = rows<StockMovement>({ table: 'stock_movements', noun: 'movement' });

type ItemPatch = Partial<
  Pick<StockItemRow, 'tracked' | 'backOrderPolicy' | 'lowStockLevel' | 'externalId' | 'metadata'>
>;

/** Returns the changed row, if there is one. */
export function updateItem(db: TenantDatabase, id: string, patch: ItemPatch): Promise<unknown[]> {
  const metadata = patch.metadata && json(patch.metadata);
  return db.update('stock_items', { id }, { ...patch, metadata, updatedAt: new Date() });
}

/** Writes a movement that staff made. */
export function insertMovement(
  db: TenantDatabase,
  { stockItemId, locationId }: Pick<LevelRow, 'stockItemId' | 'locationId'>,
  movement: { quantity: number; reason: string; note: string | null },
): Promise<StockMovement> {
  return db.insert<StockMovement>('stock_movements', {
    ...{ id: newId(), stockItemId, locationId, ...movement },
    ...actedBy(db),
  });
}

/**
 * SQL condition: the stock of a variant is tracked. For statements of other packages; `$1` is the tenant.
 * @param variantId the column or parameter with its id
 */
export function isTracked(variantId: string): string {
  return `exists (select from stock_items where stock_items.tenant_id = $1 and stock_items.id = ${variantId}
                     and stock_items.tracked)`;
}
