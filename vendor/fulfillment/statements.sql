-- Statements that @carton/fulfillment composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- parcels.fulfillments.page
-- $2 string, $3 number
select
  "fulfillments".*,
  (
    select
      coalesce(
        json_agg(
          json_build_object('lineItemId', line_item_id, 'quantity', quantity)
          order by
            line_item_id
        ),
        '[]'
      )
    from
      fulfillment_items items
    where
      items.tenant_id = fulfillments.tenant_id
      and items.fulfillment_id = fulfillments.id
  ) as "units"
from
  "fulfillments"
where
  "fulfillments"."tenant_id" = $1
  and "fulfillments"."order_id" = $2
order by
  "fulfillments"."created_at" desc,
  "fulfillments"."id" desc
limit
  $3;
