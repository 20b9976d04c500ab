-- Statements that @carton/website composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- contact.messages.page
-- $2 string[], $3 number
select
  found.id,
  found.created_at
from
  unnest($2::text[]) as choice (status)
  cross join lateral (
    select
      id,
      created_at
    from
      "contact_messages" listed
    where
      listed.tenant_id = $1
      and listed.status = choice.status
      and listed.status >= choice.status
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

-- contact.countOfClient
-- $2 string, $3 string
select
  count(*) filter (
    where
      email_key = $2
  )::int as own,
  count(*)::int as all
from
  contact_messages
where
  tenant_id = $1
  and created_at > now() - interval '1 hour'
  and client_key is not distinct from $3;

-- contact.countAnnounced
select
  (
    select
      count(*)
    from
      contact_messages
    where
      tenant_id = $1
      and created_at > now() - interval '1 hour'
      and not mail_delayed
      and announced_at is null
  )::int + (
    select
      count(*)
    from
      contact_messages
    where
      tenant_id = $1
      and announced_at > now() - interval '1 hour'
  )::int as count;

-- contact.forgetClients
update contact_messages
set
  client_key = null
where
  tenant_id = $1
  and client_key is not null
  and not created_at > now() - interval '1 hour';

-- contact.listIdsBySender
-- $2 string[]
select
  id
from
  contact_messages
where
  tenant_id = $1
  and email_key = any ($2::text[]);

-- contact.listBySender
-- $2 string[]
select
  name,
  email,
  subject,
  message,
  status,
  created_at
from
  contact_messages
where
  tenant_id = $1
  and email_key = any ($2::text[])
order by
  created_at,
  id;

-- contact.removeBySender
-- $2 string[]
delete from contact_messages
where
  tenant_id = $1
  and email_key = any ($2::text[]);

-- pages.pages.page
-- $2 string[], $3 number
select
  found.id,
  found.created_at
from
  unnest($2::text[]) as choice (status)
  cross join lateral (
    select
      id,
      created_at
    from
      "pages" listed
    where
      listed.tenant_id = $1
      and listed.status = choice.status
      and listed.status >= choice.status
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

-- pages.findVisiblePage
-- $2 string
select
  *
from
  pages
where
  tenant_id = $1
  and handle = $2
  and status = 'published'
  and coalesce(publish_at <= now(), true);

-- pages.isVisible
-- $2 string
select
  1
from
  pages
where
  tenant_id = $1
  and id = $2
  and status = 'published'
  and coalesce(publish_at <= now(), true);

-- pages.markPublication
-- $2 string
update pages
set
  published_at = case
    when status = 'published'
    and coalesce(publish_at <= now(), true) then now()
  end,
  updated_at = now()
where
  tenant_id = $1
  and id = $2
  and (
    status = 'published'
    and coalesce(publish_at <= now(), true)
  ) = (published_at is null)
returning
  *;

-- redirects.redirects.page
-- $2 string, $3 number
select
  "redirects".*
from
  "redirects"
where
  "redirects"."tenant_id" = $1
  and "redirects"."path" = $2
order by
  "redirects"."created_at" desc,
  "redirects"."id" desc
limit
  $3;
