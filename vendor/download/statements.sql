-- Statements that @carton/download composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- content.countBytes
-- $2 string, $3 number, $4 number, $5 number
update download_grants
set
  open_bytes = open_bytes - $3 + case
    when (
      coalesce(last_downloaded_at > now() - interval '24 hours', false)
      and open_bytes >= $3
    ) then 0
    else $4::bigint + case
      when download_count < 3 then $5::bigint
      else 0
    end
  end,
  download_count = download_count + case
    when (
      coalesce(last_downloaded_at > now() - interval '24 hours', false)
      and open_bytes >= $3
    ) then 0
    else 1
  end,
  first_downloaded_at = coalesce(first_downloaded_at, now()),
  last_downloaded_at = case
    when (
      coalesce(last_downloaded_at > now() - interval '24 hours', false)
      and open_bytes >= $3
    ) then last_downloaded_at
    else now()
  end,
  updated_at = case
    when (
      coalesce(last_downloaded_at > now() - interval '24 hours', false)
      and open_bytes >= $3
    ) then updated_at
    else now()
  end
where
  tenant_id = $1
  and id = $2
  and ended_at is null
  and (
    expires_at is null
    or expires_at > now()
  )
  and (
    (
      coalesce(last_downloaded_at > now() - interval '24 hours', false)
      and open_bytes >= $3
    )
    or max_downloads is null
    or download_count < max_downloads
  )
returning
  id;

-- files.lockUnneeded
-- $2 number
select
  id,
  file_id
from
  downloads
where
  tenant_id = $1
  and deleted_at is not null
  and file_id is not null
  and not exists (
    select
    from
      download_grants owned
    where
      owned.tenant_id = $1
      and owned.download_id = downloads.id
      and coalesce(least(owned.ended_at, owned.expires_at), 'infinity') > now() - interval '30 days'
  )
order by
  deleted_at,
  id
limit
  $2
for update
  skip locked;

-- files.stillUnneeded
-- $2 string[]
select
  id,
  file_id
from
  downloads
where
  tenant_id = $1
  and deleted_at is not null
  and file_id is not null
  and not exists (
    select
    from
      download_grants owned
    where
      owned.tenant_id = $1
      and owned.download_id = downloads.id
      and coalesce(least(owned.ended_at, owned.expires_at), 'infinity') > now() - interval '30 days'
  )
  and id = any ($2::uuid[]);

-- grants.grants.page
-- $2 string, $3 number
select
  "download_grants".*,
  (
    select
      file.file_name
    from
      downloads file
    where
      file.tenant_id = download_grants.tenant_id
      and file.id = download_grants.download_id
  ) as "file_name",
  (
    select
      file.size
    from
      downloads file
    where
      file.tenant_id = download_grants.tenant_id
      and file.id = download_grants.download_id
  ) as "size",
  (
    select
      file.file_id
    from
      downloads file
    where
      file.tenant_id = download_grants.tenant_id
      and file.id = download_grants.download_id
  ) as "file_id",
  (coalesce(download_grants.expires_at <= now(), false)) as "is_expired"
from
  "download_grants"
where
  "download_grants"."tenant_id" = $1
  and "download_grants"."order_id" = $2
order by
  "download_grants"."created_at" desc,
  "download_grants"."id" desc
limit
  $3;
