/**
 * Taking stock, for a sale or to hold it, in one statement over all lines and locations: all of it or none.
 *
 * The statement locks what is reserved under the reference, then all levels of the variants in the order of variants and
 * locations, so that no two can wait for each other, and looks at both as they are once locked. New values are made
 * from those locked ones: the row that an update finds is as old as its statement, and PostgreSQL holds what is made of
 * that against the checks of the table before it turns to the newest.
 *
 * A reservation is there for whom it is: what is reserved under the reference is available to it, taken first and from
 * where it is reserved. The rest is taken from the first location that has all of it, or where none has, from one after
 * the other. What is still missing is owed by the first, if the variant may be back-ordered.
 */
import { actorColumns, actorValues, type TenantDatabase } from '@carton/runtime';
import { arraysOf, newIds, type Outcome, type StockArrays, type StockLine, type StockReference } from './lines.ts';
import { isMissed, markLow } from './lowness.ts';
import { takeAtOne } from './taking-at-one.ts';

/**
 * What both statements begin with; `$10` and `$11` name the reservation that is used up. Rows are reached by `any(…)`
 * besides what the joins say, so that it goes by keys even with a plan that was made while the tables were empty.
 */
const allotment = `
  own_rows as materialized (
    select id, stock_item_id, location_id, quantity from stock_reservations
     where tenant_id = $1 and reference_type = $10 and reference_id = $11
     order by stock_item_id, location_id, id
       for update
  ),
  own as (
    select stock_item_id, location_id, sum(quantity)::integer as quantity from own_rows group by 1, 2
  ),
  wanted as (
    select line.variant_id, line.quantity, line.anywhere, items.tracked,
           items.back_order_policy = 'allow' as back_orders, items.low_stock_level, items.low
      from unnest($2::uuid[], $3::integer[], $4::integer[]) as line (variant_id, quantity, anywhere)
      left join stock_items items
        on items.tenant_id = $1 and items.id = any($2::uuid[]) and items.id = line.variant_id
  ),
  locked as (
    select levels.stock_item_id, levels.location_id, levels.on_hand, levels.reserved, levels.low_at,
           levels.level_count, wanted.tracked, wanted.low
      from stock_levels levels
      left join wanted on wanted.variant_id = levels.stock_item_id
     where levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[] || array(select stock_item_id from own))
       and (wanted.tracked or levels.stock_item_id = any(array(select stock_item_id from own)))
     order by levels.stock_item_id, levels.location_id
       for update of levels
  ),
  held as (
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
  rooms as (
    select held.*, wanted.anywhere, wanted.back_orders,
           held.on_hand - held.reserved + held.own as available,
           greatest(held.on_hand - held.reserved + held.own - held.placed, 0) as room
      from held join wanted on wanted.tracked and wanted.variant_id = held.stock_item_id
  ),
  promised as (
    select rooms.*, least(room, greatest(own - placed, 0)) as promise from rooms
  ),
  kept as (
    select promised.*, least(promise, greatest(anywhere - coalesce(sum(promise) over earlier, 0), 0)) as kept
      from promised
    window earlier as (partition by stock_item_id order by place, location_id
                       rows between unbounded preceding and 1 preceding)
  ),
  remaining as (
    select kept.*, anywhere - sum(kept) over (partition by stock_item_id) as rest,
           case when place is null then 0 else room - kept end as spare
      from kept
  ),
  choices as (
    select remaining.*, min(place) over variant as first_place, sum(spare) over variant as spares,
           min(place) filter (where spare >= rest) over variant as whole_place,
           coalesce(sum(spare) over earlier, 0) as earlier_spares
      from remaining
    window variant as (partition by stock_item_id),
           earlier as (partition by stock_item_id order by place, location_id
                       rows between unbounded preceding and 1 preceding)
  ),
  allotted as (
    select choices.*, (placed + kept + case
             when whole_place is not null then case when place = whole_place then rest else 0 end
             else least(spare, greatest(rest - earlier_spares, 0))
                  + case when place = first_place then greatest(rest - spares, 0) else 0 end
           end)::integer as allotted,
           not back_orders and (placed > greatest(available, 0) or spares < rest) as short
      from choices
  ),
  outcomes as (
    select wanted.variant_id, wanted.quantity, wanted.low_stock_level,
           coalesce(wanted.tracked and (coalesce(bool_or(short), true) or sum(allotted) < wanted.quantity), true)
             as refused,
           coalesce(sum(case when place is null then least(own + placed, greatest(available, 0))
                             else greatest(available, 0) end), 0)::integer as obtainable,
           (sum(available - own) filter (where place is not null))::integer as before,
           (sum(available - allotted) filter (where place is not null))::integer as after
      from wanted left join allotted on allotted.stock_item_id = wanted.variant_id
     group by wanted.variant_id, wanted.quantity, wanted.low_stock_level, wanted.tracked
  ),
  verdict as (
    select not exists (select from outcomes where refused) as possible
  ),
  changes as (
    select held.stock_item_id, held.location_id, held.on_hand, held.reserved, held.own,
           coalesce(allotted.allotted, 0) as quantity, coalesce(allotted.back_orders, false) as back_orders
      from held left join allotted
        on allotted.stock_item_id = held.stock_item_id and allotted.location_id = held.location_id
     where (held.own > 0 or allotted.allotted > 0) and (select possible from verdict)
  ),
  used_up as (
    delete from stock_reservations
     where tenant_id = $1 and id = any(array(select id from own_rows)) and (select possible from verdict)
  ),
  sums as (
    select locked.stock_item_id as id, max(locked.low_at) as low_at, locked.low,
           sum(locked.on_hand - locked.reserved) as before,
           sum(locked.on_hand - locked.reserved + coalesce(changes.own - changes.quantity, 0)) as after,
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

/** Nothing, mostly: only what could not be had, what became low, or has levels that were not seen. */
const notable = `
  select variant_id, case when refused then 'refused' else 'low' end as kind, quantity,
         case when refused then obtainable else after end as available, coalesce(low_stock_level, 0) as low_stock_level
    from outcomes cross join verdict
   where case when possible then before > low_stock_level and after <= low_stock_level else refused end
  union all
  select id, 'missed', 0, 0, 0 from sums where missed`;

const takeText = `
  with ${allotment},
  taken as (
    update stock_levels levels
       set on_hand = changes.on_hand - changes.quantity,
           reserved = changes.reserved - changes.own,
           back_ordered = changes.on_hand < changes.quantity and (changes.back_orders or changes.quantity = 0),
           updated_at = now()
      from changes
     where ${changedLevel}
  ),
  written as (
    insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, reference_type,
                                 reference_id, ${actorColumns})
    select $1, coalesce(($9::uuid[])[row_number() over ()], gen_random_uuid()), stock_item_id, location_id, -quantity,
           'sold', $12, $13, $14, $15, $16
      from changes
     where quantity > 0
  )
  ${notable}
  union all
  select stock_item_id, 'freed', sum(own - quantity)::integer, 0, 0
    from changes where own > quantity group by stock_item_id
   order by variant_id`;

const reserveText = `
  with ${allotment},
  taken as (
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
  ${notable}
   order by variant_id`;

/** Whoever uses a reservation waits here for whoever is about to make it: rows that are not there yet cannot be locked. */
const lockReferenceText = `
  select pg_advisory_xact_lock(hashtextextended('stock_reservations ' || $1::text || ' ' || $2::text || ' ' || $3::text, 0))`;

/** Sends the statement that uses a reservation behind the lock of its reference, both in one round trip. */
async function alone(
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

/** Sells all lines or none, with what is reserved under `reserved`; answers what is notable of it. */
export function takeLines(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  serving: readonly string[],
  reference: StockReference,
  reserved: StockReference | null,
): Promise<Outcome[]> {
  const arrays = arraysOf(tx, lines);
  const [only, second] = serving;
  if (only && !second && !reserved && arrays.placed.variantIds.length === 0) {
    return takeAtOne(tx, arrays, only, reference);
  }
  const own = [reserved?.type ?? null, reserved?.id ?? null];
  const { type, id } = reference;
  return alone(tx, reserved, takeText, [...valuesOf(arrays, serving), ...own, type, id, ...actorValues(tx)]);
}

/** Reserves all lines or none in place of what the reference has reserved; answers what is notable of it. */
export function reserveLines(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  serving: readonly string[],
  reference: StockReference,
  until: Date | null,
): Promise<Outcome[]> {
  const { type, id } = reference;
  return alone(tx, reference, reserveText, [...valuesOf(arraysOf(tx, lines), serving), type, id, until]);
}
