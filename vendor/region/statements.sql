-- Statements that @carton/region composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- regions.page
-- $2 string, $3 number
select
  "regions".*,
  (
    array(
      select
        country
      from
        region_countries countries
      where
        countries.tenant_id = regions.tenant_id
        and countries.region_id = regions.id
      order by
        country
    )
  ) as "countries"
from
  "regions"
where
  "regions"."tenant_id" = $1
  and regions.id in (
    select
      region_id
    from
      region_countries
    where
      region_countries.tenant_id = regions.tenant_id
      and country = $2
  )
order by
  "regions"."created_at" desc,
  "regions"."id" desc
limit
  $3;
