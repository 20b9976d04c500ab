-- Statements that @carton/pricing composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- products.copyToRegion
-- $2 string, $3 string
insert into
  product_prices (tenant_id, product_id, currency, region_id, amount)
select
  tenant_id,
  product_id,
  currency,
  $2::uuid,
  amount
from
  product_prices
where
  tenant_id = $1
  and currency = $3
  and region_id = '00000000-0000-0000-0000-000000000000';
