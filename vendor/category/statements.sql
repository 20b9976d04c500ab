-- Statements that @carton/category composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- categories.page
-- $2 boolean[], $3 number
select
  found.id,
  found.created_at
from
  unnest($2::boolean[]) as choice (visible)
  cross join lateral (
    select
      id,
      created_at
    from
      "categories" listed
    where
      listed.tenant_id = $1
      and listed.visible = choice.visible
      and listed.visible >= choice.visible
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

-- categories.page by position
-- $2 number
select
  "categories".*
from
  "categories"
where
  "categories"."tenant_id" = $1
order by
  "categories"."position" asc,
  "categories"."id" asc
limit
  $2;

-- listTree
-- $2 number
select
  id,
  handle,
  name,
  parent_id,
  depth,
  path,
  visible
from
  categories
where
  tenant_id = $1
  and depth <= $2
order by
  position,
  id;

-- listChildren
-- $2 string
select
  id,
  handle,
  name,
  parent_id,
  depth,
  path,
  visible
from
  categories
where
  tenant_id = $1
  and parent_path = $2
order by
  position,
  id;

-- listSubtree
-- $2 string
select
  id,
  path,
  visible
from
  categories
where
  tenant_id = $1
  and path >= $2
  and path < rtrim($2, '/') || '0'
order by
  path;

-- heightOf
-- $2 string
select
  max(depth) as deepest
from
  categories
where
  tenant_id = $1
  and path >= $2
  and path < rtrim($2, '/') || '0';

-- movePaths
-- $2 string, $3 string, $4 boolean, $5 string
update categories
set
  parent_path = $3 || substr(parent_path, length($2) + 1),
  parent_id = case
    when $4
    and parent_path = $2 then $5::uuid
    else parent_id
  end,
  updated_at = now()
where
  tenant_id = $1
  and path >= $2
  and path < rtrim($2, '/') || '0'
  and path <> $2;

-- findByOldHandle
-- $2 string
select
  *
from
  categories
where
  tenant_id = $1
  and id = (
    select
      category_id
    from
      category_old_handles
    where
      tenant_id = $1
      and handle = any (array[$2::text, $2::text || ' kept'])
    order by
      length(handle)
    limit
      1
  );

-- isVisible
-- $2 string
select
  1
from
  categories
where
  tenant_id = $1
  and id = $2
  and visible
  and not exists (
    select
    from
      categories hidden
    where
      hidden.tenant_id = $1
      and not hidden.visible
      and starts_with(categories.path, hidden.path)
  );
