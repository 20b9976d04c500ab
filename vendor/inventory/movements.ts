/**
 * Moving stock, each time in one statement over all lines. Every statement locks the levels it changes in the order
 * of the variants' ids, so that no two can wait for each other, and looks at them as they are once locked. New values
 * are made from those locked ones: the row that an update finds is as old as its statement, and PostgreSQL holds what
 * is made of that against the checks of the table before it turns to the newest.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import { defaultLocation } from './store.ts';

export interface StockLine {
  variantId: string;
  /** One or more. */
  quantity: number;
}

/** What stock is moved for: an order, a return. */
export interface StockReference {
  type: string;
  id: string;
}

/** A line worth telling of: one that could not be had, or one that brought its level to the low-stock level. */
export interface NotableLine {
  variantId: string;
  quantity: number;
  /** What was there before. */
  available: number;
  lowStockLevel: number;
  refused: boolean;
}

/**
 * The lines with what is stocked of them, locked; and whether all of them can be had. `any($2)` repeats what the joins
 * say, so that rows are reached by their keys even with a plan that was made while the tables were empty.
 */
const held = `
  wanted as (
    select line.variant_id, line.quantity, line.row_id, items.tracked,
           items.back_order_policy = 'allow' as back_orders, items.low_stock_level
      from unnest($2::uuid[], $3::integer[], $4::uuid[]) as line (variant_id, quantity, row_id)
      left join stock_items items
        on items.tenant_id = $1 and items.id = any($2::uuid[]) and items.id = line.variant_id
  ),
  held as (
    select wanted.*, levels.on_hand, levels.reserved, levels.on_hand - levels.reserved as available
      from wanted
      join stock_levels levels
        on levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[])
       and levels.location_id = '${defaultLocation}' and levels.stock_item_id = wanted.variant_id
     where wanted.tracked
     order by wanted.variant_id
       for update of levels
  ),
  verdict as (
    select not exists (select from wanted where tracked is null)
       and not exists (select from held where not back_orders and available < quantity) as possible
  )`;

/** Nothing, mostly: only the lines that could not be had, or those that became low. */
const notable = `
  select wanted.variant_id, wanted.quantity, coalesce(held.available, 0) as available,
         coalesce(wanted.low_stock_level, 0) as low_stock_level, not verdict.possible as refused
    from verdict cross join wanted left join held on held.variant_id = wanted.variant_id
   where case when verdict.possible
              then held.available > held.low_stock_level and held.available - held.quantity <= held.low_stock_level
              else wanted.tracked is null or (not held.back_orders and held.available < held.quantity) end`;

const levelOfHeld = `
  levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[]) and levels.location_id = '${defaultLocation}'
    and levels.stock_item_id = held.variant_id and (select possible from verdict)`;

const takeText = `
  with ${held},
  taken as (
    update stock_levels levels
       set on_hand = held.on_hand - held.quantity,
           back_ordered = held.back_orders and held.on_hand < held.quantity,
           updated_at = now()
      from held
     where ${levelOfHeld}
  ),
  written as (
    insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, reference_type,
                                 reference_id, actor_type, actor_id, actor_label)
    select $1, row_id, variant_id, '${defaultLocation}', -quantity, 'sold', $5, $6, $7, $8, $9
      from held
     where (select possible from verdict)
  )
  ${notable}`;

const reserveText = `
  with ${held},
  taken as (
    update stock_levels levels
       set reserved = held.reserved + held.quantity, updated_at = now()
      from held
     where ${levelOfHeld}
  ),
  written as (
    insert into stock_reservations (tenant_id, id, stock_item_id, location_id, quantity, reference_type, reference_id)
    select $1, row_id, variant_id, '${defaultLocation}', quantity, $5, $6
      from held
     where (select possible from verdict)
  )
  ${notable}`;

const returnText = `
  with held as (
    select line.variant_id, line.row_id, line.quantity, levels.on_hand
      from unnest($2::uuid[], $3::integer[], $4::uuid[]) as line (variant_id, quantity, row_id)
      join stock_items items
        on items.tenant_id = $1 and items.id = any($2::uuid[]) and items.id = line.variant_id and items.tracked
      join stock_levels levels
        on levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[])
       and levels.location_id = '${defaultLocation}' and levels.stock_item_id = line.variant_id
     order by line.variant_id
       for update of levels
  ),
  put as (
    update stock_levels levels
       set on_hand = held.on_hand + held.quantity,
           back_ordered = held.on_hand + held.quantity < 0,
           updated_at = now()
      from held
     where levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[])
       and levels.location_id = '${defaultLocation}' and levels.stock_item_id = held.variant_id
       and (select count(*) from held) > 0
  )
  insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, reference_type,
                               reference_id, actor_type, actor_id, actor_label)
  select $1, row_id, variant_id, '${defaultLocation}', quantity, 'returned', $5, $6, $7, $8, $9
    from held`;

const releaseText = `
  with released as (
    delete from stock_reservations
     where tenant_id = $1 and reference_type = $2 and reference_id = $3
    returning stock_item_id, location_id, quantity
  ),
  held as (
    select sums.*, levels.reserved
      from (select stock_item_id, location_id, sum(quantity)::integer as quantity from released group by 1, 2) sums
      join stock_levels levels
        on levels.tenant_id = $1 and levels.stock_item_id = sums.stock_item_id
       and levels.location_id = sums.location_id
     order by sums.stock_item_id, sums.location_id
       for update of levels
  ),
  freed as (
    update stock_levels levels
       set reserved = held.reserved - held.quantity, updated_at = now()
      from held
     where levels.tenant_id = $1 and levels.stock_item_id = held.stock_item_id
       and levels.location_id = held.location_id
       and (select count(*) from held) > 0
  )
  select stock_item_id as variant_id, quantity from held order by stock_item_id`;

/** Lines as arrays, one place a variant, each with an id for the row that is written of it. */
function arraysOf(db: TenantDatabase, lines: readonly StockLine[]): [string[], number[], string[]] {
  if (!db.inTransaction) throw new Error('stock is moved outside a transaction');
  const quantities = new Map<string, number>();
  for (const { variantId, quantity } of lines) {
    if (!Number.isSafeInteger(quantity) || quantity < 1) throw new Error(`a line has the quantity ${quantity}`);
    quantities.set(variantId, (quantities.get(variantId) ?? 0) + quantity);
  }
  const variantIds = [...quantities.keys()].sort();
  return [variantIds, variantIds.map((id) => quantities.get(id) as number), variantIds.map(() => newId())];
}

function actorOf({ actor }: TenantDatabase): (string | null)[] {
  return [actor?.type ?? null, actor?.id ?? null, actor?.label ?? null];
}

/** Takes all lines or none; answers what is notable of it. */
export async function takeLines(
  db: TenantDatabase,
  lines: readonly StockLine[],
  { type, id }: StockReference,
): Promise<NotableLine[]> {
  return db.query<NotableLine>(takeText, [...arraysOf(db, lines), type, id, ...actorOf(db)]);
}

/** Reserves all lines or none; answers what is notable of it. */
export async function reserveLines(
  db: TenantDatabase,
  lines: readonly StockLine[],
  { type, id }: StockReference,
): Promise<NotableLine[]> {
  return db.query<NotableLine>(reserveText, [...arraysOf(db, lines), type, id]);
}

export async function returnLines(
  db: TenantDatabase,
  lines: readonly StockLine[],
  { type, id }: StockReference,
): Promise<void> {
  await db.query(returnText, [...arraysOf(db, lines), type, id, ...actorOf(db)]);
}

/** Frees what is reserved for a reference; answers how much of each variant that was. */
export function releaseLines(db: TenantDatabase, { type, id }: StockReference): Promise<StockLine[]> {
  return db.query<StockLine>(releaseText, [type, id]);
}
