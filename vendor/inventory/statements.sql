-- Statements that @carton/inventory composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- availability.findAvailable
-- $2 string[], $3 string[]
select
  items.id as variant_id,
  items.tracked,
  items.back_order_policy = 'allow'
  and count(levels.location_id) > 0 as back_orders,
  coalesce(sum(greatest(levels.on_hand - levels.reserved, 0)), 0)::integer as available
from
  stock_items items
  left join stock_levels levels on levels.tenant_id = $1
  and levels.stock_item_id = items.id
  and levels.location_id = any ($3::uuid[])
where
  items.tenant_id = $1
  and items.id = any ($2::uuid[])
group by
  items.tenant_id,
  items.id;

-- availability.findAvailable of a reservation
-- $2 string[], $3 string[], $4 string, $5 string
with
  own as (
    select
      stock_item_id,
      location_id,
      sum(quantity)::integer as quantity
    from
      stock_reservations
    where
      tenant_id = $1
      and reference_type = $4
      and reference_id = $5
    group by
      1,
      2
  )
select
  items.id as variant_id,
  items.tracked,
  items.back_order_policy = 'allow'
  and coalesce(bool_or(levels.location_id = any ($3::uuid[])), false) as back_orders,
  coalesce(
    sum(
      least(
        greatest(levels.on_hand - levels.reserved + coalesce(own.quantity, 0), 0),
        case
          when levels.location_id = any ($3::uuid[]) then null
          else own.quantity
        end
      )
    ),
    0
  )::integer as available
from
  stock_items items
  left join stock_levels levels on levels.tenant_id = $1
  and levels.stock_item_id = items.id
  and (
    levels.location_id = any ($3::uuid[])
    or exists (
      select
      from
        own
      where
        stock_item_id = levels.stock_item_id
        and location_id = levels.location_id
    )
  )
  left join own on own.stock_item_id = levels.stock_item_id
  and own.location_id = levels.location_id
where
  items.tenant_id = $1
  and items.id = any ($2::uuid[])
group by
  items.tenant_id,
  items.id;

-- items.insertItems
-- $2 string[], $3 string[]
with
  items as (
    insert into
      stock_items (tenant_id, id, product_id)
    select
      $1,
      *
    from
      unnest($2::uuid[], $3::uuid[])
    returning
      id
  ),
  counted as (
    insert into
      product_stock (tenant_id, product_id, units)
    select distinct
      $1,
      of_items.id,
      0
    from
      unnest($3::uuid[]) as of_items (id)
    where
      exists (
        select
        from
          products
        where
          products.tenant_id = $1
          and products.id = of_items.id
          and products.status = 'published'
          and products.deleted_at is null
      )
    on conflict (tenant_id, product_id) do nothing
  )
insert into
  stock_levels (tenant_id, stock_item_id, location_id)
select
  $1,
  id,
  '00000000-0000-0000-0000-000000000000'
from
  items;

-- items.stockItems.page
-- $2 string, $3 number
select
  "stock_items".*
from
  "stock_items"
where
  "stock_items"."tenant_id" = $1
  and "stock_items"."id" = $2
order by
  "stock_items"."created_at" desc,
  "stock_items"."id" desc
limit
  $3;

-- items.stockItems.page of changes
select
  created_at
from
  tenants
where
  id = $1;

-- openLevels
-- $2 string[], $3 string[], $4 string[]
with
  missing as (
    select
      place.variant_id,
      place.location_id
    from
      unnest($2::uuid[], $3::uuid[]) as place (variant_id, location_id)
    where
      not exists (
        select
        from
          stock_levels levels
        where
          levels.tenant_id = $1
          and levels.stock_item_id = place.variant_id
          and levels.location_id = place.location_id
      )
  ),
  locked as (
    select
      levels.stock_item_id,
      levels.low_at,
      levels.level_count
    from
      stock_levels levels
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any ($4::uuid[])
      and levels.location_id = '00000000-0000-0000-0000-000000000000'
      and exists (
        select
        from
          missing
      )
    order by
      levels.stock_item_id
    for update
  ),
  opened as (
    insert into
      stock_levels (tenant_id, stock_item_id, location_id, low_at)
    select
      $1,
      missing.variant_id,
      missing.location_id,
      locked.low_at
    from
      missing
      join locked on locked.stock_item_id = missing.variant_id
    order by
      missing.variant_id,
      missing.location_id
    on conflict do nothing
    returning
      stock_item_id
  ),
  counts as (
    select
      locked.stock_item_id,
      locked.level_count + count(*)::integer as level_count
    from
      opened
      join locked on locked.stock_item_id = opened.stock_item_id
    group by
      locked.stock_item_id,
      locked.level_count
  )
update stock_levels levels
set
  level_count = counts.level_count
from
  counts
where
  levels.tenant_id = $1
  and levels.stock_item_id = any ($2::uuid[])
  and levels.stock_item_id = counts.stock_item_id
  and levels.location_id = '00000000-0000-0000-0000-000000000000';

-- movements.releaseReserved
-- $2 string, $3 string, $4 boolean
with
  own_rows as materialized (
    select
      id,
      stock_item_id,
      location_id,
      quantity
    from
      stock_reservations
    where
      tenant_id = $1
      and reference_type = $2
      and reference_id = $3
      and (
        not $4
        or ends_at <= now()
      )
    order by
      stock_item_id,
      location_id,
      id
    for update
  ),
  released as (
    delete from stock_reservations
    where
      tenant_id = $1
      and id = any (
        array(
          select
            id
          from
            own_rows
        )
      )
  ),
  locked as (
    select
      levels.stock_item_id,
      levels.location_id,
      levels.on_hand,
      levels.reserved,
      levels.low_at,
      levels.level_count
    from
      stock_levels levels
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any (
        array(
          select
            stock_item_id
          from
            own_rows
        )
      )
    order by
      levels.stock_item_id,
      levels.location_id
    for update
  ),
  targets as (
    select
      own.*,
      locked.reserved
    from
      (
        select
          stock_item_id,
          location_id,
          sum(quantity)::integer as quantity
        from
          own_rows
        group by
          1,
          2
      ) own
      join locked on locked.stock_item_id = own.stock_item_id
      and locked.location_id = own.location_id
  ),
  updated as (
    update stock_levels levels
    set
      reserved = targets.reserved - targets.quantity,
      updated_at = now()
    from
      targets
    where
      levels.tenant_id = $1
      and levels.stock_item_id = targets.stock_item_id
      and levels.location_id = targets.location_id
      and (
        select
          count(*)
        from
          targets
      ) > 0
  ),
  sums as (
    select
      locked.stock_item_id as id,
      max(locked.low_at) as low_at,
      null::boolean as low,
      sum(locked.on_hand - locked.reserved) as before,
      sum(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0)) as after,
      bool_or(locked.on_hand > locked.reserved) as was_in_stock,
      bool_or(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0) > 0) as in_stock,
      count(*) < max(locked.level_count) as missed
    from
      locked
      left join targets on targets.stock_item_id = locked.stock_item_id
      and targets.location_id = locked.location_id
    group by
      locked.stock_item_id
  ),
  marks as (
    select
      id,
      coalesce(after <= low_at, false) as low,
      in_stock
    from
      sums
    where
      (before <= low_at) <> (after <= low_at)
      or low <> (after <= low_at)
      or was_in_stock <> in_stock
  ),
  marked as (
    update stock_items items
    set
      low = marks.low,
      in_stock = marks.in_stock
    from
      marks
    where
      items.tenant_id = $1
      and items.id = any (
        array(
          select
            id
          from
            marks
        )
      )
      and items.id = marks.id
  )
select
  targets.stock_item_id as variant_id,
  sum(targets.quantity)::integer as quantity,
  sums.missed
from
  targets
  join sums on sums.id = targets.stock_item_id
group by
  targets.stock_item_id,
  sums.missed
order by
  targets.stock_item_id;

-- movements.returnTaken
-- $2 string[], $3 number[], $4 string[], $5 string[], $6 number[], $7 string[], $8 string[], $9 string, $10 string, $11 string
with
  ledger as (
    select
      stock_item_id,
      location_id,
      - sum(quantity)::integer as quantity
    from
      stock_movements
    where
      tenant_id = $1
      and reference_type = $9
      and reference_id = $10
    group by
      1,
      2
  ),
  taken as (
    select
      stock_item_id,
      sum(quantity)::integer as quantity
    from
      ledger
    group by
      1
    having
      sum(quantity) > 0
  ),
  elsewhere as (
    select
      *
    from
      ledger
    where
      location_id <> '00000000-0000-0000-0000-000000000000'
      and quantity > 0
  ),
  sources as (
    select
      line.variant_id,
      least(line.quantity, taken.quantity) as quantity,
      elsewhere.location_id,
      elsewhere.quantity as taken,
      coalesce(sum(elsewhere.quantity) over earlier, 0) as earlier
    from
      unnest($2::uuid[], $3::integer[]) as line(variant_id, quantity)
      join taken on taken.stock_item_id = line.variant_id
      left join elsewhere on elsewhere.stock_item_id = line.variant_id
    where
      line.quantity > 0
    window
      earlier as (
        partition by
          line.variant_id
        order by
          elsewhere.location_id rows between unbounded preceding
          and 1 preceding
      )
  ),
  parts as (
    select
      placed.variant_id,
      placed.location_id,
      placed.quantity
    from
      unnest($4::uuid[], $5::uuid[], $6::integer[]) as placed (variant_id, location_id, quantity)
      join stock_items items on items.tenant_id = $1
      and items.id = any ($7::uuid[])
      and items.id = placed.variant_id
      and items.tracked
    union all
    select
      variant_id,
      location_id,
      least(taken, greatest(quantity - earlier, 0))
    from
      sources
    where
      taken > 0
    union all
    select
      variant_id,
      '00000000-0000-0000-0000-000000000000',
      quantity - coalesce(sum(taken), 0)
    from
      sources
    group by
      variant_id,
      quantity
  ),
  returned as (
    select
      variant_id,
      location_id,
      sum(quantity)::integer as quantity
    from
      parts
    where
      quantity > 0
    group by
      1,
      2
  ),
  locked as (
    select
      levels.stock_item_id,
      levels.location_id,
      levels.on_hand,
      levels.reserved,
      levels.low_at,
      levels.level_count,
      items.low
    from
      stock_items items
      join stock_levels levels on levels.tenant_id = $1
      and levels.stock_item_id = any ($7::uuid[])
      and levels.stock_item_id = items.id
    where
      items.tenant_id = $1
      and items.id = any ($7::uuid[])
    order by
      levels.stock_item_id,
      levels.location_id
    for update of
      levels
  ),
  targets as (
    select
      locked.stock_item_id,
      locked.location_id,
      locked.on_hand,
      returned.quantity
    from
      locked
      join returned on returned.variant_id = locked.stock_item_id
      and returned.location_id = locked.location_id
  ),
  updated as (
    update stock_levels levels
    set
      on_hand = targets.on_hand + targets.quantity,
      back_ordered = targets.on_hand + targets.quantity < 0,
      updated_at = now()
    from
      targets
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any ($7::uuid[])
      and levels.stock_item_id = targets.stock_item_id
      and levels.location_id = targets.location_id
      and (
        select
          count(*)
        from
          targets
      ) > 0
  ),
  sums as (
    select
      locked.stock_item_id as id,
      max(locked.low_at) as low_at,
      locked.low,
      sum(locked.on_hand - locked.reserved) as before,
      sum(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0)) as after,
      bool_or(locked.on_hand > locked.reserved) as was_in_stock,
      bool_or(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0) > 0) as in_stock,
      count(*) < max(locked.level_count) as missed
    from
      locked
      left join targets on targets.stock_item_id = locked.stock_item_id
      and targets.location_id = locked.location_id
    group by
      locked.stock_item_id,
      locked.low
  ),
  marks as (
    select
      id,
      coalesce(after <= low_at, false) as low,
      in_stock
    from
      sums
    where
      (before <= low_at) <> (after <= low_at)
      or low <> (after <= low_at)
      or was_in_stock <> in_stock
  ),
  marked as (
    update stock_items items
    set
      low = marks.low,
      in_stock = marks.in_stock
    from
      marks
    where
      items.tenant_id = $1
      and items.id = any (
        array(
          select
            id
          from
            marks
        )
      )
      and items.id = marks.id
  ),
  written as (
    insert into
      stock_movements (
        tenant_id,
        id,
        stock_item_id,
        location_id,
        quantity,
        reason,
        reference_type,
        reference_id,
        actor_type,
        actor_id,
        actor_label
      )
    select
      $1,
      coalesce(($8::uuid[]) [row_number() over ()], gen_random_uuid()),
      stock_item_id,
      location_id,
      quantity,
      'returned',
      reference_type,
      reference_id,
      actor_type,
      actor_id,
      actor_label
    from
      targets
      cross join jsonb_to_record($11::jsonb) as record (reference_type text, reference_id uuid, actor_type text, actor_id uuid, actor_label text)
  )
select
  id as variant_id
from
  sums
where
  missed
order by
  id;

-- movements.takeAtOneLocation
-- $2 string[], $3 number[], $4 string[], $5 string, $6 string, $7 null, $8 null, $9 null, $10 string
with
  requested as (
    select
      line.variant_id,
      line.quantity,
      line.row_id,
      items.tracked,
      items.back_order_policy = 'allow' as back_orders,
      items.low_stock_level,
      items.low
    from
      unnest($2::uuid[], $3::integer[], $4::uuid[]) as line(variant_id, quantity, row_id)
      left join stock_items items on items.tenant_id = $1
      and items.id = any ($2::uuid[])
      and items.id = line.variant_id
  ),
  locked as (
    select
      requested.*,
      levels.location_id,
      levels.on_hand,
      levels.on_hand - levels.reserved as available,
      levels.low_at,
      levels.level_count
    from
      requested
      join stock_levels levels on levels.tenant_id = $1
      and levels.stock_item_id = any ($2::uuid[])
      and levels.stock_item_id = requested.variant_id
    where
      requested.tracked
    order by
      requested.variant_id,
      levels.location_id
    for update of
      levels
  ),
  source as (
    select
      *
    from
      locked
    where
      location_id = $10
  ),
  outcomes as (
    select
      requested.variant_id,
      requested.quantity,
      requested.low_stock_level,
      source.available,
      coalesce(requested.tracked, true)
      and (
        source.available is null
        or (
          not source.back_orders
          and source.available < source.quantity
        )
      ) as refused
    from
      requested
      left join source on source.variant_id = requested.variant_id
  ),
  verdict as (
    select
      not exists (
        select
        from
          outcomes
        where
          refused
      ) as possible
  ),
  updated as (
    update stock_levels levels
    set
      on_hand = source.on_hand - source.quantity,
      back_ordered = source.back_orders
      and source.on_hand < source.quantity,
      updated_at = now()
    from
      source
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any ($2::uuid[])
      and levels.location_id = $10
      and levels.stock_item_id = source.variant_id
      and (
        select
          possible
        from
          verdict
      )
  ),
  written as (
    insert into
      stock_movements (
        tenant_id,
        id,
        stock_item_id,
        location_id,
        quantity,
        reason,
        reference_type,
        reference_id,
        actor_type,
        actor_id,
        actor_label
      )
    select
      $1,
      row_id,
      variant_id,
      $10,
      - quantity,
      'sold',
      $5,
      $6,
      $7,
      $8,
      $9
    from
      source
    where
      (
        select
          possible
        from
          verdict
      )
  ),
  sums as (
    select
      variant_id as id,
      max(low_at) as low_at,
      low,
      sum(available) as before,
      sum(available) - quantity as after,
      bool_or(available > 0) as was_in_stock,
      bool_or(
        available > case
          when location_id = $10 then quantity
          else 0
        end
      ) as in_stock,
      count(*) < max(locked.level_count) as missed
    from
      locked
    where
      (
        select
          possible
        from
          verdict
      )
    group by
      variant_id,
      quantity,
      low
  ),
  marks as (
    select
      id,
      coalesce(after <= low_at, false) as low,
      in_stock
    from
      sums
    where
      (before <= low_at) <> (after <= low_at)
      or low <> (after <= low_at)
      or was_in_stock <> in_stock
  ),
  marked as (
    update stock_items items
    set
      low = marks.low,
      in_stock = marks.in_stock
    from
      marks
    where
      items.tenant_id = $1
      and items.id = any (
        array(
          select
            id
          from
            marks
        )
      )
      and items.id = marks.id
  )
select
  variant_id,
  case
    when refused then 'refused'
    else 'low'
  end as kind,
  quantity,
  case
    when refused then greatest(coalesce(available, 0), 0)
    else available - quantity
  end as available,
  coalesce(low_stock_level, 0) as low_stock_level
from
  outcomes
  cross join verdict
where
  case
    when possible then available > low_stock_level
    and available - quantity <= low_stock_level
    else refused
  end
union all
select
  id,
  'missed',
  0,
  0,
  0
from
  sums
where
  missed
order by
  variant_id;

-- movements.takeFromLocations
-- $2 string, $3 string
select
  pg_advisory_xact_lock(hashtextextended ('stock_reservations ' || $1::text || ' ' || $2::text || ' ' || $3::text, 0));

-- $2 string[], $3 number[], $4 number[], $5 string[], $6 string[], $7 number[], $8 string[], $9 string[], $10 string, $11 string, $12 string
with
  own_rows as materialized (
    select
      id,
      stock_item_id,
      location_id,
      quantity
    from
      stock_reservations
    where
      tenant_id = $1
      and reference_type = $10
      and reference_id = $11
    order by
      stock_item_id,
      location_id,
      id
    for update
  ),
  own as (
    select
      stock_item_id,
      location_id,
      sum(quantity)::integer as quantity
    from
      own_rows
    group by
      1,
      2
  ),
  requested as (
    select
      line.variant_id,
      line.quantity,
      line.anywhere,
      items.tracked,
      items.back_order_policy = 'allow' as back_orders,
      items.low_stock_level,
      items.low
    from
      unnest($2::uuid[], $3::integer[], $4::integer[]) as line(variant_id, quantity, anywhere)
      left join stock_items items on items.tenant_id = $1
      and items.id = any ($2::uuid[])
      and items.id = line.variant_id
  ),
  locked as (
    select
      levels.stock_item_id,
      levels.location_id,
      levels.on_hand,
      levels.reserved,
      levels.low_at,
      levels.level_count,
      requested.tracked,
      requested.low
    from
      stock_levels levels
      left join requested on requested.variant_id = levels.stock_item_id
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any (
        $2::uuid[] || array(
          select
            stock_item_id
          from
            own
        )
      )
      and (
        requested.tracked
        or levels.stock_item_id = any (
          array(
            select
              stock_item_id
            from
              own
          )
        )
      )
    order by
      levels.stock_item_id,
      levels.location_id
    for update of
      levels
  ),
  usable as (
    select
      levels.stock_item_id,
      levels.location_id,
      levels.on_hand,
      levels.reserved,
      serving.place,
      coalesce(own.quantity, 0) as own,
      coalesce(placed.quantity, 0) as placed
    from
      locked levels
      left join own on own.stock_item_id = levels.stock_item_id
      and own.location_id = levels.location_id
      left join unnest($5::uuid[], $6::uuid[], $7::integer[]) as placed (variant_id, location_id, quantity) on placed.variant_id = levels.stock_item_id
      and placed.location_id = levels.location_id
      left join unnest($8::uuid[]) with ordinality as serving (location_id, place) on serving.location_id = levels.location_id
    where
      own.quantity > 0
      or (
        levels.tracked
        and (
          serving.place > 0
          or placed.quantity > 0
        )
      )
  ),
  capacities as (
    select
      usable.*,
      requested.anywhere,
      requested.back_orders,
      usable.on_hand - usable.reserved + usable.own as available,
      greatest(usable.on_hand - usable.reserved + usable.own - usable.placed, 0) as capacity
    from
      usable
      join requested on requested.tracked
      and requested.variant_id = usable.stock_item_id
  ),
  reserved_capacities as (
    select
      capacities.*,
      least(capacity, greatest(own - placed, 0)) as reserved_capacity
    from
      capacities
  ),
  from_reservations as (
    select
      reserved_capacities.*,
      least(reserved_capacity, greatest(anywhere - coalesce(sum(reserved_capacity) over earlier, 0), 0)) as from_reservation
    from
      reserved_capacities
    window
      earlier as (
        partition by
          stock_item_id
        order by
          place,
          location_id rows between unbounded preceding
          and 1 preceding
      )
  ),
  remainders as (
    select
      from_reservations.*,
      anywhere - sum(from_reservation) over (
        partition by
          stock_item_id
      ) as rest,
      case
        when place is null then 0
        else capacity - from_reservation
      end as spare
    from
      from_reservations
  ),
  choices as (
    select
      remainders.*,
      min(place) over variant as first_place,
      sum(spare) over variant as spares,
      min(place) filter (
        where
          spare >= rest
      ) over variant as single_place,
      coalesce(sum(spare) over earlier, 0) as earlier_spares
    from
      remainders
    window
      variant as (
        partition by
          stock_item_id
      ),
      earlier as (
        partition by
          stock_item_id
        order by
          place,
          location_id rows between unbounded preceding
          and 1 preceding
      )
  ),
  allocated as (
    select
      choices.*,
      (
        placed + from_reservation + case
          when single_place is not null then case
            when place = single_place then rest
            else 0
          end
          else least(spare, greatest(rest - earlier_spares, 0)) + case
            when place = first_place then greatest(rest - spares, 0)
            else 0
          end
        end
      )::integer as allocated,
      not back_orders
      and (
        placed > greatest(available, 0)
        or spares < rest
      ) as short
    from
      choices
  ),
  outcomes as (
    select
      requested.variant_id,
      requested.quantity,
      requested.low_stock_level,
      coalesce(
        requested.tracked
        and (
          coalesce(bool_or(short), true)
          or sum(allocated) < requested.quantity
        ),
        true
      ) as refused,
      coalesce(
        sum(
          case
            when place is null then least(own + placed, greatest(available, 0))
            else greatest(available, 0)
          end
        ),
        0
      )::integer as obtainable,
      (
        sum(available - own) filter (
          where
            place is not null
        )
      )::integer as before,
      (
        sum(available - allocated) filter (
          where
            place is not null
        )
      )::integer as after
    from
      requested
      left join allocated on allocated.stock_item_id = requested.variant_id
    group by
      requested.variant_id,
      requested.quantity,
      requested.low_stock_level,
      requested.tracked
  ),
  verdict as (
    select
      not exists (
        select
        from
          outcomes
        where
          refused
      ) as possible
  ),
  changes as (
    select
      usable.stock_item_id,
      usable.location_id,
      usable.on_hand,
      usable.reserved,
      usable.own,
      coalesce(allocated.allocated, 0) as quantity,
      coalesce(allocated.back_orders, false) as back_orders
    from
      usable
      left join allocated on allocated.stock_item_id = usable.stock_item_id
      and allocated.location_id = usable.location_id
    where
      (
        usable.own > 0
        or allocated.allocated > 0
      )
      and (
        select
          possible
        from
          verdict
      )
  ),
  consumed as (
    delete from stock_reservations
    where
      tenant_id = $1
      and id = any (
        array(
          select
            id
          from
            own_rows
        )
      )
      and (
        select
          possible
        from
          verdict
      )
  ),
  sums as (
    select
      locked.stock_item_id as id,
      max(locked.low_at) as low_at,
      locked.low,
      sum(locked.on_hand - locked.reserved) as before,
      sum(locked.on_hand - locked.reserved + coalesce(changes.own - changes.quantity, 0)) as after,
      bool_or(locked.on_hand > locked.reserved) as was_in_stock,
      bool_or(locked.on_hand - locked.reserved + coalesce(changes.own - changes.quantity, 0) > 0) as in_stock,
      count(*) < max(locked.level_count) as missed
    from
      locked
      left join changes on changes.stock_item_id = locked.stock_item_id
      and changes.location_id = locked.location_id
    group by
      locked.stock_item_id,
      locked.low
  ),
  marks as (
    select
      id,
      coalesce(after <= low_at, false) as low,
      in_stock
    from
      sums
    where
      (before <= low_at) <> (after <= low_at)
      or low <> (after <= low_at)
      or was_in_stock <> in_stock
  ),
  marked as (
    update stock_items items
    set
      low = marks.low,
      in_stock = marks.in_stock
    from
      marks
    where
      items.tenant_id = $1
      and items.id = any (
        array(
          select
            id
          from
            marks
        )
      )
      and items.id = marks.id
  ),
  updated as (
    update stock_levels levels
    set
      on_hand = changes.on_hand - changes.quantity,
      reserved = changes.reserved - changes.own,
      back_ordered = changes.on_hand < changes.quantity
      and (
        changes.back_orders
        or changes.quantity = 0
      ),
      updated_at = now()
    from
      changes
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any (
        $2::uuid[] || array(
          select
            stock_item_id
          from
            own
        )
      )
      and levels.stock_item_id = changes.stock_item_id
      and levels.location_id = changes.location_id
  ),
  written as (
    insert into
      stock_movements (
        tenant_id,
        id,
        stock_item_id,
        location_id,
        quantity,
        reason,
        reference_type,
        reference_id,
        actor_type,
        actor_id,
        actor_label
      )
    select
      $1,
      coalesce(($9::uuid[]) [row_number() over ()], gen_random_uuid()),
      stock_item_id,
      location_id,
      - quantity,
      'sold',
      reference_type,
      reference_id,
      actor_type,
      actor_id,
      actor_label
    from
      changes
      cross join jsonb_to_record($12::jsonb) as record (reference_type text, reference_id uuid, actor_type text, actor_id uuid, actor_label text)
    where
      quantity > 0
  )
select
  variant_id,
  case
    when refused then 'refused'
    else 'low'
  end as kind,
  quantity,
  case
    when refused then obtainable
    else after
  end as available,
  coalesce(low_stock_level, 0) as low_stock_level
from
  outcomes
  cross join verdict
where
  case
    when possible then before > low_stock_level
    and after <= low_stock_level
    else refused
  end
union all
select
  id,
  'missed',
  0,
  0,
  0
from
  sums
where
  missed
union all
select
  stock_item_id,
  'released',
  sum(own - quantity)::integer,
  0,
  0
from
  changes
where
  own > quantity
group by
  stock_item_id
order by
  variant_id;

-- movements.reserveFromLocations
-- $2 string, $3 string
select
  pg_advisory_xact_lock(hashtextextended ('stock_reservations ' || $1::text || ' ' || $2::text || ' ' || $3::text, 0));

-- $2 string[], $3 number[], $4 number[], $5 string[], $6 string[], $7 number[], $8 string[], $9 string[], $10 string, $11 string, $12 Date
with
  own_rows as materialized (
    select
      id,
      stock_item_id,
      location_id,
      quantity
    from
      stock_reservations
    where
      tenant_id = $1
      and reference_type = $10
      and reference_id = $11
    order by
      stock_item_id,
      location_id,
      id
    for update
  ),
  own as (
    select
      stock_item_id,
      location_id,
      sum(quantity)::integer as quantity
    from
      own_rows
    group by
      1,
      2
  ),
  requested as (
    select
      line.variant_id,
      line.quantity,
      line.anywhere,
      items.tracked,
      items.back_order_policy = 'allow' as back_orders,
      items.low_stock_level,
      items.low
    from
      unnest($2::uuid[], $3::integer[], $4::integer[]) as line(variant_id, quantity, anywhere)
      left join stock_items items on items.tenant_id = $1
      and items.id = any ($2::uuid[])
      and items.id = line.variant_id
  ),
  locked as (
    select
      levels.stock_item_id,
      levels.location_id,
      levels.on_hand,
      levels.reserved,
      levels.low_at,
      levels.level_count,
      requested.tracked,
      requested.low
    from
      stock_levels levels
      left join requested on requested.variant_id = levels.stock_item_id
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any (
        $2::uuid[] || array(
          select
            stock_item_id
          from
            own
        )
      )
      and (
        requested.tracked
        or levels.stock_item_id = any (
          array(
            select
              stock_item_id
            from
              own
          )
        )
      )
    order by
      levels.stock_item_id,
      levels.location_id
    for update of
      levels
  ),
  usable as (
    select
      levels.stock_item_id,
      levels.location_id,
      levels.on_hand,
      levels.reserved,
      serving.place,
      coalesce(own.quantity, 0) as own,
      coalesce(placed.quantity, 0) as placed
    from
      locked levels
      left join own on own.stock_item_id = levels.stock_item_id
      and own.location_id = levels.location_id
      left join unnest($5::uuid[], $6::uuid[], $7::integer[]) as placed (variant_id, location_id, quantity) on placed.variant_id = levels.stock_item_id
      and placed.location_id = levels.location_id
      left join unnest($8::uuid[]) with ordinality as serving (location_id, place) on serving.location_id = levels.location_id
    where
      own.quantity > 0
      or (
        levels.tracked
        and (
          serving.place > 0
          or placed.quantity > 0
        )
      )
  ),
  capacities as (
    select
      usable.*,
      requested.anywhere,
      requested.back_orders,
      usable.on_hand - usable.reserved + usable.own as available,
      greatest(usable.on_hand - usable.reserved + usable.own - usable.placed, 0) as capacity
    from
      usable
      join requested on requested.tracked
      and requested.variant_id = usable.stock_item_id
  ),
  reserved_capacities as (
    select
      capacities.*,
      least(capacity, greatest(own - placed, 0)) as reserved_capacity
    from
      capacities
  ),
  from_reservations as (
    select
      reserved_capacities.*,
      least(reserved_capacity, greatest(anywhere - coalesce(sum(reserved_capacity) over earlier, 0), 0)) as from_reservation
    from
      reserved_capacities
    window
      earlier as (
        partition by
          stock_item_id
        order by
          place,
          location_id rows between unbounded preceding
          and 1 preceding
      )
  ),
  remainders as (
    select
      from_reservations.*,
      anywhere - sum(from_reservation) over (
        partition by
          stock_item_id
      ) as rest,
      case
        when place is null then 0
        else capacity - from_reservation
      end as spare
    from
      from_reservations
  ),
  choices as (
    select
      remainders.*,
      min(place) over variant as first_place,
      sum(spare) over variant as spares,
      min(place) filter (
        where
          spare >= rest
      ) over variant as single_place,
      coalesce(sum(spare) over earlier, 0) as earlier_spares
    from
      remainders
    window
      variant as (
        partition by
          stock_item_id
      ),
      earlier as (
        partition by
          stock_item_id
        order by
          place,
          location_id rows between unbounded preceding
          and 1 preceding
      )
  ),
  allocated as (
    select
      choices.*,
      (
        placed + from_reservation + case
          when single_place is not null then case
            when place = single_place then rest
            else 0
          end
          else least(spare, greatest(rest - earlier_spares, 0)) + case
            when place = first_place then greatest(rest - spares, 0)
            else 0
          end
        end
      )::integer as allocated,
      not back_orders
      and (
        placed > greatest(available, 0)
        or spares < rest
      ) as short
    from
      choices
  ),
  outcomes as (
    select
      requested.variant_id,
      requested.quantity,
      requested.low_stock_level,
      coalesce(
        requested.tracked
        and (
          coalesce(bool_or(short), true)
          or sum(allocated) < requested.quantity
        ),
        true
      ) as refused,
      coalesce(
        sum(
          case
            when place is null then least(own + placed, greatest(available, 0))
            else greatest(available, 0)
          end
        ),
        0
      )::integer as obtainable,
      (
        sum(available - own) filter (
          where
            place is not null
        )
      )::integer as before,
      (
        sum(available - allocated) filter (
          where
            place is not null
        )
      )::integer as after
    from
      requested
      left join allocated on allocated.stock_item_id = requested.variant_id
    group by
      requested.variant_id,
      requested.quantity,
      requested.low_stock_level,
      requested.tracked
  ),
  verdict as (
    select
      not exists (
        select
        from
          outcomes
        where
          refused
      ) as possible
  ),
  changes as (
    select
      usable.stock_item_id,
      usable.location_id,
      usable.on_hand,
      usable.reserved,
      usable.own,
      coalesce(allocated.allocated, 0) as quantity,
      coalesce(allocated.back_orders, false) as back_orders
    from
      usable
      left join allocated on allocated.stock_item_id = usable.stock_item_id
      and allocated.location_id = usable.location_id
    where
      (
        usable.own > 0
        or allocated.allocated > 0
      )
      and (
        select
          possible
        from
          verdict
      )
  ),
  consumed as (
    delete from stock_reservations
    where
      tenant_id = $1
      and id = any (
        array(
          select
            id
          from
            own_rows
        )
      )
      and (
        select
          possible
        from
          verdict
      )
  ),
  sums as (
    select
      locked.stock_item_id as id,
      max(locked.low_at) as low_at,
      locked.low,
      sum(locked.on_hand - locked.reserved) as before,
      sum(locked.on_hand - locked.reserved + coalesce(changes.own - changes.quantity, 0)) as after,
      bool_or(locked.on_hand > locked.reserved) as was_in_stock,
      bool_or(locked.on_hand - locked.reserved + coalesce(changes.own - changes.quantity, 0) > 0) as in_stock,
      count(*) < max(locked.level_count) as missed
    from
      locked
      left join changes on changes.stock_item_id = locked.stock_item_id
      and changes.location_id = locked.location_id
    group by
      locked.stock_item_id,
      locked.low
  ),
  marks as (
    select
      id,
      coalesce(after <= low_at, false) as low,
      in_stock
    from
      sums
    where
      (before <= low_at) <> (after <= low_at)
      or low <> (after <= low_at)
      or was_in_stock <> in_stock
  ),
  marked as (
    update stock_items items
    set
      low = marks.low,
      in_stock = marks.in_stock
    from
      marks
    where
      items.tenant_id = $1
      and items.id = any (
        array(
          select
            id
          from
            marks
        )
      )
      and items.id = marks.id
  ),
  updated as (
    update stock_levels levels
    set
      reserved = changes.reserved - changes.own + changes.quantity,
      updated_at = now()
    from
      changes
    where
      levels.tenant_id = $1
      and levels.stock_item_id = any (
        $2::uuid[] || array(
          select
            stock_item_id
          from
            own
        )
      )
      and levels.stock_item_id = changes.stock_item_id
      and levels.location_id = changes.location_id
  ),
  written as (
    insert into
      stock_reservations (tenant_id, id, stock_item_id, location_id, quantity, reference_type, reference_id, ends_at)
    select
      $1,
      coalesce(($9::uuid[]) [row_number() over ()], gen_random_uuid()),
      stock_item_id,
      location_id,
      quantity,
      $10,
      $11,
      $12::timestamptz
    from
      changes
    where
      quantity > 0
  )
select
  variant_id,
  case
    when refused then 'refused'
    else 'low'
  end as kind,
  quantity,
  case
    when refused then obtainable
    else after
  end as available,
  coalesce(low_stock_level, 0) as low_stock_level
from
  outcomes
  cross join verdict
where
  case
    when possible then before > low_stock_level
    and after <= low_stock_level
    else refused
  end
union all
select
  id,
  'missed',
  0,
  0,
  0
from
  sums
where
  missed
order by
  variant_id;

-- products.countProducts
-- $2 string[]
with
  gone as (
    delete from product_stock
    where
      tenant_id = $1
      and product_id = any ($2::uuid[])
      and not exists (
        select
        from
          stock_items items
        where
          items.tenant_id = $1
          and items.product_id = product_stock.product_id
          and exists (
            select
            from
              products
            where
              products.tenant_id = $1
              and products.id = items.product_id
              and products.status = 'published'
              and products.deleted_at is null
          )
      )
  )
insert into
  product_stock (tenant_id, product_id, units)
select
  $1,
  items.product_id,
  case
    when bool_or(
      not items.tracked
      or items.back_order_policy = 'allow'
    ) then 1000000000000
    else coalesce(sum(greatest(levels.on_hand - levels.reserved, 0)), 0)
  end
from
  stock_items items
  left join stock_levels levels on levels.tenant_id = $1
  and levels.stock_item_id = items.id
where
  items.tenant_id = $1
  and items.product_id = any ($2::uuid[])
  and exists (
    select
    from
      products
    where
      products.tenant_id = $1
      and products.id = items.product_id
      and products.status = 'published'
      and products.deleted_at is null
  )
group by
  items.product_id
on conflict (tenant_id, product_id) do update
set
  units = excluded.units
where
  product_stock.units <> excluded.units;

-- products.lockCounts
insert into
  product_stock_refreshes (tenant_id, refreshed_until)
values
  ($1, '2000-01-01T00:00:00Z')
on conflict (tenant_id) do nothing;

select
  refreshed_until
from
  product_stock_refreshes
where
  tenant_id = $1
for update;

-- products.findChangedProducts
-- $2 string, $3 string
select
  items.product_id
from
  stock_levels levels
  join stock_items items on items.tenant_id = $1
  and items.id = levels.stock_item_id
where
  levels.tenant_id = $1
  and levels.updated_at > $2
  and levels.updated_at <= $3
  and items.product_id is not null
union
select
  products.id
from
  products
where
  products.tenant_id = $1
  and products.updated_at > $2
  and products.updated_at <= $3
  and products.deleted_at is null;

-- products.hasChanges
with
  last as (
    select
      coalesce(
        (
          select
            refreshed_until
          from
            product_stock_refreshes
          where
            tenant_id = $1
        ),
        '2000-01-01T00:00:00Z'
      ) as refreshed
  )
select
  exists (
    select
    from
      stock_levels
    where
      tenant_id = $1
      and updated_at > refreshed
  )
  or exists (
    select
      products.id
    from
      products
    where
      products.tenant_id = $1
      and products.updated_at > refreshed
      and products.updated_at <= 'infinity'
      and products.deleted_at is null
  ) as changed
from
  last;
