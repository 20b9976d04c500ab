export const up = (knex) =>
  knex.raw(`
    alter table box_domains add column customer_id text;
    update box_domains set customer_id = boxes.customer_id from boxes where boxes.id = box_domains.box_id;
    alter table box_domains alter column customer_id set not null;

    -- Several customers may claim a domain. Which one it belongs to is decided by proof, not by who asked first.
    alter table box_domains drop constraint box_domains_pkey;
    alter table box_domains add constraint box_domains_pkey primary key (customer_id, domain);

    -- A domain that stood here before is served as it was.
    alter table box_domains add column state text not null default 'proved'
      check (state in ('pending', 'proved', 'failing', 'resting'));
    alter table box_domains add column proved_by text default 'earlier'
      check (proved_by in ('record', 'delegation', 'reserved', 'off', 'earlier'));
    alter table box_domains alter column state drop default;
    alter table box_domains alter column proved_by drop default;
    -- What the TXT record has to say; null for a domain that needs no proof.
    alter table box_domains add column proof text;
    -- The end of a claim that is not proved.
    alter table box_domains add column claim_ends_at timestamptz(3);
    -- Until then no other customer may have a domain that is no longer served.
    alter table box_domains add column rests_until timestamptz(3);
    -- When a failing domain is no longer served.
    alter table box_domains add column stops_at timestamptz(3);
    alter table box_domains add column checked_at timestamptz(3);
    alter table box_domains add column next_check_at timestamptz(3);
    -- Checks in a row that found no proof, and checks in a row whose lookups failed.
    alter table box_domains add column misses integer not null default 0;
    alter table box_domains add column lookup_failures integer not null default 0;
    alter table box_domains add column findings jsonb;

    create unique index box_domains_one_owner on box_domains (domain) where state in ('proved', 'failing');
    create index box_domains_domain on box_domains (domain);
    -- Names below another one begin alike when they are read from the end.
    create index box_domains_below on box_domains (reverse(domain) collate "C");
    create index box_domains_due on box_domains (next_check_at);
    create index box_domains_claim_end on box_domains (claim_ends_at);
    create index box_domains_rest_end on box_domains (rests_until);
  `);

export const down = (knex) =>
  knex.raw(`
    delete from box_domains where state in ('pending', 'resting');
    drop index box_domains_rest_end;
    drop index box_domains_claim_end;
    drop index box_domains_due;
    drop index box_domains_below;
    drop index box_domains_domain;
    drop index box_domains_one_owner;
    alter table box_domains drop constraint box_domains_pkey;
    alter table box_domains add constraint box_domains_pkey primary key (domain);
    alter table box_domains drop column findings;
    alter table box_domains drop column lookup_failures;
    alter table box_domains drop column misses;
    alter table box_domains drop column next_check_at;
    alter table box_domains drop column checked_at;
    alter table box_domains drop column stops_at;
    alter table box_domains drop column rests_until;
    alter table box_domains drop column claim_ends_at;
    alter table box_domains drop column proof;
    alter table box_domains drop column proved_by;
    alter table box_domains drop column state;
    alter table box_domains drop column customer_id;
  `);
