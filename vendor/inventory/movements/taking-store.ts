/**
 * Taking stock to sell or reserve it, in one statement over all lines and locations: all lines or none.
 *
 * The statement locks the reservations of the reference, then all levels of the variants in order of variant and
 * location, which prevents deadlocks, and reads both as locked. New values are computed from those locked rows: an update
 * finds rows as of the statement's snapshot, and PostgreSQL checks constraints on values computed from them before it
 * rereads the newest version.
 *
 * Stock reserved under the reference is available to it and is taken first, from where it is reserved. The rest comes
 * from the first location that has all of it or, if none has, from several in order. A shortage becomes a back-order at
 * the first location, if the variant allows it.
 */
import type { TenantDatabase } from '@carton/runtime';
import { isMissed, markLow } from '../levels-store.ts';
import { newIds, type Outcome, type StockArrays, type StockReference } from './lines.ts';
import { recordColumns, recordFrom, recordOf } from './records-store.ts';

/**
 * The beginning of both statements; `$10` and `$11` are the reference of the reservation to consume. The redundant
 * `any(…)` conditions make even plans made while the tables were empty use the keys.
 */
const allocation = `
  own_rows as materialized (
    select id, stock_item_id, location_id, quantity from stock_reservations
     where tenant_id = $1 and reference_type = $10 and reference_id = $11
     order by stock_item_id, location_id, id
       for update
  ),
  own as (
    select stock_item_id, location_id, sum(quantity)::integer as quantity from own_rows group by 1, 2
  ),
  requested as (
    select line.variant_id, line.quantity, line.anywhere, items.tracked,
           items.back_order_policy = 'allow' as back_orders, items.low_stock_level, items.low
      from unnest($2::uuid[], $3::integer[], $4::integer[]) as line (variant_id, quantity, anywhere)
      left join stock_items items
        on items.tenant_id = $1 and items.id = any($2::uuid[]) and items.id = line.variant_id
  ),
  locked as (
    select levels.stock_item_id, levels.location_id, levels.on_hand, levels.reserved, levels.low_at,
           levels.level_count, requested.tracked, requested.low
      from stock_levels levels
      left join requested on requested.variant_id = levels.stock_item_id
     where levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[] || array(select stock_item_id from own))
       and (requested.tracked or levels.stock_item_id = any(array(select stock_item_id from own)))
     order by levels.stock_item_id, levels.location_id
       for update of levels
  ),
  usable as (
    select levels.stock_item_id, levels.location_id, levels.on_hand, levels.reserved, serving.place,
           coalesce(own.quantity, 0) as own, coalesce(placed.quantity, 0) as placed
      from locked levels
      left join own on own.stock_item_id = levels.stock_item_id and own.location_id = levels.location_id
      left join unnest($5::uuid[], $6::uuid[], $7::integer[]) as placed (variant_id, location_id, quantity)
        on placed.variant_id = levels.stock_item_id and placed.location_id = levels.location_id
      left join unnest($8::uuid[]) with ordinality as serving (location_id, place)
        on serving.location_id = levels.location_id
     where own.quantity > 0 or (levels.tracked and (serving.place > 0 or placed.quantity > 0))
  ),
  capacities as (
    select usable.*, requested.anywhere, requested.back_orders,
           usable.on_hand - usable.reserved + usable.own as available,
           greatest(usable.on_hand - usable.reserved + usable.own - usable.placed, 0) as capacity
      from usable join requested on requested.tracked and requested.variant_id = usable.stock_item_id
  ),
  reserved_capacities as (
    select capacities.*, least(capacity, greatest(own - placed, 0)) as reserved_capacity from capacities
  ),
  from_reservations as (
    select reserved_capacities.*,
           least(reserved_capacity, greatest(anywhere - coalesce(sum(reserved_capacity) over earlier, 0), 0))
             as from_reservation
      from reserved_capacities
    window earlier as (partition by stock_item_id order by place, location_id
                       rows between unbounded preceding and 1 preceding)
  ),
  remainders as (
    select from_reservations.*, anywhere - sum(from_reservation) over (partition by stock_item_id) as rest,
           case when place is null then 0 else capacity - from_reservation end as spare
      from from_reservations
  ),
  choices as (
    select remainders.*, min(place) over variant as first_place, sum(spare) over variant as spares,
           min(place) filter (where spare >= rest) over variant as single_place,
           coalesce(sum(spare) over earlier, 0) as earlier_spares
      from remainders
    window variant as (partition by stock_item_id),
           earlier as (partition by stock_item_id order by place, location_id
                       rows between unbounded preceding and 1 preceding)
  ),
  allocated as (
    select choices.*, (placed + from_reservation + case
             when single_place is not null then case when place = single_place then rest else 0 end
             else least(spare, greatest(rest - earlier_spares, 0))
                  + case when place = first_place then greatest(rest - spares, 0) else 0 end
           end)::integer as allocated,
           not back_orders and (placed > greatest(available, 0) or spares < rest) as short
      from choices
  ),
  outcomes as (
    select requested.variant_id, requested.quantity, requested.low_stock_level,
           coalesce(requested.tracked and (coalesce(bool_or(short), true) or sum(allocated) < requested.quantity), true)
             as refused,
           coalesce(sum(case when place is null then least(own + placed, greatest(available, 0))
                             else greatest(available, 0) end), 0)::integer as obtainable,
           (sum(available - own) filter (where place is not null))::integer as before,
           (sum(available - allocated) filter (where place is not null))::integer as after
      from requested left join allocated on allocated.stock_item_id = requested.variant_id
     group by requested.variant_id, requested.quantity, requested.low_stock_level, requested.tracked
  ),
  verdict as (
    select not exists (select from outcomes where refused) as possible
  ),
  changes as (
    select usable.stock_item_id, usable.location_id, usable.on_hand, usable.reserved, usable.own,
           coalesce(allocated.allocated, 0) as quantity, coalesce(allocated.back_orders, false) as back_orders
      from usable left join allocated
        on allocated.stock_item_id = usable.stock_item_id and allocated.location_id = usable.location_id
     where (usable.own > 0 or allocated.allocated > 0) and (select possible from verdict)
  ),
  consumed as (
    delete from stock_reservations
     where tenant_id = $1 and id = any(array(select id from own_rows)) and (select possible from verdict)
  ),
  sums as (
    select locked.stock_item_id as id, max(locked.low_at) as low_at, locked.low,
           sum(locked.on_hand - locked.reserved) as before,
           sum(locked.on_hand - locked.reserved + coalesce(changes.own - changes.quantity, 0)) as after,
           bool_or(locked.on_hand > locked.reserved) as was_in_stock,
           bool_or(locked.on_hand - locked.reserved + coalesce(changes.own - changes.quantity, 0) > 0) as in_stock,
           ${isMissed('locked')} as missed
      from locked
      left join changes
        on changes.stock_item_id = locked.stock_item_id and changes.location_id = locked.location_id
     group by locked.stock_item_id, locked.low
  ),
  ${markLow}`;

const changedLevel = `
  levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[] || array(select stock_item_id from own))
    and levels.stock_item_id = changes.stock_item_id and levels.location_id = changes.location_id`;

/** Outcomes that need handling, mostly none: variants that are short, became low, or have levels that were missed. */
const outcomesToHandle = `
  select variant_id, case when refused then 'refused' else 'low' end as kind, quantity,
         case when refused then obtainable else after end as available, coalesce(low_stock_level, 0) as low_stock_level
    from outcomes cross join verdict
   where case when possible then before > low_stock_level and after <= low_stock_level else refused end
  union all
  select id, 'missed', 0, 0, 0 from sums where missed`;

const takeText = `
  with ${allocation},
  updated as (
    update stock_levels levels
       set on_hand = changes.on_hand - changes.quantity,
           reserved = changes.reserved - changes.own,
           back_ordered = changes.on_hand < changes.quantity and (changes.back_orders or changes.quantity = 0),
           updated_at = now()
      from changes
     where ${changedLevel}
  ),
  written as (
    insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, ${recordColumns})
    select $1, coalesce(($9::uuid[])[row_number() over ()], gen_random_uuid()), stock_item_id, location_id, -quantity,
           'sold', ${recordColumns}
      from changes cross join ${recordFrom('$12')}
     where quantity > 0
  )
  ${outcomesToHandle}
  union all
  select stock_item_id, 'released', sum(own - quantity)::integer, 0, 0
    from changes where own > quantity group by stock_item_id
   order by variant_id`;

const reserveText = `
  with ${allocation},
  updated as (
    update stock_levels levels
       set reserved = changes.reserved - changes.own + changes.quantity, updated_at = now()
      from changes
     where ${changedLevel}
  ),
  written as (
    insert into stock_reservations (tenant_id, id, stock_item_id, location_id, quantity, reference_type, reference_id,
                                    ends_at)
    select $1, coalesce(($9::uuid[])[row_number() over ()], gen_random_uuid()), stock_item_id, location_id, quantity,
           $10, $11, $12::timestamptz
      from changes
     where quantity > 0
  )
  ${outcomesToHandle}
   order by variant_id`;

/** Serializes statements on a reservation with those that create it, because rows that do not exist yet cannot be locked. */
const lockReferenceText = `
  select pg_advisory_xact_lock(hashtextextended('stock_reservations ' || $1::text || ' ' || $2::text || ' ' || $3::text, 0))`;

/** Sends the lock on the reference and the statement that uses its reservation in one round trip. */
async function queryWithReferenceLock(
  tx: TenantDatabase,
  reference: StockReference | null,
  text: string,
  values: readonly unknown[],
): Promise<Outcome[]> {
  const locked = reference && tx.query(lockReferenceText, [reference.type, reference.id]);
  const [outcomes] = await Promise.all([tx.query<Outcome>(text, values), locked]);
  return outcomes;
}

function valuesOf({ variantIds, quantities, anywhere, placed }: StockArrays, serving: readonly string[]): unknown[] {
  const ids = newIds(variantIds.length * serving.length + placed.variantIds.length);
  const places = [placed.variantIds, placed.locationIds, placed.quantities];
  return [variantIds, quantities, anywhere, ...places, serving, ids];
}

/** Sells all lines or none, consuming the reservation under `reserved`; returns the outcomes that need handling. */
export function takeFromLocations(
  tx: TenantDatabase,
  arrays: StockArrays,
  serving: readonly string[],
  reference: StockReference,
  reserved: StockReference | null,
): Promise<Outcome[]> {
  const own = [reserved?.type ?? null, reserved?.id ?? null];
  const values = [...valuesOf(arrays, serving), ...own, recordOf(tx, reference)];
  return queryWithReferenceLock(tx, reserved, takeText, values);
}

/** Reserves all lines or none, replacing the reservation of the reference; returns the outcomes that need handling. */
export function reserveFromLocations(
  tx: TenantDatabase,
  arrays: StockArrays,
  serving: readonly string[],
  reference: StockReference,
  until: Date | null,
): Promise<Outcome[]> {
  const { type, id } = reference;
  return queryWithReferenceLock(tx, reference, reserveText, [...valuesOf(arrays, serving), type, id, until]);
}
