-- Statements that @carton/promotion composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- promotions.promotions.page
-- $2 boolean, $3 number
select
  "promotions".*,
  (
    coalesce(
      case
        when promotions.discount = '{"kind":"fixed","amounts":[{"amount":0,"currency":"USN"}]}' then promotions.offer
      end,
      promotions.discount
    )
  ) as "discount",
  (
    select
      count(*)::integer
    from
      promotion_usages usages
    where
      usages.tenant_id = promotions.tenant_id
      and usages.promotion_id = promotions.id
      and usages.returned_at is null
  ) as "uses"
from
  "promotions"
where
  "promotions"."tenant_id" = $1
  and "promotions"."deleted_at" is null
  and "promotions"."active" = $2
order by
  "promotions"."created_at" desc,
  "promotions"."id" desc
limit
  $3;

-- codes.listCodes
-- $2 string, $3 number
select
  "promotion_codes".*,
  (
    select
      count(*)::integer
    from
      promotion_usages usages
    where
      usages.tenant_id = promotion_codes.tenant_id
      and usages.promotion_id = promotion_codes.promotion_id
      and usages.code_key = promotion_codes.code_key
      and usages.returned_at is null
  ) as "uses"
from
  "promotion_codes"
where
  "promotion_codes"."tenant_id" = $1
  and "promotion_codes"."promotion_id" = $2
order by
  "promotion_codes"."created_at" desc,
  "promotion_codes"."id" desc
limit
  $3;

-- discounts.readConsidered
-- $2 Date, $3 string, $4 string, $5 string, $6 string[], $7 string, $8 string[]
with
  entered as (
    select
      code,
      code_key,
      row_number() over (
        order by
          created_at,
          code_key
      ) as position
    from
      promotion_cart_codes
    where
      tenant_id = $1
      and cart_id = $5
    union all
    select
      typed.code,
      typed.code_key,
      typed.position + 1000
    from
      unnest($6::text[], $8::text[]) with ordinality as typed (code, code_key, position)
  ),
  found as (
    select
      id,
      null as code,
      0 as position,
      false as is_disabled,
      false as is_used_up
    from
      promotions
    where
      tenant_id = $1
      and automatic
      and status = 'active'
      and deleted_at is null
      and (
        starts_at is null
        or starts_at <= $2
      )
      and (
        ends_at is null
        or ends_at > $2
      )
    union all
    select
      codes.promotion_id,
      entered.code,
      entered.position,
      codes.disabled_at is not null,
      coalesce(codes.claimed >= codes.max_uses, false)
    from
      entered
      left join promotion_codes codes on codes.tenant_id = $1
      and codes.code_key = entered.code_key
  )
select
  promotions.id,
  promotions.label,
  promotions.priority,
  promotions.exclusive,
  coalesce(
    case
      when promotions.discount = '{"kind":"fixed","amounts":[{"amount":0,"currency":"USN"}]}' then promotions.offer
    end,
    promotions.discount
  ) as discount,
  promotions.rules,
  promotions.max_uses_per_customer,
  found.code,
  found.is_disabled
  or promotions.status <> 'active' as is_disabled,
  coalesce(promotions.starts_at > $2, false) as is_not_started,
  coalesce(promotions.ends_at <= $2, false) as is_expired,
  found.is_used_up
  or coalesce(promotions.claimed >= promotions.max_uses, false)
  or coalesce(
    (
      select
        customers.uses >= promotions.max_uses_per_customer
      from
        promotion_customers customers
      where
        customers.tenant_id = $1
        and customers.promotion_id = promotions.id
        and customers.customer_key = $7
    ),
    false
  ) as is_used_up,
  case
    when (promotions.rules ->> 'firstOrder')::boolean then exists (
      select
      from
        orders
      where
        orders.tenant_id = $1
        and orders.status <> 'canceled'
        and (
          orders.member_id = $3::uuid
          or orders.email_key = $4::text
        )
    )
    else false
  end as has_ordered
from
  found
  left join promotions on promotions.tenant_id = $1
  and promotions.id = found.id
  and promotions.deleted_at is null
order by
  promotions.priority desc nulls last,
  promotions.created_at,
  promotions.id,
  found.position;

-- uses.claimUses
-- $2 string[], $3 null[], $4 null[], $5 number[], $6 string[], $7 string[], $8 string[], $9 string, $10 string, $11 string
with
  uses as (
    select
      *
    from
      unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::uuid[], $7::uuid[], $8::jsonb[]) as use (promotion_id, code, code_key, amount, id, event_id, payload)
  ),
  held as materialized (
    select
      id,
      max_uses is not null as is_limited,
      deleted_at is null as has_codes,
      least(
        max_uses_per_customer,
        case
          when (rules ->> 'firstOrder')::boolean then 1
        end
      ) as max_of_customer
    from
      promotions
    where
      tenant_id = $1
      and id = any ($2::uuid[])
    order by
      id
    for key share
  ),
  limited as materialized (
    select
      id,
      claimed,
      max_uses
    from
      promotions
    where
      tenant_id = $1
      and id = any (
        array(
          select
            id
          from
            held
          where
            is_limited
        )
      )
    order by
      id
    for no key update
  ),
  claimed_promotions as (
    update promotions
    set
      claimed = limited.claimed + 1
    from
      limited
    where
      promotions.tenant_id = $1
      and promotions.id = any ($2::uuid[])
      and promotions.id = limited.id
      and limited.claimed < limited.max_uses
    returning
      1
  ),
  promotions_verdict as (
    select
      (
        select
          count(*)
        from
          held
      ) = cardinality($2::uuid[])
      and (
        select
          count(*)
        from
          claimed_promotions
      ) = (
        select
          count(*)
        from
          limited
      ) as are_claimed
  ),
  claimed_customers as (
    insert into
      promotion_customers as customers (tenant_id, promotion_id, customer_key, uses, max_uses)
    select
      $1,
      id,
      $10,
      1,
      max_of_customer
    from
      held
    where
      $10::text is not null
      and (
        select
          are_claimed
        from
          promotions_verdict
      )
    order by
      id
    on conflict (tenant_id, promotion_id, customer_key) do update
    set
      uses = customers.uses + 1,
      max_uses = excluded.max_uses
    where
      excluded.max_uses is null
      or customers.uses < excluded.max_uses
    returning
      1
  ),
  used as (
    insert into
      promotion_usages (tenant_id, id, promotion_id, order_id, code, code_key, amount, currency, customer_key)
    select
      $1,
      id,
      promotion_id,
      $9,
      code,
      code_key,
      amount,
      $11,
      $10
    from
      uses
  ),
  published as (
    insert into
      event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
    select
      $1,
      event_id,
      'promotion.used',
      'promotion',
      promotion_id,
      payload
    from
      uses
  )
select
  (
    select
      are_claimed
    from
      promotions_verdict
  )
  and (
    $10::text is null
    or (
      select
        count(*)
      from
        claimed_customers
    ) = cardinality($2::uuid[])
  ) as are_claimed;

-- uses.claimUses with a code
-- $2 string[], $3 string[], $4 string[], $5 number[], $6 string[], $7 string[], $8 string[], $9 string, $10 string, $11 string
with
  uses as (
    select
      *
    from
      unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::uuid[], $7::uuid[], $8::jsonb[]) as use (promotion_id, code, code_key, amount, id, event_id, payload)
  ),
  held as materialized (
    select
      id,
      max_uses is not null as is_limited,
      deleted_at is null as has_codes,
      least(
        max_uses_per_customer,
        case
          when (rules ->> 'firstOrder')::boolean then 1
        end
      ) as max_of_customer
    from
      promotions
    where
      tenant_id = $1
      and id = any ($2::uuid[])
    order by
      id
    for key share
  ),
  limited as materialized (
    select
      id,
      claimed,
      max_uses
    from
      promotions
    where
      tenant_id = $1
      and id = any (
        array(
          select
            id
          from
            held
          where
            is_limited
        )
      )
    order by
      id
    for no key update
  ),
  claimed_promotions as (
    update promotions
    set
      claimed = limited.claimed + 1
    from
      limited
    where
      promotions.tenant_id = $1
      and promotions.id = any ($2::uuid[])
      and promotions.id = limited.id
      and limited.claimed < limited.max_uses
    returning
      1
  ),
  promotions_verdict as (
    select
      (
        select
          count(*)
        from
          held
      ) = cardinality($2::uuid[])
      and (
        select
          count(*)
        from
          claimed_promotions
      ) = (
        select
          count(*)
        from
          limited
      ) as are_claimed
  ),
  entered as materialized (
    select
      codes.id,
      codes.max_uses is not null as is_limited
    from
      uses
      join held on held.id = uses.promotion_id
      and held.has_codes
      join promotion_codes codes on codes.tenant_id = $1
      and codes.code_key = any ($4::text[])
      and codes.code_key = uses.code_key
      and codes.promotion_id = uses.promotion_id
    where
      (
        select
          are_claimed
        from
          promotions_verdict
      )
  ),
  limited_codes as materialized (
    select
      id,
      claimed,
      max_uses
    from
      promotion_codes
    where
      tenant_id = $1
      and id = any (
        array(
          select
            id
          from
            entered
          where
            is_limited
        )
      )
    order by
      promotion_id
    for no key update
  ),
  claimed_codes as (
    update promotion_codes codes
    set
      claimed = limited_codes.claimed + 1
    from
      limited_codes
    where
      codes.tenant_id = $1
      and codes.id = any (
        array(
          select
            id
          from
            entered
        )
      )
      and codes.id = limited_codes.id
      and limited_codes.claimed < limited_codes.max_uses
    returning
      1
  ),
  codes_verdict as (
    select
      (
        select
          are_claimed
        from
          promotions_verdict
      )
      and (
        select
          count(*)
        from
          entered
      ) = (
        select
          count(code_key)
        from
          uses
      )
      and (
        select
          count(*)
        from
          claimed_codes
      ) = (
        select
          count(*)
        from
          entered
        where
          is_limited
      ) as are_claimed
  ),
  claimed_customers as (
    insert into
      promotion_customers as customers (tenant_id, promotion_id, customer_key, uses, max_uses)
    select
      $1,
      id,
      $10,
      1,
      max_of_customer
    from
      held
    where
      $10::text is not null
      and (
        select
          are_claimed
        from
          codes_verdict
      )
    order by
      id
    on conflict (tenant_id, promotion_id, customer_key) do update
    set
      uses = customers.uses + 1,
      max_uses = excluded.max_uses
    where
      excluded.max_uses is null
      or customers.uses < excluded.max_uses
    returning
      1
  ),
  used as (
    insert into
      promotion_usages (tenant_id, id, promotion_id, order_id, code, code_key, amount, currency, customer_key)
    select
      $1,
      id,
      promotion_id,
      $9,
      code,
      code_key,
      amount,
      $11,
      $10
    from
      uses
  ),
  published as (
    insert into
      event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
    select
      $1,
      event_id,
      'promotion.used',
      'promotion',
      promotion_id,
      payload
    from
      uses
  )
select
  (
    select
      are_claimed
    from
      codes_verdict
  )
  and (
    $10::text is null
    or (
      select
        count(*)
      from
        claimed_customers
    ) = cardinality($2::uuid[])
  ) as are_claimed;

-- uses.exportUses
-- $2 string[], $3 string[]
select
  usages.order_id,
  usages.code,
  promotions.label,
  usages.amount,
  usages.currency,
  usages.created_at
from
  promotion_usages usages
  join promotions on promotions.tenant_id = $1
  and promotions.id = usages.promotion_id
where
  usages.tenant_id = $1
  and (
    customer_key = any ($2::text[])
    or order_id = any ($3::uuid[])
  )
order by
  usages.id;

-- uses.detachUses
-- $2 string[], $3 string[]
update promotion_usages
set
  customer_key = null
where
  tenant_id = $1
  and (
    customer_key = any ($2::text[])
    or order_id = any ($3::uuid[])
  );
