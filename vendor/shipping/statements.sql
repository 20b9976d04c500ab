-- Statements that @carton/shipping composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- options.shippingOptions.page
-- $2 number
select
  "shipping_options".*,
  (
    select
      coalesce(
        json_agg(
          json_build_object('currency', currency, 'from', from_value, 'to', to_value, 'amount', amount)
          order by
            currency,
            from_value
        ),
        '[]'
      )
    from
      shipping_rates rates
    where
      rates.tenant_id = shipping_options.tenant_id
      and rates.option_id = shipping_options.id
  ) as "rates"
from
  "shipping_options"
where
  "shipping_options"."tenant_id" = $1
order by
  "shipping_options"."created_at" desc,
  "shipping_options"."id" desc
limit
  $2;

-- zones.shippingZones.page
-- $2 number
select
  "shipping_zones".*,
  (
    select
      coalesce(
        json_agg(
          json_build_object('country', grouped.country, 'provinces', grouped.provinces, 'postalCodes', grouped.postal_codes)
          order by
            grouped.country
        ),
        '[]'
      )
    from
      (
        select
          country,
          coalesce(
            json_agg(
              province
              order by
                province
            ) filter (
              where
                province is not null
            ),
            '[]'
          ) as provinces,
          coalesce(
            json_agg(
              postal_code
              order by
                postal_code
            ) filter (
              where
                postal_code is not null
            ),
            '[]'
          ) as postal_codes
        from
          shipping_zone_places places
        where
          places.tenant_id = shipping_zones.tenant_id
          and places.zone_id = shipping_zones.id
        group by
          country
      ) grouped
  ) as "places"
from
  "shipping_zones"
where
  "shipping_zones"."tenant_id" = $1
order by
  "shipping_zones"."created_at" desc,
  "shipping_zones"."id" desc
limit
  $2;

-- carriers.findQuotes
-- $2 string
select
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
            shipping_quotes
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

-- carts.putDelivery
-- $2 string, $3 string
insert into
  cart_shipping_methods as chosen (tenant_id, cart_id, profile, option_id)
select
  options.tenant_id,
  $2::uuid,
  coalesce(options.profile, ''),
  options.id
from
  shipping_options options
where
  options.tenant_id = $1
  and options.id = $3
  and options.type <> 'pickup'
on conflict (tenant_id, cart_id, profile) do update
set
  option_id = excluded.option_id,
  pickup_location_id = null;

-- sales.findChosen
-- $2 string
select
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'profile',
            nullif(chosen.profile, ''),
            'optionId',
            chosen.option_id,
            'pickupLocationId',
            chosen.pickup_location_id
          )
        ),
        '[]'
      )
    from
      cart_shipping_methods chosen
    where
      chosen.tenant_id = $1
      and chosen.cart_id = $2
  ) as methods;

-- sales.findOffers
-- $2 string, $3 string[], $4 string[], $5 string, $6 boolean, $7 string[]
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
        and places.region_id = $5::uuid
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
  ) as country,
  (
    select
      coalesce(
        json_agg(
          json_build_object('zoneId', zone_id, 'country', places.country, 'province', province, 'postalCode', postal_code)
          order by
            zone_id
        ),
        '[]'
      )
    from
      shipping_zone_places places
    where
      places.tenant_id = $1
      and places.country = coalesce(
        $2,
        (
          select
            min(places.country)
          from
            region_countries places
          where
            places.tenant_id = $1
            and places.region_id = $5::uuid
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
      )
      and (
        places.province is null
        or places.province = any ($3::text[])
      )
      and (
        places.postal_from is null
        or exists (
          select
          from
            unnest($4::text[]) as written (key)
          where
            written.key >= places.postal_from
            and written.key <= places.postal_to || '~'
        )
      )
  ) as places,
  exists (
    select
    from
      shipping_zone_places parts
    where
      parts.tenant_id = $1
      and parts.country = coalesce(
        $2,
        (
          select
            min(places.country)
          from
            region_countries places
          where
            places.tenant_id = $1
            and places.region_id = $5::uuid
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
      )
      and parts.province is not null
  ) as has_provinces,
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            options.id,
            'code',
            options.code,
            'name',
            options.name,
            'zoneId',
            options.zone_id,
            'zoneName',
            (
              select
                zones.name
              from
                shipping_zones zones
              where
                zones.tenant_id = $1
                and zones.id = options.zone_id
            ),
            'profile',
            options.profile,
            'type',
            options.type,
            'carrierService',
            options.carrier_service,
            'freeFrom',
            options.free_from,
            'rates',
            (
              select
                coalesce(
                  json_agg(
                    json_build_object('currency', currency, 'from', from_value, 'to', to_value, 'amount', amount)
                    order by
                      currency,
                      from_value
                  ),
                  '[]'
                )
              from
                shipping_rates rates
              where
                rates.tenant_id = options.tenant_id
                and rates.option_id = options.id
            )
          )
          order by
            options.created_at,
            options.id
        ),
        '[]'
      )
    from
      shipping_options options
    where
      options.tenant_id = $1
      and (
        $6
        or options.id = any ($7::uuid[])
      )
  ) as options,
  (
    select
      coalesce(json_agg(code), '[]')
    from
      shipping_profiles
    where
      tenant_id = $1
  ) as profiles;
