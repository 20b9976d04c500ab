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

-- rewriteWords
-- $2 string
delete from member_words
where
  tenant_id = $1
  and member_id = $2;

-- $2 string
insert into
  member_words (tenant_id, member_id, word_from)
select
  members.tenant_id,
  members.id,
  words.word_from
from
  members
  cross join lateral (
    select
      left(lower(members.email), 100) as word_from
    union
    select distinct
      left(substr(key, place), 100) as word_from
    from
      (
        select distinct
          key
        from
          (
            values
              (replace(lower(translate(normalize(members.name), '’‘ʼ´`', '''''''''''')), 'ς', 'σ')),
              (
                regexp_replace(
                  lower(translate(normalize(members.name), '’‘ʼ´`', '''''''''''')),
                  '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                  'ς',
                  'g'
                )
              ),
              (
                replace(
                  replace(
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(lower(regexp_replace(normalize(members.name, NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')), 'ß', 'ss'),
                              'æ',
                              'ae'
                            ),
                            'œ',
                            'oe'
                          ),
                          'ł',
                          'l'
                        ),
                        'ø',
                        'o'
                      ),
                      'đ',
                      'd'
                    ),
                    'ı',
                    'i'
                  ),
                  'ς',
                  'σ'
                )
              ),
              (
                regexp_replace(
                  replace(
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(lower(regexp_replace(normalize(members.name, NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')), 'ß', 'ss'),
                              'æ',
                              'ae'
                            ),
                            'œ',
                            'oe'
                          ),
                          'ł',
                          'l'
                        ),
                        'ø',
                        'o'
                      ),
                      'đ',
                      'd'
                    ),
                    'ı',
                    'i'
                  ),
                  '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                  'ς',
                  'g'
                )
              )
          ) as written (key)
      ) as texts
      cross join lateral generate_series(1, length(key)) as place
    where
      substr(key, place, 1) !~ '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u3004]'
      and substr(' ' || key, place, 2) ~ '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u3004\u2e80-\u2fff\u3005-\ua4cf\uac00-\ud7ff\uf900-\ufaff]'
  ) words
where
  members.tenant_id = $1
  and members.id = $2
  and members.deleted_at is null;

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

-- members.findByWords
-- $2 string, $3 string, $4 string, $5 number
select
  member_id,
  word_from
from
  member_words
where
  tenant_id = $1
  and word_from >= lower($2)
  and word_from <= lower($2) || repeat(chr(1114111), 100)
  and (word_from, member_id) > ($3, $4::uuid)
  and not exists (
    select
    from
      member_words earlier
    where
      earlier.tenant_id = $1
      and earlier.member_id = member_words.member_id
      and earlier.word_from >= lower($2)
      and earlier.word_from < member_words.word_from
  )
order by
  word_from,
  member_id
limit
  $5;

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
