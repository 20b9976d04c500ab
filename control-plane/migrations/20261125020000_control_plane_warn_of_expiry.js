export const up = (knex) =>
  knex.raw(`
    -- The warnings that were made: each once, for each instant at which a licence expires or ends. days is 0 for the
    -- event at that instant.
    create table license_warnings (
      license_id uuid not null references license_keys (id) on delete cascade,
      term text not null check (term in ('expiry', 'end')),
      instant timestamptz(3) not null,
      days integer not null check (days >= 0),
      primary key (license_id, term, instant, days)
    );
    create index license_warnings_age on license_warnings (instant);
    create index license_keys_expiry on license_keys (expires_at) where expires_at is not null;

    -- What was due before: the vendor knows, or was not to be warned.
    insert into license_warnings (license_id, term, instant, days)
    select id, term, instant, days
      from license_keys
      cross join lateral (values ('expiry', expires_at), ('end', ends_at)) as terms (term, instant)
      cross join unnest(array[30, 14, 7, 1, 0]) as days
     where instant <= now() + days * interval '1 day' and instant > now() - interval '60 days';
  `);

export const down = (knex) =>
  knex.raw(`
    drop index license_keys_expiry;
    drop table license_warnings;
  `);
