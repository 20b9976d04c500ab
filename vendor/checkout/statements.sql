-- Statements that @carton/checkout composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- upsertCompleted
-- $2 string, $3 string, $4 string, $5 string
with
  attempt as (
    insert into
      checkout_attempts as attempt (tenant_id, cart_id, status, order_id)
    values
      ($1, $2, 'completed', $3)
    on conflict (tenant_id, cart_id) do update
    set
      status = 'completed',
      code = null,
      order_id = excluded.order_id,
      attempts = attempt.attempts + 1,
      updated_at = now()
  )
insert into
  event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
values
  ($1, $4, 'checkout.completed', 'cart', $2, $5);

-- upsertCompletedByGuest
-- $2 string, $3 string, $4 string, $5 string, $6 string, $7 object
with
  own_secret as (
    select
      secret
    from
      guest_secrets
    where
      tenant_id = $1
  ),
  first_secret as (
    insert into
      guest_secrets (tenant_id, secret)
    select
      $1,
      $7::bytea
    where
      not exists (
        select
        from
          own_secret
      )
    on conflict (tenant_id) do update
    set
      secret = guest_secrets.secret
    returning
      secret
  ),
  salt as (
    select
      secret
    from
      own_secret
    union all
    select
      secret
    from
      first_secret
  ),
  attempt as (
    insert into
      checkout_attempts as attempt (tenant_id, cart_id, status, order_id)
    values
      ($1, $2, 'completed', $3)
    on conflict (tenant_id, cart_id) do update
    set
      status = 'completed',
      code = null,
      order_id = excluded.order_id,
      attempts = attempt.attempts + 1,
      updated_at = now()
  ),
  event as (
    insert into
      event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
    values
      ($1, $4, 'checkout.completed', 'cart', $2, $5)
  )
insert into
  guest_orders (tenant_id, order_id, client_key)
select
  $1,
  $3::uuid,
  encode(sha256(salt.secret || convert_to('address ' || $6::text, 'UTF8')), 'hex')
from
  salt;

-- guests.countUnits
-- $2 string[], $3 string[], $4 string[], $5 number[], $6 string, $7 string[], $8 number
with
  salt as (
    select
      secret
    from
      guest_secrets
    where
      tenant_id = $1
  ),
  hashed as (
    select
      encode(sha256(salt.secret || convert_to(part.kind || ' ' || part.value, 'UTF8')), 'hex') as key_hash
    from
      unnest($2::text[], $3::text[]) as part (kind, value)
      cross join salt
  ),
  wanted as (
    select
      greatest(coalesce(sum(part.quantity), 0), $8::integer)::bigint as units
    from
      unnest($4::uuid[], $5::integer[]) as part (variant_id, quantity)
    where
      exists (
        select
        from
          stock_items
        where
          stock_items.tenant_id = $1
          and stock_items.id = part.variant_id
          and stock_items.tracked
      )
  ),
  held as (
    select
      coalesce(max(sums.units), 0)::bigint as units
    from
      (
        select
          sum(parts.units) as units
        from
          (
            select
              guest_units.key_hash,
              guest_units.units
            from
              guest_units
              cross join lateral (
                select
                  orders.id,
                  (
                    orders.status = 'placed'
                    and orders.fulfillment_status = 'unfulfilled'
                    and orders.payment_status in ('unpaid', 'voided', 'partially_paid')
                  ) as holds_unpaid_stock
                from
                  orders
                where
                  orders.tenant_id = $1
                  and orders.id = guest_units.order_id
              ) held_order
            where
              guest_units.tenant_id = $1
              and held_order.holds_unpaid_stock
              and not exists (
                select
                from
                  payments
                where
                  payments.tenant_id = $1
                  and payments.order_id = held_order.id
                  and payments.provider <> all ($7::text[])
                  and (
                    payments.status = 'authorized'
                    or payments.captured_amount > 0
                  )
              )
              and guest_units.key_hash = any (
                array(
                  select
                    key_hash
                  from
                    hashed
                )
              )
            union all
            select
              guest_reservations.key_hash,
              (
                select
                  coalesce(sum(stock_reservations.quantity), 0)::bigint
                from
                  stock_reservations
                where
                  stock_reservations.tenant_id = $1
                  and stock_reservations.reference_type = 'cart'
                  and stock_reservations.reference_id = guest_reservations.cart_id
              )
            from
              guest_reservations
            where
              guest_reservations.tenant_id = $1
              and guest_reservations.cart_id <> $6::uuid
              and guest_reservations.key_hash = any (
                array(
                  select
                    key_hash
                  from
                    hashed
                )
              )
          ) as parts
        group by
          parts.key_hash
      ) as sums
  )
select
  wanted.units as wanted,
  held.units as held
from
  wanted
  cross join held;

-- guests.countWithOrder
-- $2 string[], $3 string[], $4 string[], $5 number[], $6 string, $7 string[], $8 number, $9 string, $10 object
with
  own_secret as (
    select
      secret
    from
      guest_secrets
    where
      tenant_id = $1
  ),
  first_secret as (
    insert into
      guest_secrets (tenant_id, secret)
    select
      $1,
      $10::bytea
    where
      not exists (
        select
        from
          own_secret
      )
    on conflict (tenant_id) do update
    set
      secret = guest_secrets.secret
    returning
      secret
  ),
  salt as (
    select
      secret
    from
      own_secret
    union all
    select
      secret
    from
      first_secret
  ),
  hashed as (
    select
      encode(sha256(salt.secret || convert_to(part.kind || ' ' || part.value, 'UTF8')), 'hex') as key_hash
    from
      unnest($2::text[], $3::text[]) as part (kind, value)
      cross join salt
  ),
  wanted as (
    select
      greatest(coalesce(sum(part.quantity), 0), $8::integer)::bigint as units
    from
      unnest($4::uuid[], $5::integer[]) as part (variant_id, quantity)
    where
      exists (
        select
        from
          stock_items
        where
          stock_items.tenant_id = $1
          and stock_items.id = part.variant_id
          and stock_items.tracked
      )
  ),
  held as (
    select
      coalesce(max(sums.units), 0)::bigint as units
    from
      (
        select
          sum(parts.units) as units
        from
          (
            select
              guest_units.key_hash,
              guest_units.units
            from
              guest_units
              cross join lateral (
                select
                  orders.id,
                  (
                    orders.status = 'placed'
                    and orders.fulfillment_status = 'unfulfilled'
                    and orders.payment_status in ('unpaid', 'voided', 'partially_paid')
                  ) as holds_unpaid_stock
                from
                  orders
                where
                  orders.tenant_id = $1
                  and orders.id = guest_units.order_id
              ) held_order
            where
              guest_units.tenant_id = $1
              and held_order.holds_unpaid_stock
              and not exists (
                select
                from
                  payments
                where
                  payments.tenant_id = $1
                  and payments.order_id = held_order.id
                  and payments.provider <> all ($7::text[])
                  and (
                    payments.status = 'authorized'
                    or payments.captured_amount > 0
                  )
              )
              and guest_units.key_hash = any (
                array(
                  select
                    key_hash
                  from
                    hashed
                )
              )
            union all
            select
              guest_reservations.key_hash,
              (
                select
                  coalesce(sum(stock_reservations.quantity), 0)::bigint
                from
                  stock_reservations
                where
                  stock_reservations.tenant_id = $1
                  and stock_reservations.reference_type = 'cart'
                  and stock_reservations.reference_id = guest_reservations.cart_id
              )
            from
              guest_reservations
            where
              guest_reservations.tenant_id = $1
              and guest_reservations.cart_id <> $6::uuid
              and guest_reservations.key_hash = any (
                array(
                  select
                    key_hash
                  from
                    hashed
                )
              )
          ) as parts
        group by
          parts.key_hash
      ) as sums
  ),
  stored as (
    insert into
      guest_units (tenant_id, key_hash, order_id, units)
    select
      $1,
      hashed.key_hash,
      $9::uuid,
      wanted.units
    from
      hashed
      cross join wanted
    where
      wanted.units > 0
  )
select
  wanted.units as wanted,
  held.units as held
from
  wanted
  cross join held;

-- guests.countWithReservation
-- $2 string[], $3 string[], $4 string[], $5 number[], $6 string, $7 string[], $8 number, $9 object
with
  own_secret as (
    select
      secret
    from
      guest_secrets
    where
      tenant_id = $1
  ),
  first_secret as (
    insert into
      guest_secrets (tenant_id, secret)
    select
      $1,
      $9::bytea
    where
      not exists (
        select
        from
          own_secret
      )
    on conflict (tenant_id) do update
    set
      secret = guest_secrets.secret
    returning
      secret
  ),
  salt as (
    select
      secret
    from
      own_secret
    union all
    select
      secret
    from
      first_secret
  ),
  hashed as (
    select
      encode(sha256(salt.secret || convert_to(part.kind || ' ' || part.value, 'UTF8')), 'hex') as key_hash
    from
      unnest($2::text[], $3::text[]) as part (kind, value)
      cross join salt
  ),
  wanted as (
    select
      greatest(coalesce(sum(part.quantity), 0), $8::integer)::bigint as units
    from
      unnest($4::uuid[], $5::integer[]) as part (variant_id, quantity)
    where
      exists (
        select
        from
          stock_items
        where
          stock_items.tenant_id = $1
          and stock_items.id = part.variant_id
          and stock_items.tracked
      )
  ),
  held as (
    select
      coalesce(max(sums.units), 0)::bigint as units
    from
      (
        select
          sum(parts.units) as units
        from
          (
            select
              guest_units.key_hash,
              guest_units.units
            from
              guest_units
              cross join lateral (
                select
                  orders.id,
                  (
                    orders.status = 'placed'
                    and orders.fulfillment_status = 'unfulfilled'
                    and orders.payment_status in ('unpaid', 'voided', 'partially_paid')
                  ) as holds_unpaid_stock
                from
                  orders
                where
                  orders.tenant_id = $1
                  and orders.id = guest_units.order_id
              ) held_order
            where
              guest_units.tenant_id = $1
              and held_order.holds_unpaid_stock
              and not exists (
                select
                from
                  payments
                where
                  payments.tenant_id = $1
                  and payments.order_id = held_order.id
                  and payments.provider <> all ($7::text[])
                  and (
                    payments.status = 'authorized'
                    or payments.captured_amount > 0
                  )
              )
              and guest_units.key_hash = any (
                array(
                  select
                    key_hash
                  from
                    hashed
                )
              )
            union all
            select
              guest_reservations.key_hash,
              (
                select
                  coalesce(sum(stock_reservations.quantity), 0)::bigint
                from
                  stock_reservations
                where
                  stock_reservations.tenant_id = $1
                  and stock_reservations.reference_type = 'cart'
                  and stock_reservations.reference_id = guest_reservations.cart_id
              )
            from
              guest_reservations
            where
              guest_reservations.tenant_id = $1
              and guest_reservations.cart_id <> $6::uuid
              and guest_reservations.key_hash = any (
                array(
                  select
                    key_hash
                  from
                    hashed
                )
              )
          ) as parts
        group by
          parts.key_hash
      ) as sums
  ),
  stored as (
    insert into
      guest_reservations (tenant_id, key_hash, cart_id)
    select
      $1,
      hashed.key_hash,
      $6::uuid
    from
      hashed
      cross join wanted
    where
      wanted.units > 0
    on conflict (tenant_id, key_hash, cart_id) do update
    set
      reserved_at = now()
  )
select
  wanted.units as wanted,
  held.units as held
from
  wanted
  cross join held;

-- guests.deleteEndedUnits
-- $2 string[]
delete from guest_units
where
  tenant_id = $1
  and (key_hash, order_id) in (
    select
      guest_units.key_hash,
      guest_units.order_id
    from
      guest_units
      cross join lateral (
        select
          orders.id,
          (
            orders.status = 'placed'
            and orders.fulfillment_status = 'unfulfilled'
            and orders.payment_status in ('unpaid', 'voided', 'partially_paid')
          ) as holds_unpaid_stock
        from
          orders
        where
          orders.tenant_id = $1
          and orders.id = guest_units.order_id
      ) held_order
    where
      guest_units.tenant_id = $1
      and not (
        held_order.holds_unpaid_stock
        and not exists (
          select
          from
            payments
          where
            payments.tenant_id = $1
            and payments.order_id = held_order.id
            and payments.provider <> all ($2::text[])
            and (
              payments.status = 'authorized'
              or payments.captured_amount > 0
            )
        )
      )
    limit
      1000
  )
returning
  1;

-- guests.deleteEndedReservations
delete from guest_reservations
where
  tenant_id = $1
  and reserved_at < now() - interval '1 minute'
  and (key_hash, cart_id) in (
    select
      ended.key_hash,
      ended.cart_id
    from
      guest_reservations ended
    where
      ended.tenant_id = $1
      and ended.reserved_at < now() - interval '1 minute'
      and (
        select
          coalesce(sum(stock_reservations.quantity), 0)::bigint
        from
          stock_reservations
        where
          stock_reservations.tenant_id = $1
          and stock_reservations.reference_type = 'cart'
          and stock_reservations.reference_id = ended.cart_id
      ) = 0
    limit
      1000
  )
returning
  1;
