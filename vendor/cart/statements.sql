-- Statements that @carton/cart composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- findActiveCart
-- $2 string
select
  carts.id,
  carts.status,
  carts.order_id,
  carts.member_id,
  carts.region_id,
  carts.currency,
  carts.locale,
  carts.email,
  chosen.country,
  carts.note,
  nullif(
    coalesce(
      carts.tax_number,
      (
        select
          members.tax_number
        from
          members
        where
          members.tenant_id = $1
          and members.id = carts.member_id
      )
    ),
    ''
  ) as tax_number,
  carts.pickup_address,
  carts.version,
  carts.created_at,
  carts.updated_at,
  (
    select
      json_object_agg(
        addresses.type,
        json_build_object(
          'name',
          addresses.name,
          'company',
          addresses.company,
          'line1',
          addresses.line1,
          'line2',
          addresses.line2,
          'city',
          nullif(addresses.city, ''),
          'province',
          addresses.province,
          'postalCode',
          addresses.postal_code,
          'country',
          addresses.country,
          'phone',
          addresses.phone
        )
      )
    from
      cart_addresses addresses
    where
      addresses.tenant_id = $1
      and addresses.cart_id = carts.id
  ) as addresses,
  coalesce(
    (
      select
        json_agg(
          json_build_object(
            'id',
            lines.id,
            'variantId',
            lines.variant_id,
            'quantity',
            lines.quantity,
            'properties',
            lines.properties,
            'addedTitle',
            lines.added_title
          )
          order by
            lines.id
        )
      from
        cart_line_items lines
      where
        lines.tenant_id = $1
        and lines.cart_id = carts.id
    ),
    '[]'
  ) as lines,
  json_build_object(
    'promotions',
    (
      json_build_object(
        'codes',
        (
          select
            coalesce(
              json_agg(
                codes.code
                order by
                  codes.created_at,
                  codes.code_key
              ),
              '[]'
            )
          from
            promotion_cart_codes codes
          where
            codes.tenant_id = $1
            and codes.cart_id = carts.id
        )
      )
    ),
    'shipping',
    (
      json_build_object(
        'methods',
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
            and chosen.cart_id = carts.id
        )
      )
    )
  ) as choices,
  exists (
    select
    from
      stock_reservations
    where
      stock_reservations.tenant_id = $1
      and stock_reservations.reference_type = 'cart'
      and stock_reservations.reference_id = carts.id
  ) as is_reserved,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version
from
  carts
  left join cart_countries chosen on chosen.tenant_id = $1
  and chosen.cart_id = carts.id
where
  carts.tenant_id = $1
  and carts.session_hash = $2
  and carts.status = 'active';

-- findActiveCart of a member
-- $2 string
select
  carts.id,
  carts.status,
  carts.order_id,
  carts.member_id,
  carts.region_id,
  carts.currency,
  carts.locale,
  carts.email,
  chosen.country,
  carts.note,
  nullif(
    coalesce(
      carts.tax_number,
      (
        select
          members.tax_number
        from
          members
        where
          members.tenant_id = $1
          and members.id = carts.member_id
      )
    ),
    ''
  ) as tax_number,
  carts.pickup_address,
  carts.version,
  carts.created_at,
  carts.updated_at,
  (
    select
      json_object_agg(
        addresses.type,
        json_build_object(
          'name',
          addresses.name,
          'company',
          addresses.company,
          'line1',
          addresses.line1,
          'line2',
          addresses.line2,
          'city',
          nullif(addresses.city, ''),
          'province',
          addresses.province,
          'postalCode',
          addresses.postal_code,
          'country',
          addresses.country,
          'phone',
          addresses.phone
        )
      )
    from
      cart_addresses addresses
    where
      addresses.tenant_id = $1
      and addresses.cart_id = carts.id
  ) as addresses,
  coalesce(
    (
      select
        json_agg(
          json_build_object(
            'id',
            lines.id,
            'variantId',
            lines.variant_id,
            'quantity',
            lines.quantity,
            'properties',
            lines.properties,
            'addedTitle',
            lines.added_title
          )
          order by
            lines.id
        )
      from
        cart_line_items lines
      where
        lines.tenant_id = $1
        and lines.cart_id = carts.id
    ),
    '[]'
  ) as lines,
  json_build_object(
    'promotions',
    (
      json_build_object(
        'codes',
        (
          select
            coalesce(
              json_agg(
                codes.code
                order by
                  codes.created_at,
                  codes.code_key
              ),
              '[]'
            )
          from
            promotion_cart_codes codes
          where
            codes.tenant_id = $1
            and codes.cart_id = carts.id
        )
      )
    ),
    'shipping',
    (
      json_build_object(
        'methods',
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
            and chosen.cart_id = carts.id
        )
      )
    )
  ) as choices,
  exists (
    select
    from
      stock_reservations
    where
      stock_reservations.tenant_id = $1
      and stock_reservations.reference_type = 'cart'
      and stock_reservations.reference_id = carts.id
  ) as is_reserved,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version
from
  carts
  left join cart_countries chosen on chosen.tenant_id = $1
  and chosen.cart_id = carts.id
where
  carts.tenant_id = $1
  and carts.member_id = $2
  and carts.status = 'active';

-- findCart
-- $2 string
select
  carts.id,
  carts.status,
  carts.order_id,
  carts.member_id,
  carts.region_id,
  carts.currency,
  carts.locale,
  carts.email,
  chosen.country,
  carts.note,
  nullif(
    coalesce(
      carts.tax_number,
      (
        select
          members.tax_number
        from
          members
        where
          members.tenant_id = $1
          and members.id = carts.member_id
      )
    ),
    ''
  ) as tax_number,
  carts.pickup_address,
  carts.version,
  carts.created_at,
  carts.updated_at,
  (
    select
      json_object_agg(
        addresses.type,
        json_build_object(
          'name',
          addresses.name,
          'company',
          addresses.company,
          'line1',
          addresses.line1,
          'line2',
          addresses.line2,
          'city',
          nullif(addresses.city, ''),
          'province',
          addresses.province,
          'postalCode',
          addresses.postal_code,
          'country',
          addresses.country,
          'phone',
          addresses.phone
        )
      )
    from
      cart_addresses addresses
    where
      addresses.tenant_id = $1
      and addresses.cart_id = carts.id
  ) as addresses,
  coalesce(
    (
      select
        json_agg(
          json_build_object(
            'id',
            lines.id,
            'variantId',
            lines.variant_id,
            'quantity',
            lines.quantity,
            'properties',
            lines.properties,
            'addedTitle',
            lines.added_title
          )
          order by
            lines.id
        )
      from
        cart_line_items lines
      where
        lines.tenant_id = $1
        and lines.cart_id = carts.id
    ),
    '[]'
  ) as lines,
  json_build_object(
    'promotions',
    (
      json_build_object(
        'codes',
        (
          select
            coalesce(
              json_agg(
                codes.code
                order by
                  codes.created_at,
                  codes.code_key
              ),
              '[]'
            )
          from
            promotion_cart_codes codes
          where
            codes.tenant_id = $1
            and codes.cart_id = carts.id
        )
      )
    ),
    'shipping',
    (
      json_build_object(
        'methods',
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
            and chosen.cart_id = carts.id
        )
      )
    )
  ) as choices,
  exists (
    select
    from
      stock_reservations
    where
      stock_reservations.tenant_id = $1
      and stock_reservations.reference_type = 'cart'
      and stock_reservations.reference_id = carts.id
  ) as is_reserved,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version
from
  carts
  left join cart_countries chosen on chosen.tenant_id = $1
  and chosen.cart_id = carts.id
where
  carts.tenant_id = $1
  and carts.id = $2;

-- lockSnapshotCart
-- $2 string
with
  found as materialized (
    select
      carts.id,
      carts.version
    from
      carts
    where
      carts.tenant_id = $1
      and carts.session_hash = $2
      and carts.status = 'active'
  )
select
  carts.id,
  carts.status,
  carts.order_id,
  carts.member_id,
  carts.region_id,
  carts.currency,
  carts.locale,
  carts.email,
  chosen.country,
  carts.note,
  nullif(
    coalesce(
      carts.tax_number,
      (
        select
          members.tax_number
        from
          members
        where
          members.tenant_id = $1
          and members.id = carts.member_id
      )
    ),
    ''
  ) as tax_number,
  carts.pickup_address,
  carts.version,
  carts.created_at,
  carts.updated_at,
  (
    select
      json_object_agg(
        addresses.type,
        json_build_object(
          'name',
          addresses.name,
          'company',
          addresses.company,
          'line1',
          addresses.line1,
          'line2',
          addresses.line2,
          'city',
          nullif(addresses.city, ''),
          'province',
          addresses.province,
          'postalCode',
          addresses.postal_code,
          'country',
          addresses.country,
          'phone',
          addresses.phone
        )
      )
    from
      cart_addresses addresses
    where
      addresses.tenant_id = $1
      and addresses.cart_id = carts.id
  ) as addresses,
  coalesce(
    (
      select
        json_agg(
          json_build_object(
            'id',
            lines.id,
            'variantId',
            lines.variant_id,
            'quantity',
            lines.quantity,
            'properties',
            lines.properties,
            'addedTitle',
            lines.added_title
          )
          order by
            lines.id
        )
      from
        cart_line_items lines
      where
        lines.tenant_id = $1
        and lines.cart_id = carts.id
    ),
    '[]'
  ) as lines,
  json_build_object(
    'promotions',
    (
      json_build_object(
        'codes',
        (
          select
            coalesce(
              json_agg(
                codes.code
                order by
                  codes.created_at,
                  codes.code_key
              ),
              '[]'
            )
          from
            promotion_cart_codes codes
          where
            codes.tenant_id = $1
            and codes.cart_id = carts.id
        )
      )
    ),
    'shipping',
    (
      json_build_object(
        'methods',
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
            and chosen.cart_id = carts.id
        )
      )
    )
  ) as choices,
  exists (
    select
    from
      stock_reservations
    where
      stock_reservations.tenant_id = $1
      and stock_reservations.reference_type = 'cart'
      and stock_reservations.reference_id = carts.id
  ) as is_reserved,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version,
  found.version as found_version
from
  found
  join carts
  left join cart_countries chosen on chosen.tenant_id = $1
  and chosen.cart_id = carts.id on carts.id = found.id
where
  carts.tenant_id = $1
for update of
  carts;

-- touchActiveCart
-- $2 string
update carts
set
  version = version + 1,
  updated_at = now()
where
  carts.tenant_id = $1
  and carts.session_hash = $2
  and carts.status = 'active'
returning
  carts.id,
  carts.region_id,
  carts.currency,
  carts.locale,
  carts.member_id,
  carts.email,
  carts.note,
  carts.tax_number,
  (
    select
      chosen.country
    from
      cart_countries chosen
    where
      chosen.tenant_id = $1
      and chosen.cart_id = carts.id
  ) as country,
  carts.pickup_address is not null as is_picked_up,
  not exists (
    select
    from
      cart_line_items lines
    where
      lines.tenant_id = $1
      and lines.cart_id = carts.id
  ) as is_empty;

-- insertCart
-- $2 string, $3 string, $4 null, $5 null, $6 null, $7 null, $8 null, $9 null, $10 null
insert into
  carts (tenant_id, id, session_hash, member_id, region_id, currency, locale, email, note, tax_number)
select
  own_store.tenant_id,
  $2,
  $3,
  $4,
  $5::uuid,
  coalesce(
    $6,
    (
      select
        chosen.currency
      from
        (
          select
            regions.id,
            regions.currency
          from
            regions
          where
            regions.tenant_id = $1
            and regions.id = $5::uuid
        ) chosen
    ),
    own_store.default_currency
  ),
  $7,
  $8,
  $9,
  $10
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
on conflict do nothing
returning
  carts.id,
  carts.region_id,
  carts.currency,
  carts.locale,
  carts.member_id,
  carts.email,
  carts.note,
  carts.tax_number,
  (
    select
      chosen.country
    from
      cart_countries chosen
    where
      chosen.tenant_id = $1
      and chosen.cart_id = carts.id
  ) as country,
  carts.pickup_address is not null as is_picked_up,
  not exists (
    select
    from
      cart_line_items lines
    where
      lines.tenant_id = $1
      and lines.cart_id = carts.id
  ) as is_empty;

-- findSessionsOf
-- $2 string, $3 string[], $4 string[], $5 string[]
select
  session_hash
from
  carts
where
  tenant_id = $1
  and (
    carts.member_id = $2
    or (
      carts.member_id is null
      and (
        lower(carts.email) = any ($3::text[])
        or carts.order_id = any ($4::uuid[])
      )
    )
    or (
      carts.status = 'active'
      and carts.session_hash = any ($5::text[])
    )
  );

-- exportCarts
-- $2 string, $3 string[], $4 string[], $5 string[]
select
  status,
  email,
  note,
  nullif(tax_number, '') as tax_number,
  created_at,
  updated_at,
  (
    select
      coalesce(json_agg(to_jsonb(addresses) - '{tenant_id,cart_id}'::text[]), '[]')
    from
      cart_addresses addresses
    where
      addresses.tenant_id = $1
      and addresses.cart_id = carts.id
  ) as addresses,
  (
    select
      coalesce(json_agg(to_jsonb(lines) - '{tenant_id,cart_id}'::text[]), '[]')
    from
      cart_line_items lines
    where
      lines.tenant_id = $1
      and lines.cart_id = carts.id
  ) as items
from
  carts
where
  tenant_id = $1
  and (
    carts.member_id = $2
    or (
      carts.member_id is null
      and (
        lower(carts.email) = any ($3::text[])
        or carts.order_id = any ($4::uuid[])
      )
    )
    or (
      carts.status = 'active'
      and carts.session_hash = any ($5::text[])
    )
  )
order by
  carts.id;

-- lockCartsOf
-- $2 string, $3 string[], $4 string[], $5 string[]
select
  id
from
  carts
where
  tenant_id = $1
  and (
    carts.member_id = $2
    or (
      carts.member_id is null
      and (
        lower(carts.email) = any ($3::text[])
        or carts.order_id = any ($4::uuid[])
      )
    )
    or (
      carts.status = 'active'
      and carts.session_hash = any ($5::text[])
    )
  )
order by
  id
for update;

-- findTermsAt
-- $2 string, $3 null
select
  found.id as region_id,
  found.currency
from
  (
    select
      coalesce(
        $3::uuid,
        coalesce(
          (
            select
              places.region_id
            from
              (
                select
                  $2::text as code
                offset
                  0
              ) wanted
              join region_countries places on places.tenant_id = $1
              and places.country = wanted.code
          ),
          (
            select
              candidates.id
            from
              (
                select
                  own_store.default_region_id as value
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
                offset
                  0
              ) wanted
              join regions candidates on candidates.tenant_id = $1
              and candidates.id = wanted.value
          ),
          (
            select
              places.region_id
            from
              (
                select
                  own_store.country as value
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
                offset
                  0
              ) wanted
              join region_countries places on places.tenant_id = $1
              and places.country = wanted.value
          ),
          (
            select
              candidates.id
            from
              regions candidates
            where
              candidates.tenant_id = $1
              and candidates.currency = (
                select
                  own_store.default_currency
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
              and exists (
                select
                from
                  region_countries places
                where
                  places.tenant_id = $1
                  and places.region_id = candidates.id
              )
            order by
              candidates.created_at,
              candidates.id
            limit
              1
          ),
          (
            select
              candidates.id
            from
              regions candidates
            where
              candidates.tenant_id = $1
              and true
              and exists (
                select
                from
                  region_countries places
                where
                  places.tenant_id = $1
                  and places.region_id = candidates.id
              )
            order by
              candidates.created_at,
              candidates.id
            limit
              1
          )
        )
      ) as id
    offset
      0
  ) wanted
  cross join lateral (
    select
      regions.id,
      regions.currency
    from
      regions
    where
      regions.tenant_id = $1
      and regions.id = wanted.id
  ) found;

-- findPriceTerms
-- $2 string
select
  carts.region_id,
  coalesce(
    carts.pickup_address ->> 'country',
    (
      select
        addresses.country
      from
        cart_addresses addresses
      where
        addresses.tenant_id = $1
        and addresses.cart_id = carts.id
        and addresses.type = 'shipping'
    ),
    (
      select
        chosen.country
      from
        cart_countries chosen
      where
        chosen.tenant_id = $1
        and chosen.cart_id = carts.id
    )
  ) as place,
  coalesce(carts.currency, own_store.default_currency) as currency,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version
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
  left join carts on carts.tenant_id = $1
  and carts.session_hash = $2
  and carts.status = 'active';

-- findTermsOfCarts
-- $2 string[]
select
  carts.id,
  carts.region_id,
  coalesce(
    carts.pickup_address ->> 'country',
    (
      select
        addresses.country
      from
        cart_addresses addresses
      where
        addresses.tenant_id = $1
        and addresses.cart_id = carts.id
        and addresses.type = 'shipping'
    ),
    (
      select
        chosen.country
      from
        cart_countries chosen
      where
        chosen.tenant_id = $1
        and chosen.cart_id = carts.id
    )
  ) as place,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version
from
  carts
where
  carts.tenant_id = $1
  and carts.id = any ($2::uuid[]);

-- admin.listCarts
-- $2 string, $3 number
select
  "carts".*,
  (
    select
      coalesce(sum(quantity), 0)
    from
      cart_line_items lines
    where
      lines.tenant_id = carts.tenant_id
      and lines.cart_id = carts.id
  ) as "item_count"
from
  "carts"
where
  "carts"."tenant_id" = $1
  and "carts"."status" = $2
order by
  "carts"."created_at" desc,
  "carts"."id" desc
limit
  $3;

-- $2 array
select
  carts.id,
  carts.region_id,
  coalesce(
    carts.pickup_address ->> 'country',
    (
      select
        addresses.country
      from
        cart_addresses addresses
      where
        addresses.tenant_id = $1
        and addresses.cart_id = carts.id
        and addresses.type = 'shipping'
    ),
    (
      select
        chosen.country
      from
        cart_countries chosen
      where
        chosen.tenant_id = $1
        and chosen.cart_id = carts.id
    )
  ) as place,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version
from
  carts
where
  carts.tenant_id = $1
  and carts.id = any ($2::uuid[]);

-- orders.lockCompletedCart
-- $2 string
select
  carts.id,
  carts.region_id,
  carts.currency,
  carts.locale,
  carts.member_id,
  carts.email,
  carts.note,
  carts.tax_number,
  (
    select
      chosen.country
    from
      cart_countries chosen
    where
      chosen.tenant_id = $1
      and chosen.cart_id = carts.id
  ) as country,
  carts.pickup_address is not null as is_picked_up,
  not exists (
    select
    from
      cart_line_items lines
    where
      lines.tenant_id = $1
      and lines.cart_id = carts.id
  ) as is_empty,
  carts.session_hash
from
  carts
where
  carts.tenant_id = $1
  and carts.id = $2
  and carts.status = 'completed'
for update of
  carts;

-- quotes.ask
-- $2 string, $3 string, $4 string, $5 number
with
  expired as (
    delete from tax_quotes
    where
      tenant_id = $1
      and (sale_key, digest) in (
        select
          sale_key,
          digest
        from
          tax_quotes
        where
          tenant_id = $1
          and expires_at < now()
          and digest <> $3
        order by
          expires_at
        limit
          10
        for update
          skip locked
      )
  )
insert into
  tax_quotes (tenant_id, sale_key, digest, answer, expires_at)
values
  ($1, $2, $3, $4, now() + $5 * interval '1 minute')
on conflict (tenant_id, sale_key, digest) do update
set
  answer = excluded.answer,
  expires_at = excluded.expires_at;

-- items.addToLine
-- $2 string, $3 string, $4 string, $5 number, $6 string, $7 string
insert into
  cart_line_items (tenant_id, id, cart_id, variant_id, quantity, properties, properties_key, added_title)
values
  (
    $1,
    $2,
    $3,
    $4,
    $5,
    $6,
    $7,
    (
      select
        products.title
      from
        product_variants variants
        join products on products.tenant_id = $1
        and products.id = variants.product_id
      where
        variants.tenant_id = $1
        and variants.id = $4
    )
  )
on conflict (tenant_id, cart_id, variant_id, properties_key) do update
set
  quantity = cart_line_items.quantity + excluded.quantity,
  added_title = excluded.added_title,
  updated_at = now()
where
  cart_line_items.quantity + excluded.quantity <= 9999
returning
  id;

-- items.replaceLines
-- $2 string, $3 string
with
  target as materialized (
    select
      *
    from
      jsonb_to_recordset($3::jsonb) as target (id uuid, variant_id uuid, quantity integer, properties jsonb, key text)
  ),
  removed as (
    delete from cart_line_items
    where
      tenant_id = $1
      and cart_id = $2
      and (variant_id, properties_key) not in (
        select
          variant_id,
          key
        from
          target
      )
  )
insert into
  cart_line_items (tenant_id, id, cart_id, variant_id, quantity, properties, properties_key, added_title)
select
  $1,
  id,
  $2,
  variant_id,
  quantity,
  properties,
  key,
  (
    select
      products.title
    from
      product_variants variants
      join products on products.tenant_id = $1
      and products.id = variants.product_id
    where
      variants.tenant_id = $1
      and variants.id = target.variant_id
  )
from
  target
on conflict (tenant_id, cart_id, variant_id, properties_key) do update
set
  quantity = excluded.quantity,
  added_title = excluded.added_title,
  updated_at = now()
where
  cart_line_items.quantity <> excluded.quantity;

-- items.moveLines
-- $2 string, $3 string
with
  added as (
    update cart_line_items existing
    set
      quantity = least(existing.quantity + moved.quantity, 9999),
      updated_at = now()
    from
      cart_line_items moved
    where
      existing.tenant_id = $1
      and existing.cart_id = $3
      and moved.tenant_id = $1
      and moved.cart_id = $2
      and moved.variant_id = existing.variant_id
      and moved.properties_key = existing.properties_key
    returning
      moved.id
  ),
  removed as (
    delete from cart_line_items
    where
      tenant_id = $1
      and cart_id = $2
      and id in (
        select
          id
        from
          added
      )
  )
update cart_line_items
set
  cart_id = $3
where
  tenant_id = $1
  and cart_id = $2
  and id not in (
    select
      id
    from
      added
  );
