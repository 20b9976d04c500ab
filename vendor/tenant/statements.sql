-- Statements that @carton/tenant composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- domains.findTenantAt
-- $2 null
select
  tenant.id,
  tenant.slug,
  tenant.name,
  tenant.status
from
  tenant_domains
  join tenants tenant on tenant.id = tenant_domains.owner_id
where
  (
    host = $1
    or host = $2
  )
  and state <> 'pending'
order by
  host = $1 desc
limit
  1;

-- domains.listHosts
select
  id,
  host,
  state,
  proof,
  checked_at,
  fault,
  created_at
from
  tenant_domains
where
  owner_id = $1
order by
  host;

-- domains.findHost
-- $2 string
select
  id,
  host,
  state,
  proof,
  checked_at,
  fault,
  created_at
from
  tenant_domains
where
  owner_id = $1
  and id = $2;

-- domains.insertHost
-- $2 string, $3 string, $4 string, $5 string
insert into
  tenant_domains (owner_id, id, host, state, proof)
values
  ($1, $2, $3, $4, $5)
returning
  id,
  host,
  state,
  proof,
  checked_at,
  fault,
  created_at;

-- domains.setVerified
-- $2 string, $3 string, $4 null, $5 boolean
update tenant_domains
set
  state = $3,
  fault = $4,
  checked_at = case
    when $5::boolean then now()
    else checked_at
  end
where
  owner_id = $1
  and id = $2
  and state = 'pending'
returning
  id,
  host,
  state,
  proof,
  checked_at,
  fault,
  created_at;
