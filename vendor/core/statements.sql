-- Statements that @carton/core composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- readWithVersion
select
  stores.*,
  (
    select
      concat_ws(' ', version, goods)
    from
      reference_versions
    where
      tenant_id = $1
  ) as reference_version
from
  stores
where
  tenant_id = $1;

-- quotas.listQuotaRows
select
  name,
  used,
  is_limited,
  limit_value
from
  tenant_quotas
where
  tenant_id = $1;

-- quotas.findQuota
-- $2 string
select
  name,
  used,
  is_limited,
  limit_value
from
  tenant_quotas
where
  tenant_id = $1
  and name = $2;

-- quotas.changeKept
-- $2 string, $3 number
update tenant_quotas
set
  used = greatest(0, used + $3::bigint)
where
  tenant_id = $1
  and name = $2
  and used is not null
returning
  name,
  used,
  is_limited,
  limit_value;

-- $2 string
insert into
  tenant_quotas (tenant_id, name)
values
  ($1, $2)
on conflict (tenant_id, name) do nothing;

-- $2 string
select
  used
from
  tenant_quotas
where
  tenant_id = $1
  and name = $2
for update;

-- quotas.recount
-- $2 string
insert into
  tenant_quotas (tenant_id, name)
values
  ($1, $2)
on conflict (tenant_id, name) do nothing;

-- $2 string
select
  used
from
  tenant_quotas
where
  tenant_id = $1
  and name = $2
for update;

-- $2 string, $3 number
update tenant_quotas
set
  used = $3
where
  tenant_id = $1
  and name = $2
returning
  name,
  used,
  is_limited,
  limit_value;

-- tenants.findTenantBySlug
select
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at
from
  tenants
where
  slug = $1;

-- tenants.findTenantById
select
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at
from
  tenants
where
  id = $1;

-- tenants.findOnlyTenant
select
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at
from
  tenants
limit
  2;

-- tenants.listTenantRows
-- $2 string, $3 number
select
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at
from
  tenants
where
  $1::text is null
  or (slug, id) > ($1, $2::uuid)
order by
  slug,
  id
limit
  $3;

-- tenants.insertTenant
-- $2 string, $3 string
insert into
  tenants (id, slug, name)
values
  ($1, $2, $3)
returning
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at;

-- tenants.updateTenant
-- $2 string, $3 string
update tenants
set
  name = coalesce($2, name),
  status = coalesce($3, status),
  updated_at = now(),
  deleted_at = case
    when $3 = 'active' then null
    else deleted_at
  end,
  deletion_at = case
    when $3 = 'active' then null
    else deletion_at
  end
where
  id = $1
  and (
    $3::text is distinct from 'active'
    or removal_started_at is null
  )
returning
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at;

-- tenants.deleteTenantAfter
-- $2 number
update tenants
set
  status = 'suspended',
  updated_at = now(),
  deleted_at = now(),
  deletion_at = now() + $2 * interval '1 day'
where
  id = $1
  and deleted_at is null
returning
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at;

select
  id,
  slug,
  name,
  status,
  deleted_at,
  deletion_at,
  created_at,
  updated_at
from
  tenants
where
  id = $1;
