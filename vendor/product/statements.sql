-- Statements that @carton/product composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- products.page
select
  created_at
from
  tenants
where
  id = $1;

-- productVariants.page
-- $2 string[], $3 number
select
  "product_variants".*
from
  "product_variants"
where
  "product_variants"."tenant_id" = $1
  and "product_variants"."deleted_at" is null
  and sku = any ($2::text[])
order by
  "product_variants"."created_at" desc,
  "product_variants"."id" desc
limit
  $3;

-- countProducts
select
  count(*)::int as count
from
  products
where
  tenant_id = $1
  and deleted_at is null;

-- filters.entriesOf
-- $2 string[]
select
  count(*)::int as count
from
  (
    select
      listed.product_id
    from
      product_tags listed
    where
      listed.tenant_id = $1
      and listed.tag_key = any ($2::text[])
    limit
      100
  ) listed;

-- filters.findNextListed
-- $2 number, $3 string[]
select
  id
from
  (
    select
      id
    from
      products
    where
      tenant_id = $1
      and products.status = 'published'
      and products.deleted_at is null
      and coalesce(products.publish_at <= now(), true)
      and coalesce(products.unpublish_at > now(), true)
      and true
    order by
      products.created_at desc,
      products.id desc
    limit
      1000
  ) products
where
  (
    select
      true
    from
      product_tags listed
    where
      listed.tenant_id = $1
      and listed.tag_key = any ($3::text[])
      and listed.product_id = products.id
    limit
      1
  )
limit
  $2;

-- filters.isFirstListed
-- $2 number, $3 string[], $4 number
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      *
    from
      (
        select
          id,
          handle,
          title,
          description,
          brand,
          type,
          tags,
          attributes,
          seo_title,
          seo_description,
          status,
          tax_category,
          shipping_profile,
          min_quantity,
          max_quantity,
          quantity_step,
          publish_at,
          unpublish_at,
          external_id,
          metadata,
          created_at,
          updated_at,
          products.created_at as sort_key
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and id = any (
            array(
              select
                product_id
              from
                (
                  select distinct
                    product_created_at,
                    product_id
                  from
                    unnest($3::text[]) as wanted (list_id)
                    cross join lateral (
                      select
                        *
                      from
                        (
                          select
                            listed.product_created_at,
                            listed.product_id
                          from
                            product_tags listed
                            cross join lateral (
                              select
                                *
                              from
                                products
                              where
                                tenant_id = $1
                                and id = listed.product_id
                              offset
                                0
                            ) products
                          where
                            listed.tenant_id = $1
                            and listed.tag_key = wanted.list_id
                            and products.status = 'published'
                            and products.deleted_at is null
                            and coalesce(products.publish_at <= now(), true)
                            and coalesce(products.unpublish_at > now(), true)
                          order by
                            listed.product_created_at desc,
                            listed.product_id desc
                          limit
                            101
                        ) first
                      limit
                        $4
                    ) found
                  order by
                    product_created_at desc,
                    product_id desc
                  limit
                    $4
                ) merged
            )
          )
        order by
          products.created_at desc,
          products.id desc
        limit
          101
      ) page
    limit
      $2
  ) product
order by
  sort_key desc,
  id desc;

-- filters.isFirstListed after a place
-- $2 number, $3 string[], $4 number, $5 string, $6 string
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      *
    from
      (
        select
          id,
          handle,
          title,
          description,
          brand,
          type,
          tags,
          attributes,
          seo_title,
          seo_description,
          status,
          tax_category,
          shipping_profile,
          min_quantity,
          max_quantity,
          quantity_step,
          publish_at,
          unpublish_at,
          external_id,
          metadata,
          created_at,
          updated_at,
          products.created_at as sort_key
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and id = any (
            array(
              select
                product_id
              from
                (
                  select distinct
                    product_created_at,
                    product_id
                  from
                    unnest($3::text[]) as wanted (list_id)
                    cross join lateral (
                      select
                        *
                      from
                        (
                          select
                            listed.product_created_at,
                            listed.product_id
                          from
                            product_tags listed
                            cross join lateral (
                              select
                                *
                              from
                                products
                              where
                                tenant_id = $1
                                and id = listed.product_id
                              offset
                                0
                            ) products
                          where
                            listed.tenant_id = $1
                            and listed.tag_key = wanted.list_id
                            and (listed.product_created_at, listed.product_id) < ($5::timestamptz, $6::uuid)
                            and products.status = 'published'
                            and products.deleted_at is null
                            and coalesce(products.publish_at <= now(), true)
                            and coalesce(products.unpublish_at > now(), true)
                          order by
                            listed.product_created_at desc,
                            listed.product_id desc
                          limit
                            101
                        ) first
                      limit
                        $4
                    ) found
                  order by
                    product_created_at desc,
                    product_id desc
                  limit
                    $4
                ) merged
            )
          )
        order by
          products.created_at desc,
          products.id desc
        limit
          101
      ) page
    limit
      $2
  ) product
order by
  sort_key desc,
  id desc;

-- filters.listOfRange
-- $2 number, $3 string, $4 string, $5 number, $6 number, $7 string, $8 string, $9 number, $10 number
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      *
    from
      (
        select
          id,
          handle,
          title,
          description,
          brand,
          type,
          tags,
          attributes,
          seo_title,
          seo_description,
          status,
          tax_category,
          shipping_profile,
          min_quantity,
          max_quantity,
          quantity_step,
          publish_at,
          unpublish_at,
          external_id,
          metadata,
          created_at,
          updated_at,
          products.created_at as sort_key
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and (
            select
              true
            from
              product_prices listed
            where
              listed.tenant_id = $1
              and listed.currency = $3::text
              and listed.region_id = (
                case
                  when exists (
                    select
                    from
                      variant_prices own_prices
                    where
                      own_prices.tenant_id = $1
                      and own_prices.region_id = $4::uuid
                  ) then $4::uuid
                  else '00000000-0000-0000-0000-000000000000'
                end
              )
              and listed.amount >= $5::bigint
              and listed.amount <= $6::bigint
              and listed.product_id = products.id
            limit
              1
          )
          and id = any (
            array(
              select
                listed.product_id
              from
                product_prices listed
              where
                listed.tenant_id = $1
                and listed.currency = $7::text
                and listed.region_id = (
                  case
                    when exists (
                      select
                      from
                        variant_prices own_prices
                      where
                        own_prices.tenant_id = $1
                        and own_prices.region_id = $8::uuid
                    ) then $8::uuid
                    else '00000000-0000-0000-0000-000000000000'
                  end
                )
                and listed.amount >= $9::bigint
                and listed.amount <= $10::bigint
            )
          )
        order by
          products.created_at desc,
          products.id desc
        limit
          101
      ) page
    limit
      $2
  ) product
order by
  sort_key desc,
  id desc;

-- filters.orderByMeasure
-- $2 number, $3 number, $4 string, $5 string, $6 number, $7 number
with
  scanned as materialized (
    select
      *
    from
      (
        select
          products.*
        from
          products
          join product_prices measured on measured.tenant_id = products.tenant_id
          and measured.product_id = products.id
        where
          products.tenant_id = $1
          and measured.tenant_id = $1
          and measured.currency = $4::text
          and measured.region_id = (
            case
              when exists (
                select
                from
                  variant_prices own_prices
                where
                  own_prices.tenant_id = $1
                  and own_prices.region_id = $5::uuid
              ) then $5::uuid
              else '00000000-0000-0000-0000-000000000000'
            end
          )
          and measured.amount >= $6::bigint
          and measured.amount <= $7::bigint
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and true
        order by
          measured.amount asc,
          measured.product_id asc
        limit
          1010
      ) page
    limit
      $2
  )
select
  id,
  null::int as steps
from
  (
    select
      id
    from
      scanned products
    where
      true
    limit
      $3
  ) found
union all
select
  null,
  count(*)::int
from
  scanned;

-- filters.findHidden
-- $2 string
select
  measured.units as number
from
  product_stock measured
where
  measured.tenant_id = $1
  and measured.product_id = $2
  and true;

-- filters.findNext
-- $2 number, $3 number, $4 string, $5 string, $6 string, $7 string[]
with
  scanned as materialized (
    select
      *
    from
      (
        select
          products.*
        from
          products
        where
          products.tenant_id = $1
          and true
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and true
        order by
          products.created_at desc,
          products.id desc
        limit
          1010
      ) page
    limit
      $2
  )
select
  id,
  null::int as steps
from
  (
    select
      id
    from
      scanned products
    where
      (
        select
          true
        from
          product_title_words
        where
          tenant_id = $1
          and product_id = products.id
          and (
            word_from >= left(lower($4), 40)
            and word_from <= left(lower($4), 40) || repeat(chr(1114111), 40)
          )
        limit
          1
      )
      and (
        select
          true
        from
          product_title_words
        where
          tenant_id = $1
          and product_id = products.id
          and (
            word_from >= left(lower($5), 40)
            and word_from <= left(lower($5), 40) || repeat(chr(1114111), 40)
            or word_from >= left(lower($6), 40)
            and word_from <= left(lower($6), 40) || repeat(chr(1114111), 40)
          )
        limit
          1
      )
      and (
        select
          true
        from
          product_tags listed
        where
          listed.tenant_id = $1
          and listed.tag_key = any ($7::text[])
          and listed.product_id = products.id
        limit
          1
      )
    limit
      $3
  ) found
union all
select
  null,
  count(*)::int
from
  scanned;

-- filters.listOfColumns
-- $2 string, $3 string
select
  count(*)::int as count
from
  (
    select
      id as product_id
    from
      products
    where
      tenant_id = $1
      and deleted_at is null
      and brand = $2
      and type = $3
    limit
      100
  ) listed;

-- lists.listInOrder
-- $2 number
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      *
    from
      (
        select
          id,
          handle,
          title,
          description,
          brand,
          type,
          tags,
          attributes,
          seo_title,
          seo_description,
          status,
          tax_category,
          shipping_profile,
          min_quantity,
          max_quantity,
          quantity_step,
          publish_at,
          unpublish_at,
          external_id,
          metadata,
          created_at,
          updated_at,
          products.created_at as sort_key
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
        order by
          products.created_at desc,
          products.id desc
        limit
          101
      ) page
    limit
      $2
  ) product
order by
  sort_key desc,
  id desc;

-- lists.listInOrder by title, with some fields
-- $2 number
select
  product.*,
  '[]'::json as options,
  '[]'::json as variants,
  '[]'::json as media
from
  (
    select
      *
    from
      (
        select
          id,
          handle,
          title,
          description,
          brand,
          type,
          tags,
          attributes,
          seo_title,
          seo_description,
          status,
          tax_category,
          shipping_profile,
          min_quantity,
          max_quantity,
          quantity_step,
          publish_at,
          unpublish_at,
          external_id,
          metadata,
          created_at,
          updated_at,
          products.title_key as sort_key
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
        order by
          products.title_key asc,
          products.id asc
        limit
          101
      ) page
    limit
      $2
  ) product
order by
  sort_key asc,
  id asc;

-- lists.titleIndex
create index on products (tenant_id, title_key collate "de-x-icu", id)
where
  status = 'published'
  and deleted_at is null;

-- products.isVisible
-- $2 string
select
  1
from
  products
where
  tenant_id = $1
  and id = $2
  and products.status = 'published'
  and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true)
  and coalesce(products.unpublish_at > now(), true);

-- reads.findVariantRows
-- $2 string[]
select
  variants.id,
  variants.product_id,
  variants.sku,
  variants.title,
  products.title as product_title,
  products.handle as product_handle,
  products.status as product_status,
  products.status = 'published'
  and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true)
  and coalesce(products.unpublish_at > now(), true) as published,
  products.tax_category,
  products.shipping_profile,
  products.min_quantity,
  products.max_quantity,
  products.quantity_step,
  variants.weight,
  variants.requires_shipping,
  coalesce(greatest(products.publish_at, products.unpublish_at) > now(), false) as is_scheduled,
  variants.deleted_at is not null
  or products.deleted_at is not null as deleted,
  (
    products.status = 'published'
    and products.deleted_at is null
    and coalesce(products.publish_at <= now(), true)
    and coalesce(products.unpublish_at > now(), true)
  ) is not true as hidden
from
  product_variants variants
  join products on products.tenant_id = $1
  and products.id = variants.product_id
where
  variants.tenant_id = $1
  and variants.id = any ($2);

-- reads.findVariantRowsWithChoices
-- $2 string[]
select
  variants.id,
  variants.product_id,
  variants.sku,
  variants.title,
  products.title as product_title,
  products.handle as product_handle,
  products.status as product_status,
  products.status = 'published'
  and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true)
  and coalesce(products.unpublish_at > now(), true) as published,
  products.tax_category,
  products.shipping_profile,
  products.min_quantity,
  products.max_quantity,
  products.quantity_step,
  variants.weight,
  variants.requires_shipping,
  coalesce(greatest(products.publish_at, products.unpublish_at) > now(), false) as is_scheduled,
  variants.deleted_at is not null
  or products.deleted_at is not null as deleted,
  (
    products.status = 'published'
    and products.deleted_at is null
    and coalesce(products.publish_at <= now(), true)
    and coalesce(products.unpublish_at > now(), true)
  ) is not true as hidden,
  variants.option_value_ids
from
  product_variants variants
  join products on products.tenant_id = $1
  and products.id = variants.product_id
where
  variants.tenant_id = $1
  and variants.id = any ($2);

-- reads.findPublishedProducts
-- $2 string[], $3 number
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      id,
      handle,
      title,
      description,
      brand,
      type,
      tags,
      attributes,
      seo_title,
      seo_description,
      status,
      tax_category,
      shipping_profile,
      min_quantity,
      max_quantity,
      quantity_step,
      publish_at,
      unpublish_at,
      external_id,
      metadata,
      created_at,
      updated_at,
      array_position($2::uuid[], id) as place
    from
      products
    where
      tenant_id = $1
      and id = any ($2)
      and products.status = 'published'
      and products.deleted_at is null
      and coalesce(products.publish_at <= now(), true)
      and coalesce(products.unpublish_at > now(), true)
      and true
    order by
      place
    limit
      $3
  ) product
order by
  place;

-- reads.findPublishedProductId
-- $2 string
select
  id
from
  products
where
  tenant_id = $1
  and handle = $2
  and products.status = 'published'
  and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true)
  and coalesce(products.unpublish_at > now(), true)
  and true;

-- $2 string
select
  id
from
  products
where
  tenant_id = $1
  and id = (
    select
      product_id
    from
      product_old_handles
    where
      tenant_id = $1
      and handle = any (array[$2::text, $2::text || ' kept'])
    order by
      length(handle)
    limit
      1
  )
  and products.status = 'published'
  and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true)
  and coalesce(products.unpublish_at > now(), true)
  and true;

-- reads.findPublishedProduct
-- $2 string
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      id,
      handle,
      title,
      description,
      brand,
      type,
      tags,
      attributes,
      seo_title,
      seo_description,
      status,
      tax_category,
      shipping_profile,
      min_quantity,
      max_quantity,
      quantity_step,
      publish_at,
      unpublish_at,
      external_id,
      metadata,
      created_at,
      updated_at
    from
      products
    where
      tenant_id = $1
      and id = $2
      and products.status = 'published'
      and products.deleted_at is null
      and coalesce(products.publish_at <= now(), true)
      and coalesce(products.unpublish_at > now(), true)
      and true
  ) product;

-- reads.findPublishedProductOfVariant
-- $2 string
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      id,
      handle,
      title,
      description,
      brand,
      type,
      tags,
      attributes,
      seo_title,
      seo_description,
      status,
      tax_category,
      shipping_profile,
      min_quantity,
      max_quantity,
      quantity_step,
      publish_at,
      unpublish_at,
      external_id,
      metadata,
      created_at,
      updated_at
    from
      products
    where
      tenant_id = $1
      and id = (
        select
          product_id
        from
          product_variants
        where
          tenant_id = $1
          and id = $2
          and deleted_at is null
      )
      and products.status = 'published'
      and products.deleted_at is null
      and coalesce(products.publish_at <= now(), true)
      and coalesce(products.unpublish_at > now(), true)
      and true
  ) product;

-- reads.findProducts
-- $2 string[]
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds",
          hs_code as "hsCode",
          origin_country as "originCountry",
          requires_shipping as "requiresShipping",
          external_id as "externalId",
          metadata,
          to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
          to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      id,
      handle,
      title,
      description,
      brand,
      type,
      tags,
      attributes,
      seo_title,
      seo_description,
      status,
      tax_category,
      shipping_profile,
      min_quantity,
      max_quantity,
      quantity_step,
      publish_at,
      unpublish_at,
      external_id,
      metadata,
      created_at,
      updated_at
    from
      products
    where
      tenant_id = $1
      and id = any ($2)
      and deleted_at is null
  ) product
order by
  array_position($2::uuid[], product.id);

-- reads.findOptions
-- $2 string[]
select
  product.id,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options
from
  products product
where
  tenant_id = $1
  and id = any ($2);

-- rules.filterProductsByRule
-- $2 string, $3 string, $4 string, $5 string
select
  "products"."id"
from
  "products"
where
  "products"."tenant_id" = $1
  and "products"."id" in ($2)
  and "deleted_at" is null
  and (
    strpos(
      replace(
        replace(
          replace(
            lower(
              replace(
                regexp_replace(normalize(products.title, NFKC), '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]', '', 'g'),
                'İ',
                'I'
              )
            ),
            'ß',
            'ss'
          ),
          'ς',
          'σ'
        ),
        'ı',
        'i'
      ),
      replace(
        replace(
          replace(
            lower(
              replace(
                regexp_replace(normalize($3, NFKC), '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]', '', 'g'),
                'İ',
                'I'
              )
            ),
            'ß',
            'ss'
          ),
          'ς',
          'σ'
        ),
        'ı',
        'i'
      )
    ) > 0
    and exists (
      select
        1
      from
        product_variants variant
      where
        variant.tenant_id = products.tenant_id
        and variant.product_id = products.id
        and variant.deleted_at is null
        and starts_with(
          replace(
            replace(
              replace(
                lower(
                  replace(
                    regexp_replace(normalize(variant.sku, NFKC), '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]', '', 'g'),
                    'İ',
                    'I'
                  )
                ),
                'ß',
                'ss'
              ),
              'ς',
              'σ'
            ),
            'ı',
            'i'
          ),
          replace(
            replace(
              replace(
                lower(
                  replace(
                    regexp_replace(normalize($4, NFKC), '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]', '', 'g'),
                    'İ',
                    'I'
                  )
                ),
                'ß',
                'ss'
              ),
              'ς',
              'σ'
            ),
            'ı',
            'i'
          )
        )
    )
    and exists (
      select
        1
      from
        product_variants variant
      where
        variant.tenant_id = products.tenant_id
        and variant.product_id = products.id
        and variant.deleted_at is null
        and exists (
          select
            1
          from
            product_option_values choice
          where
            choice.tenant_id = variant.tenant_id
            and choice.id = any (variant.option_value_ids)
            and replace(
              replace(
                replace(
                  lower(
                    replace(
                      regexp_replace(
                        normalize(btrim(choice.value), NFKC),
                        '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]',
                        '',
                        'g'
                      ),
                      'İ',
                      'I'
                    )
                  ),
                  'ß',
                  'ss'
                ),
                'ς',
                'σ'
              ),
              'ı',
              'i'
            ) = replace(
              replace(
                replace(
                  lower(
                    replace(
                      regexp_replace(normalize($5, NFKC), '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]', '', 'g'),
                      'İ',
                      'I'
                    )
                  ),
                  'ß',
                  'ss'
                ),
                'ς',
                'σ'
              ),
              'ı',
              'i'
            )
        )
    )
  );

-- rules.pageByRule
-- $2 string, $3 string, $4 number
select
  "products".*
from
  "products"
where
  "products"."tenant_id" = $1
  and "products"."status" = $2
  and "products"."deleted_at" is null
  and (
    strpos(
      replace(
        replace(
          replace(
            lower(
              replace(
                regexp_replace(normalize(products.title, NFKC), '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]', '', 'g'),
                'İ',
                'I'
              )
            ),
            'ß',
            'ss'
          ),
          'ς',
          'σ'
        ),
        'ı',
        'i'
      ),
      replace(
        replace(
          replace(
            lower(
              replace(
                regexp_replace(normalize($3, NFKC), '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]', '', 'g'),
                'İ',
                'I'
              )
            ),
            'ß',
            'ss'
          ),
          'ς',
          'σ'
        ),
        'ı',
        'i'
      )
    ) > 0
  )
  and products.status = 'published'
  and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true)
  and coalesce(products.unpublish_at > now(), true)
  and products.status = 'published'
  and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true)
  and coalesce(products.unpublish_at > now(), true)
order by
  "products"."created_at" desc,
  "products"."id" desc
limit
  $4;

-- schedule.setNextChange
-- $2 string
update products
set
  visibility_changes_at = case
    when status <> 'published'
    or deleted_at is not null then null
    when publish_at > now() then publish_at
    when unpublish_at > now() then unpublish_at
  end
where
  tenant_id = $1
  and id = $2
returning
  (
    status = 'published'
    and unpublish_at <= now()
  ) is true as is_over;

-- search.hasWords
-- $2 number, $3 string, $4 string, $5 string, $6 string[], $7 string, $8 string, $9 string
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      *
    from
      (
        select
          id,
          handle,
          title,
          description,
          brand,
          type,
          tags,
          attributes,
          seo_title,
          seo_description,
          status,
          tax_category,
          shipping_profile,
          min_quantity,
          max_quantity,
          quantity_step,
          publish_at,
          unpublish_at,
          external_id,
          metadata,
          created_at,
          updated_at,
          products.created_at as sort_key
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and id = any (
            array(
              (
                (
                  select
                    product_id
                  from
                    product_title_words
                  where
                    tenant_id = $1
                    and status = any ($6)
                    and word_from >= left(lower($3), 40)
                    and word_from <= left(lower($3), 40) || repeat(chr(1114111), 40)
                )
              )
              intersect
              (
                (
                  select
                    product_id
                  from
                    product_title_words
                  where
                    tenant_id = $1
                    and status = any ($6)
                    and word_from >= left(lower($4), 40)
                    and word_from <= left(lower($4), 40) || repeat(chr(1114111), 40)
                )
                union all
                (
                  select
                    product_id
                  from
                    product_title_words
                  where
                    tenant_id = $1
                    and status = any ($6)
                    and word_from >= left(lower($5), 40)
                    and word_from <= left(lower($5), 40) || repeat(chr(1114111), 40)
                )
              )
            )
          )
          and (
            select
              true
            from
              product_title_words
            where
              tenant_id = $1
              and product_id = products.id
              and (
                word_from >= left(lower($7), 40)
                and word_from <= left(lower($7), 40) || repeat(chr(1114111), 40)
              )
            limit
              1
          )
          and (
            select
              true
            from
              product_title_words
            where
              tenant_id = $1
              and product_id = products.id
              and (
                word_from >= left(lower($8), 40)
                and word_from <= left(lower($8), 40) || repeat(chr(1114111), 40)
                or word_from >= left(lower($9), 40)
                and word_from <= left(lower($9), 40) || repeat(chr(1114111), 40)
              )
            limit
              1
          )
        order by
          products.created_at desc,
          products.id desc
        limit
          101
      ) page
    limit
      $2
  ) product
order by
  sort_key desc,
  id desc;

-- search.titled, a long word
-- $2 number, $3 string
select
  product.*,
  (
    select
      coalesce(json_agg(ordered), '[]')
    from
      (
        select
          id,
          name,
          (
            select
              coalesce(json_agg(choice), '[]')
            from
              (
                select
                  id,
                  value
                from
                  product_option_values
                where
                  tenant_id = $1
                  and option_id = option.id
                order by
                  position
              ) choice
          ) as "values"
        from
          product_options option
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) ordered
  ) as options,
  (
    select
      coalesce(json_agg(variant), '[]')
    from
      (
        select
          id,
          product_id as "productId",
          title,
          sku,
          barcode,
          position,
          weight,
          length,
          width,
          height,
          option_value_ids as "optionValueIds"
        from
          product_variants
        where
          tenant_id = $1
          and product_id = product.id
          and deleted_at is null
        order by
          position,
          id
      ) variant
  ) as variants,
  (
    select
      coalesce(json_agg(medium), '[]')
    from
      (
        select
          media_asset_id as id,
          alt_text as "altText",
          variant_ids as "variantIds"
        from
          product_medias
        where
          tenant_id = $1
          and product_id = product.id
        order by
          position
      ) medium
  ) as media
from
  (
    select
      *
    from
      (
        select
          id,
          handle,
          title,
          description,
          brand,
          type,
          tags,
          attributes,
          seo_title,
          seo_description,
          status,
          tax_category,
          shipping_profile,
          min_quantity,
          max_quantity,
          quantity_step,
          publish_at,
          unpublish_at,
          external_id,
          metadata,
          created_at,
          updated_at,
          products.created_at as sort_key
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
          and (
            select
              true
            from
              product_title_words
            where
              tenant_id = $1
              and product_id = products.id
              and (
                word_from >= left(lower($3), 40)
                and word_from <= left(lower($3), 40) || repeat(chr(1114111), 40)
              )
            limit
              1
          )
          and (
            strpos(title_key, lower($3)) > 0
            or exists (
              select
              from
                product_variants variants
              where
                variants.tenant_id = $1
                and variants.product_id = products.id
                and variants.deleted_at is null
                and starts_with(lower(variants.sku), lower($3))
            )
          )
        order by
          products.created_at desc,
          products.id desc
        limit
          101
      ) page
    limit
      $2
  ) product
order by
  sort_key desc,
  id desc;

-- search.findMatches
-- $2 number, $3 number, $4 string, $5 string, $6 string, $7 string[]
with
  words as materialized (
    select
      array[
        (
          select
            count(*)::int
          from
            (
              (
                select
                  product_id
                from
                  product_title_words
                where
                  tenant_id = $1
                  and status = any ($7)
                  and word_from >= left(lower($4), 40)
                  and word_from <= left(lower($4), 40) || repeat(chr(1114111), 40)
                limit
                  500
              )
              limit
                500
            ) found
        ),
        (
          select
            count(*)::int
          from
            (
              (
                select
                  product_id
                from
                  product_title_words
                where
                  tenant_id = $1
                  and status = any ($7)
                  and word_from >= left(lower($5), 40)
                  and word_from <= left(lower($5), 40) || repeat(chr(1114111), 40)
                limit
                  500
              )
              union all
              (
                select
                  product_id
                from
                  product_title_words
                where
                  tenant_id = $1
                  and status = any ($7)
                  and word_from >= left(lower($6), 40)
                  and word_from <= left(lower($6), 40) || repeat(chr(1114111), 40)
                limit
                  500
              )
              limit
                500
            ) found
        )
      ] as counts
  )
select
  counts,
  null::uuid as id
from
  words
union all
select
  null,
  id
from
  (
    select
      *
    from
      (
        select
          products.*
        from
          products
        where
          products.tenant_id = $1
          and products.status = 'published'
          and products.deleted_at is null
          and coalesce(products.publish_at <= now(), true)
          and coalesce(products.unpublish_at > now(), true)
        order by
          products.created_at desc,
          products.id desc
        limit
          1680
      ) listed
    limit
      $2
  ) products
where
  (
    select
      500 = all (counts)
    from
      words
  )
  and (
    select
      true
    from
      product_title_words
    where
      tenant_id = $1
      and product_id = products.id
      and (
        word_from >= left(lower($4), 40)
        and word_from <= left(lower($4), 40) || repeat(chr(1114111), 40)
      )
    limit
      1
  )
  and (
    select
      true
    from
      product_title_words
    where
      tenant_id = $1
      and product_id = products.id
      and (
        word_from >= left(lower($5), 40)
        and word_from <= left(lower($5), 40) || repeat(chr(1114111), 40)
        or word_from >= left(lower($6), 40)
        and word_from <= left(lower($6), 40) || repeat(chr(1114111), 40)
      )
    limit
      1
  )
  and true
union all
select
  null,
  null
from
  (
    select
      count(*) as steps
    from
      (
        select
          *
        from
          (
            select
              products.*
            from
              products
            where
              products.tenant_id = $1
              and products.status = 'published'
              and products.deleted_at is null
              and coalesce(products.publish_at <= now(), true)
              and coalesce(products.unpublish_at > now(), true)
            order by
              products.created_at desc,
              products.id desc
            limit
              1680
          ) listed
        limit
          $2
      ) scanned
  ) counted
where
  (
    select
      500 = all (counts)
    from
      words
  )
  and steps < $2
limit
  $3;

-- search.listSearchedTextsAfter
-- $2 string
select
  products.id,
  products.title,
  coalesce(
    (
      select
        array_agg(variants.sku)
      from
        product_variants variants
      where
        variants.tenant_id = products.tenant_id
        and variants.product_id = products.id
        and variants.deleted_at is null
        and variants.sku is not null
    ),
    '{}'
  ) as skus
from
  products
where
  tenant_id = $1
  and deleted_at is null
  and (
    $2::uuid is null
    or id > $2
  )
order by
  id
limit
  200;

-- search.findCheckTimes
select
  coalesce(parted_to - interval '15 minutes', '-infinity')::text as since,
  now()::text as now
from
  product_word_progress
where
  tenant_id = $1;

-- search.listChanged
-- $2 string, $3 string
select
  id,
  id as product_id,
  updated_at::text as changed_at
from
  products
where
  tenant_id = $1
  and deleted_at is null
  and (updated_at, id) > ($2::timestamptz, $3::uuid)
order by
  updated_at,
  id
limit
  200;

-- search.insertTitleWords
-- $2 string
insert into
  product_title_words (tenant_id, product_id, status, word_from)
select distinct
  tenant_id,
  id,
  status,
  left(substr(title_key, place), 40)
from
  products
  cross join lateral generate_series(1, length(title_key)) as place
where
  tenant_id = $1
  and id = $2
  and deleted_at is null
  and substr(title_key, place, 1) !~ '[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'
  and substr(' ' || title_key, place, 2) ~ '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e00-\u109f\u1100-\u11ff\u1360-\u1368\u1680\u1780-\u180e\u1950-\u1aaf\u1b00-\u1b7f\u2000-\u2bff\u2e00-\ua4cf\ua960-\ua97f\ua980-\ua9ff\uaa60-\uaadf\uac00-\ufaff\ufe10-\ufe6f\uff00-\uffff\U00010000-\U0010ffff]';

-- search.findSearchedTexts
-- $2 string
select
  products.id,
  products.title,
  coalesce(
    (
      select
        array_agg(variants.sku)
      from
        product_variants variants
      where
        variants.tenant_id = products.tenant_id
        and variants.product_id = products.id
        and variants.deleted_at is null
        and variants.sku is not null
    ),
    '{}'
  ) as skus
from
  products
where
  tenant_id = $1
  and id = $2
  and deleted_at is null;

-- search.listSearchedTexts
-- $2 string[]
select
  products.id,
  products.title,
  coalesce(
    (
      select
        array_agg(variants.sku)
      from
        product_variants variants
      where
        variants.tenant_id = products.tenant_id
        and variants.product_id = products.id
        and variants.deleted_at is null
        and variants.sku is not null
    ),
    '{}'
  ) as skus
from
  products
where
  tenant_id = $1
  and id = any ($2::uuid[])
  and deleted_at is null;

-- schedule.lockDueProducts
select
  id
from
  products
where
  tenant_id = $1
  and visibility_changes_at <= now()
  and deleted_at is null
order by
  visibility_changes_at
limit
  100
for update
  skip locked;
