-- Statements that @carton/tax composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- providers.findQuotes
-- $2 string
select
  coalesce(
    (
      select
        json_object_agg(code, provider_code)
      from
        tax_categories
      where
        tenant_id = $1
        and provider_code is not null
    ),
    '{}'
  ) as codes,
  coalesce(
    (
      select
        json_agg(json_build_object('digest', quote.digest, 'answer', quote.answer))
      from
        (
          select
            digest,
            answer
          from
            tax_quotes
          where
            tenant_id = $1
            and sale_key = $2
            and expires_at > now()
          order by
            expires_at desc
          limit
            20
        ) quote
    ),
    '[]'
  ) as quotes;

-- sales.isExemptMember
-- $2 string
select
  $1::uuid is not null
  and (
    exists (
      select
      from
        members
      where
        members.tenant_id = $1
        and members.id = $2::uuid
        and members.tax_exempt is not null
    )
  ) as is_exempt;

-- rates.taxRates.page
-- $2 string, $3 string, $4 number
select
  "tax_rates".*,
  (tax_rates.rate::float8) as "rate",
  (
    case
      when (
        left(tax_rates.province, 12) = 'postal code '
        or left(tax_rates.province, 12) = 'POSTAL CODE '
        and exists (
          select
          from
            tax_rate_postal_codes bounds
          where
            bounds.tenant_id = tax_rates.tenant_id
            and bounds.rate_id = tax_rates.id
        )
      ) then substr(tax_rates.province, 13)
    end
  ) as "postal_code"
from
  "tax_rates"
where
  "tax_rates"."tenant_id" = $1
  and "tax_rates"."country" = $2
  and "tax_rates"."province" in ($3)
order by
  "tax_rates"."created_at" desc,
  "tax_rates"."id" desc
limit
  $4;

-- rates.insertRate
-- $2 string, $3 string, $4 string, $5 string
insert into
  "tax_rates" (tenant_id, "id", "country", "code", "province")
values
  ($1, $2, $3, $4, $5)
returning
  *;

-- $2 string
select
  "tax_rates".*,
  (tax_rates.rate::float8) as "rate",
  (
    case
      when (
        left(tax_rates.province, 12) = 'postal code '
        or left(tax_rates.province, 12) = 'POSTAL CODE '
        and exists (
          select
          from
            tax_rate_postal_codes bounds
          where
            bounds.tenant_id = tax_rates.tenant_id
            and bounds.rate_id = tax_rates.id
        )
      ) then substr(tax_rates.province, 13)
    end
  ) as "postal_code"
from
  "tax_rates"
where
  "tax_rates".tenant_id = $1
  and "tax_rates".id = $2;

-- $2 string, $3 string[]
select
from
  tax_rates own
  join tax_rates other on other.tenant_id = $1
  and other.country = own.country
  and other.code = own.code
  and other.id <> own.id
  and other.category_id is not distinct from own.category_id
  and other.province = any ($3)
  and (
    left(other.province, 12) = 'postal code '
    or left(other.province, 12) = 'POSTAL CODE '
    and exists (
      select
      from
        tax_rate_postal_codes bounds
      where
        bounds.tenant_id = other.tenant_id
        and bounds.rate_id = other.id
    )
  )
where
  own.tenant_id = $1
  and own.id = $2;

-- $2 string, $3 string, $4 string, $5 string
insert into
  "tax_rate_postal_codes" (tenant_id, "rate_id", "country", "postal_from", "postal_to")
values
  ($1, $2, $3, $4, $5)
returning
  *;

-- rates.findRatesAt
-- $2 string, $3 string[], $4 string
select
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            rates.id,
            'code',
            rates.code,
            'name',
            rates.name,
            'rate',
            rates.rate::float8,
            'province',
            rates.province,
            'postalCode',
            case
              when (
                left(rates.province, 12) = 'postal code '
                or left(rates.province, 12) = 'POSTAL CODE '
                and exists (
                  select
                  from
                    tax_rate_postal_codes bounds
                  where
                    bounds.tenant_id = rates.tenant_id
                    and bounds.rate_id = rates.id
                )
              ) then substr(rates.province, 13)
            end,
            'compound',
            rates.compound,
            'override',
            rates.override,
            'category',
            category.code
          )
          order by
            rates.code,
            rates.id
        ),
        '[]'
      )
    from
      tax_rates rates
      left join tax_categories category on category.tenant_id = $1
      and category.id = rates.category_id
    where
      rates.tenant_id = $1
      and rates.country = place.code
      and (
        rates.province is null
        or rates.province = any ($3::text[])
        and not (
          left(rates.province, 12) = 'postal code '
          or left(rates.province, 12) = 'POSTAL CODE '
          and exists (
            select
            from
              tax_rate_postal_codes bounds
            where
              bounds.tenant_id = rates.tenant_id
              and bounds.rate_id = rates.id
          )
        )
      )
  ) as rates,
  exists (
    select
    from
      tax_rates others
    where
      others.tenant_id = $1
      and others.country = place.code
      and others.province is not null
      and not (
        left(others.province, 12) = 'postal code '
        or left(others.province, 12) = 'POSTAL CODE '
        and exists (
          select
          from
            tax_rate_postal_codes bounds
          where
            bounds.tenant_id = others.tenant_id
            and bounds.rate_id = others.id
        )
      )
  ) as has_provinces,
  exists (
    select
    from
      tax_rate_postal_codes codes
    where
      codes.tenant_id = $1
      and codes.country = place.code
  ) as has_postal_codes
from
  (
    select
      coalesce(
        $2,
        (
          select
            min(places.country)
          from
            region_countries places
          where
            places.tenant_id = $1
            and places.region_id = $4::uuid
          having
            count(*) = 1
        ),
        (
          select
            own_store.country
          from
            (
              select
                stores.tenant_id,
                stores.default_currency,
                stores.settings -> 'store' ->> 'country' as country,
                (stores.settings -> 'store' ->> 'defaultRegionId')::uuid as default_region_id
              from
                stores
              where
                stores.tenant_id = $1
            ) own_store
        )
      ) as code
    offset
      0
  ) place;

-- rates.findRatesOfCode
-- $2 string, $3 string[]
select
  json_build_object(
    'id',
    rates.id,
    'code',
    rates.code,
    'name',
    rates.name,
    'rate',
    rates.rate::float8,
    'province',
    null,
    'postalCode',
    case
      when (
        left(rates.province, 12) = 'postal code '
        or left(rates.province, 12) = 'POSTAL CODE '
        and exists (
          select
          from
            tax_rate_postal_codes bounds
          where
            bounds.tenant_id = rates.tenant_id
            and bounds.rate_id = rates.id
        )
      ) then substr(rates.province, 13)
    end,
    'compound',
    rates.compound,
    'override',
    rates.override,
    'category',
    category.code
  ) as rate
from
  tax_rate_postal_codes codes
  join tax_rates rates on rates.tenant_id = $1
  and rates.id = codes.rate_id
  left join tax_categories category on category.tenant_id = $1
  and category.id = rates.category_id
where
  codes.tenant_id = $1
  and codes.country = $2
  and exists (
    select
    from
      unnest($3::text[]) as written (key)
    where
      written.key >= codes.postal_from
      and written.key <= codes.postal_to || '~'
  )
order by
  rates.code,
  rates.id;
