-- Statements that @carton/media composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- assets.mediaAssets.page
-- $2 string[], $3 number
select
  found.id,
  found.created_at
from
  unnest($2::text[]) as choice (kind)
  cross join lateral (
    select
      id,
      created_at
    from
      "media_assets" listed
    where
      listed.tenant_id = $1
      and listed.kind = choice.kind
      and listed.kind >= choice.kind
    order by
      created_at desc,
      id desc
    limit
      $3
  ) found
order by
  found.created_at desc,
  found.id desc
limit
  $3;

-- assets.findAsset
-- $2 string
select
  *
from
  media_assets
where
  tenant_id = $1
  and id = $2
for key share;
