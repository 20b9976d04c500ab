-- Statements that @carton/notification composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- records.notifications.page
-- $2 string, $3 string, $4 number
select
  "notifications".*
from
  "notifications"
where
  "notifications"."tenant_id" = $1
  and notifications.recipient_key = lower($2)
  and "notifications"."status" = $3
order by
  "notifications"."created_at" desc,
  "notifications"."id" desc
limit
  $4;

-- records.exportMails
-- $2 string[], $3 string[]
select
  template,
  recipient,
  subject,
  status,
  created_at,
  sent_at
from
  notifications
where
  tenant_id = $1
  and (
    recipient_key = any ($2::text[])
    or resource_id = any ($3::uuid[])
  )
order by
  created_at,
  id;

-- records.eraseMails
-- $2 string[], $3 string[]
update notifications
set
  recipient = null,
  subject = null,
  event = null,
  error = null,
  message_id = null,
  client_key = null,
  delayed_until = null,
  updated_at = now(),
  status = case
    when status = 'queued' then 'not_sent'
    else status
  end
where
  tenant_id = $1
  and (
    recipient_key = any ($2::text[])
    or resource_id = any ($3::uuid[])
  );

-- sending.countAdmitted
-- $2 string, $3 number
select
  admitted_at + interval '1 hour' as free
from
  notifications
where
  tenant_id = $1
  and recipient_key = $2
  and admitted_at > now() - interval '1 hour'
order by
  admitted_at desc
offset
  $3
limit
  1;

-- records.deleteBefore
-- $2 string
delete from notifications
where
  tenant_id = $1
  and id in (
    select
      id
    from
      notifications
    where
      tenant_id = $1
      and id < $2
      and status <> 'queued'
    limit
      1000
  )
returning
  id;

-- sending.claimNotification
-- $2 string
update notifications
set
  attempts = attempts + 1,
  lease_until = now() + interval '55 seconds',
  updated_at = now()
where
  tenant_id = $1
  and id = $2
  and status = 'queued'
  and delayed_until is null
  and (
    lease_until is null
    or lease_until < now()
  )
returning
  *;

-- sending.releaseDelayed
update notifications
set
  delayed_until = null,
  updated_at = now()
where
  tenant_id = $1
  and id in (
    select
      id
    from
      notifications
    where
      tenant_id = $1
      and delayed_until <= now()
    order by
      delayed_until,
      id
    limit
      100
    for update
      skip locked
  )
returning
  *;
