-- Statements that @carton/auth composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- attempts.countAttempt
-- $2 string, $3 string, $4 number, $5 number
insert into
  auth_attempts as counted (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
values
  ($1, $2, $3, 1, clock_timestamp(), clock_timestamp() + interval '1 hour')
on conflict (tenant_id, kind, subject_hash) do update
set
  attempts = case
    when counted.last_at <= clock_timestamp() - interval '1 hour' then 1
    else counted.attempts + 1
  end,
  last_at = clock_timestamp(),
  expires_at = greatest(counted.expires_at, clock_timestamp() + interval '1 hour')
where
  counted.attempts < $4::integer
  or counted.last_at + case
    when counted.attempts < $4::integer then interval '0'
    else least($5::integer, 8 * 2 ^ least(counted.attempts - $4::integer, 20)) * interval '1 second'
  end <= clock_timestamp()
returning
  attempts;

-- attempts.secondsToWait
-- $2 string, $3 string, $4 number, $5 number
select
  ceil(
    extract(
      epoch
      from
        counted.last_at + case
          when counted.attempts < $4::integer then interval '0'
          else least($5::integer, 8 * 2 ^ least(counted.attempts - $4::integer, 20)) * interval '1 second'
        end - clock_timestamp()
    )
  )::integer as seconds
from
  auth_attempts counted
where
  tenant_id = $1
  and kind = $2
  and subject_hash = $3;

-- invites.staffInvites.page
-- $2 number
select
  "staff_invites".*
from
  "staff_invites"
where
  "staff_invites"."tenant_id" = $1
  and staff_invites.expires_at > now()
order by
  "staff_invites"."created_at" desc,
  "staff_invites"."id" desc
limit
  $2;

-- invites.isOpenInvite
-- $2 string
select
  1
from
  staff_invites
where
  tenant_id = $1
  and (
    token_hash = $2
    or mailed_token_hash = $2
  )
  and expires_at > now();

-- invites.consumeInvite
-- $2 string
delete from staff_invites
where
  tenant_id = $1
  and (
    token_hash = $2
    or mailed_token_hash = $2
  )
  and expires_at > now()
returning
  *;

-- links.findLinkOwner
-- $2 string, $3 string
select
  staff_user_id
from
  staff_tokens
where
  tenant_id = $1
  and token_hash = $2
  and purpose = $3
  and expires_at > now();

-- links.consumeLink
-- $2 string, $3 string
delete from staff_tokens
where
  tenant_id = $1
  and token_hash = $2
  and purpose = $3
  and expires_at > now()
returning
  email;

-- challenges.findChallengeOwner
-- $2 string
select
  staff_user_id
from
  staff_tokens
where
  tenant_id = $1
  and token_hash = $2
  and purpose = 'second_factor'
  and expires_at > now();

-- challenges.countCode
-- $2 string, $3 number
update staff_tokens
set
  attempts = attempts + 1
where
  tenant_id = $1
  and token_hash = $2
  and purpose = 'second_factor'
  and expires_at > now()
  and attempts < $3::integer
returning
  1;

-- challenges.consumeChallenge
-- $2 string
delete from staff_tokens
where
  tenant_id = $1
  and token_hash = $2
  and purpose = 'second_factor'
  and expires_at > now()
returning
  1;

-- sessions.staffSessions.page
-- $2 number
select
  "staff_sessions".*
from
  "staff_sessions"
where
  "staff_sessions"."tenant_id" = $1
  and staff_sessions.expires_at > now()
order by
  "staff_sessions"."created_at" desc,
  "staff_sessions"."id" desc
limit
  $2;

-- deleteExpired
delete from staff_sessions
where
  tenant_id = $1
  and id in (
    select
      id
    from
      staff_sessions
    where
      tenant_id = $1
      and expires_at <= now()
    order by
      expires_at
    limit
      1000
    for update
      skip locked
  )
returning
  1;

-- attempts.storeTrusted
-- $2 string, $3 string
insert into
  auth_attempts (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
values
  ($1, $2, $3, 0, now(), now() + interval '90 days')
on conflict (tenant_id, kind, subject_hash) do update
set
  attempts = 0,
  expires_at = excluded.expires_at;

-- attempts.deleteExpiredCounts
delete from auth_attempts
where
  tenant_id = $1
  and (kind, subject_hash) in (
    select
      kind,
      subject_hash
    from
      auth_attempts
    where
      tenant_id = $1
      and expires_at <= now()
    order by
      expires_at
    limit
      1000
    for update
      skip locked
  )
returning
  1;
