/**
 * Returning sold stock and releasing reservations, each in one statement over all lines. Neither depends on the available
 * quantity. Rows are locked in the same order as in taking.ts.
 */
import { actorColumns, actorValues, type TenantDatabase } from '@carton/runtime';
import { isMissed, markLow, recomputeMissed } from '../levels-store.ts';
import { defaultLocation } from '../locations.ts';
import { arraysOf, newIds, type StockLine, type StockReference } from './lines.ts';

/** Whether a reference has a reservation. */
export async function isReserved(db: TenantDatabase, { type, id }: StockReference): Promise<boolean> {
  const rows = await db.query(
    'select 1 from stock_reservations where tenant_id = $1 and reference_type = $2 and reference_id = $3 limit 1',
    [type, id],
  );
  return rows.length > 0;
}

/** Which of these ids of a type have a reservation. */
export async function findReserved(db: TenantDatabase, type: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ referenceId: string }>(
    `select distinct reference_id from stock_reservations
      where tenant_id = $1 and reference_type = $2 and reference_id = any($3::uuid[])`,
    [type, ids],
  );
  return rows.map(({ referenceId }) => referenceId);
}

/**
 * Lines without a location return what the same reference has taken and not returned yet, by the ledger, whether or not the
 * item is tracked now: to other locations as far as it was taken there, the rest to the default location. Lines with a
 * location are goods that arrive there, whatever took them.
 */
const returnText = `
  with ledger as (
    select stock_item_id, location_id, -sum(quantity)::integer as quantity from stock_movements
     where tenant_id = $1 and reference_type = $9 and reference_id = $10
     group by 1, 2
  ),
  taken as (
    select stock_item_id, sum(quantity)::integer as quantity from ledger group by 1 having sum(quantity) > 0
  ),
  elsewhere as (
    select * from ledger where location_id <> '${defaultLocation}' and quantity > 0
  ),
  sources as (
    select line.variant_id, least(line.quantity, taken.quantity) as quantity, elsewhere.location_id,
           elsewhere.quantity as taken, coalesce(sum(elsewhere.quantity) over earlier, 0) as earlier
      from unnest($2::uuid[], $3::integer[]) as line (variant_id, quantity)
      join taken on taken.stock_item_id = line.variant_id
      left join elsewhere on elsewhere.stock_item_id = line.variant_id
     where line.quantity > 0
    window earlier as (partition by line.variant_id order by elsewhere.location_id
                       rows between unbounded preceding and 1 preceding)
  ),
  parts as (
    select placed.variant_id, placed.location_id, placed.quantity
      from unnest($4::uuid[], $5::uuid[], $6::integer[]) as placed (variant_id, location_id, quantity)
      join stock_items items
        on items.tenant_id = $1 and items.id = any($7::uuid[]) and items.id = placed.variant_id and items.tracked
    union all
    select variant_id, location_id, least(taken, greatest(quantity - earlier, 0)) from sources where taken > 0
    union all
    select variant_id, '${defaultLocation}', quantity - coalesce(sum(taken), 0)
      from sources group by variant_id, quantity
  ),
  returned as (
    select variant_id, location_id, sum(quantity)::integer as quantity from parts where quantity > 0 group by 1, 2
  ),
  locked as (
    select levels.stock_item_id, levels.location_id, levels.on_hand, levels.reserved, levels.low_at,
           levels.level_count, items.low
      from stock_items items
      join stock_levels levels
        on levels.tenant_id = $1 and levels.stock_item_id = any($7::uuid[]) and levels.stock_item_id = items.id
     where items.tenant_id = $1 and items.id = any($7::uuid[])
     order by levels.stock_item_id, levels.location_id
       for update of levels
  ),
  targets as (
    select locked.stock_item_id, locked.location_id, locked.on_hand, returned.quantity
      from locked
      join returned on returned.variant_id = locked.stock_item_id and returned.location_id = locked.location_id
  ),
  updated as (
    update stock_levels levels
       set on_hand = targets.on_hand + targets.quantity,
           back_ordered = targets.on_hand + targets.quantity < 0,
           updated_at = now()
      from targets
     where levels.tenant_id = $1 and levels.stock_item_id = any($7::uuid[])
       and levels.stock_item_id = targets.stock_item_id and levels.location_id = targets.location_id
       and (select count(*) from targets) > 0
  ),
  sums as (
    select locked.stock_item_id as id, max(locked.low_at) as low_at, locked.low,
           sum(locked.on_hand - locked.reserved) as before,
           sum(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0)) as after,
           bool_or(locked.on_hand > locked.reserved) as was_in_stock,
           bool_or(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0) > 0) as in_stock,
           ${isMissed('locked')} as missed
      from locked
      left join targets on targets.stock_item_id = locked.stock_item_id and targets.location_id = locked.location_id
     group by locked.stock_item_id, locked.low
  ),
  ${markLow},
  written as (
    insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, reference_type,
                                 reference_id, ${actorColumns})
    select $1, coalesce(($8::uuid[])[row_number() over ()], gen_random_uuid()), stock_item_id, location_id, quantity,
           'returned', $9, $10, $11, $12, $13
      from targets
  )
  select id as variant_id from sums where missed order by id`;

/** `$4`: only expired reservations, checked once locked, because the owner may have extended them. */
const releaseText = `
  with own_rows as materialized (
    select id, stock_item_id, location_id, quantity from stock_reservations
     where tenant_id = $1 and reference_type = $2 and reference_id = $3 and (not $4 or ends_at <= now())
     order by stock_item_id, location_id, id
       for update
  ),
  released as (
    delete from stock_reservations where tenant_id = $1 and id = any(array(select id from own_rows))
  ),
  locked as (
    select levels.stock_item_id, levels.location_id, levels.on_hand, levels.reserved, levels.low_at,
           levels.level_count
      from stock_levels levels
     where levels.tenant_id = $1 and levels.stock_item_id = any(array(select stock_item_id from own_rows))
     order by levels.stock_item_id, levels.location_id
       for update
  ),
  targets as (
    select own.*, locked.reserved
      from (select stock_item_id, location_id, sum(quantity)::integer as quantity from own_rows group by 1, 2) own
      join locked on locked.stock_item_id = own.stock_item_id and locked.location_id = own.location_id
  ),
  updated as (
    update stock_levels levels
       set reserved = targets.reserved - targets.quantity, updated_at = now()
      from targets
     where levels.tenant_id = $1 and levels.stock_item_id = targets.stock_item_id
       and levels.location_id = targets.location_id
       and (select count(*) from targets) > 0
  ),
  sums as (
    select locked.stock_item_id as id, max(locked.low_at) as low_at, null::boolean as low,
           sum(locked.on_hand - locked.reserved) as before,
           sum(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0)) as after,
           bool_or(locked.on_hand > locked.reserved) as was_in_stock,
           bool_or(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0) > 0) as in_stock,
           ${isMissed('locked')} as missed
      from locked
      left join targets on targets.stock_item_id = locked.stock_item_id and targets.location_id = locked.location_id
     group by locked.stock_item_id
  ),
  ${markLow}
  select targets.stock_item_id as variant_id, sum(targets.quantity)::integer as quantity, sums.missed
    from targets join sums on sums.id = targets.stock_item_id
   group by targets.stock_item_id, sums.missed order by targets.stock_item_id`;

/**
 * If a level is missing, locks the levels at the default location, which every item has, so that no item changes in the
 * meantime. `$4`: all variants that the transaction is about to move, to lock them in the common order.
 */
const openLevelsText = `
  with missing as (
    select place.variant_id, place.location_id
      from unnest($2::uuid[], $3::uuid[]) as place (variant_id, location_id)
     where not exists (select from stock_levels levels
                        where levels.tenant_id = $1 and levels.stock_item_id = place.variant_id
                          and levels.location_id = place.location_id)
  ),
  locked as (
    select levels.stock_item_id, levels.low_at, levels.level_count from stock_levels levels
     where levels.tenant_id = $1 and levels.stock_item_id = any($4::uuid[])
       and levels.location_id = '${defaultLocation}' and exists (select from missing)
     order by levels.stock_item_id
       for update
  ),
  opened as (
    insert into stock_levels (tenant_id, stock_item_id, location_id, low_at)
    select $1, missing.variant_id, missing.location_id, locked.low_at
      from missing join locked on locked.stock_item_id = missing.variant_id
     order by missing.variant_id, missing.location_id
        on conflict do nothing
    returning stock_item_id
  ),
  counts as (
    select locked.stock_item_id, locked.level_count + count(*)::integer as level_count
      from opened join locked on locked.stock_item_id = opened.stock_item_id
     group by locked.stock_item_id, locked.level_count
  )
  update stock_levels levels set level_count = counts.level_count
    from counts
   where levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[]) and levels.stock_item_id = counts.stock_item_id
     and levels.location_id = '${defaultLocation}'`;

/**
 * Creates missing levels of variants at locations, with nothing on hand.
 * @param moved all variants whose stock the transaction moves next
 */
export async function openLevels(
  tx: TenantDatabase,
  variantIds: readonly string[],
  locationIds: readonly string[],
  moved = variantIds,
): Promise<void> {
  await tx.query(openLevelsText, [variantIds, locationIds, moved]);
}

export async function returnLines(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  { type, id }: StockReference,
): Promise<void> {
  const { variantIds, anywhere, placed } = arraysOf(tx, lines);
  const { variantIds: placedIds, locationIds, quantities } = placed;
  const ids = newIds(variantIds.length + placedIds.length);
  const places = [placedIds, locationIds, quantities];
  const values = [variantIds, anywhere, ...places, variantIds, ids, type, id, ...actorValues(tx)];
  const opened = placedIds.length > 0 && openLevels(tx, placedIds, locationIds, variantIds);
  const [missed] = await Promise.all([tx.query<{ variantId: string }>(returnText, values), opened]);
  await recomputeMissed(tx, missed);
}

/**
 * Releases the reservation of a reference; returns the released quantity of each variant.
 * @param expiredOnly skip rows without an expiry or before it
 */
export async function releaseLines(
  tx: TenantDatabase,
  { type, id }: StockReference,
  expiredOnly = false,
): Promise<StockLine[]> {
  const released = await tx.query<StockLine & { missed: boolean }>(releaseText, [type, id, expiredOnly]);
  await recomputeMissed(
    tx,
    released.filter(({ missed }) => missed),
  );
  return released;
}
