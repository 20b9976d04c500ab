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
