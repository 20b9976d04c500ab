-- Statements that @carton/member composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- members.page
-- $2 string, $3 string, $4 number
select
  "members".*
from
  "members"
where
  "members"."tenant_id" = $1
  and "members"."deleted_at" is null
  and members.created_at >= $2
  and members.created_at < $3
order by
  "members"."created_at" desc,
  "members"."id" desc
limit
  $4;

-- deleteExpired
-- $2 number
delete from member_sessions
where
  tenant_id = $1
  and id in (
    select
      id
    from
      member_sessions
    where
      tenant_id = $1
      and expires_at <= now()
    order by
      expires_at
    limit
      $2
    for update
      skip locked
  )
returning
  1;

-- members.page with a text
-- $2 string, $3 string, $4 string, $5 number
select
  "member_id" as id,
  word_from
from
  "member_words"
where
  tenant_id = $1
  and word_from >= lower($2)
  and word_from <= lower($2) || repeat(chr(1114111), 100)
  and (word_from, "member_id") > ($3, $4::uuid)
  and not exists (
    select
    from
      "member_words" earlier
    where
      earlier.tenant_id = $1
      and earlier."member_id" = "member_words"."member_id"
      and earlier.word_from >= lower($2)
      and earlier.word_from < "member_words".word_from
  )
order by
  word_from,
  "member_id"
limit
  $5;

-- $2 string, $3 array
select
  "members".*
from
  "members"
where
  "members"."tenant_id" = $1
  and "members"."deleted_at" is null
  and "members"."status" = $2
  and "members"."id" = any ($3::uuid[]);

-- members.removeRowsOf
-- $2 string
delete from member_sessions
where
  tenant_id = $1
  and member_id = $2;

-- $2 string
delete from member_addresses
where
  tenant_id = $1
  and member_id = $2;

-- $2 string
delete from member_words
where
  tenant_id = $1
  and member_id = $2;

-- members.blankMember
-- $2 string
update members
set
  email = 'erased@erased.invalid',
  email_verified_at = null,
  name = null,
  phone = null,
  locale = null,
  tax_number = null,
  tax_exempt = null,
  password_hash = null,
  accepts_marketing = false,
  marketing_changed_at = null,
  marketing_source = null,
  external_id = null,
  metadata = '{}',
  former_address_ids = '{}',
  deleted_at = coalesce(deleted_at, now()),
  erased_at = coalesce(erased_at, now()),
  updated_at = now()
where
  tenant_id = $1
  and id = $2;

-- members.findIdentity
-- $2 string
select
  email,
  email_verified_at is not null as is_verified,
  erased_at is not null as is_erased
from
  members
where
  tenant_id = $1
  and id = $2
for update;

-- sessions.memberSessions.page
-- $2 string, $3 number
select
  "member_sessions".*
from
  "member_sessions"
where
  "member_sessions"."tenant_id" = $1
  and "member_sessions"."member_id" = $2
  and member_sessions.expires_at > now()
order by
  "member_sessions"."created_at" desc,
  "member_sessions"."id" desc
limit
  $3;
