export const up = (knex) =>
  knex.raw(`
    -- A host that stood here before is served as it was: the default says so, also for what an older release adds.
    alter table tenant_domains add column state text not null default 'approved'
      check (state in ('pending', 'proved', 'approved'));
    -- What the TXT record of a host that waits for its proof has to say; null for one that needs none.
    alter table tenant_domains add column proof text;
    alter table tenant_domains add column checked_at timestamptz(3);
    alter table tenant_domains add column fault jsonb;

    -- Who only says that a host is theirs keeps it from nobody.
    alter table tenant_domains drop constraint tenant_domains_host_key;
    create unique index tenant_domains_host_key on tenant_domains (host) where state <> 'pending';
    drop index tenant_domains_owner;
    create unique index tenant_domains_own_host_key on tenant_domains (owner_id, host);
    -- Names below another one begin alike when they are read from the end.
    create index tenant_domains_below on tenant_domains (reverse(host) collate "C");

    -- One row, which whoever takes a name changes first: of two who take overlapping names, one waits for the other.
    create table tenant_domain_claims (
      id smallint primary key default 1 check (id = 1),
      claimed_by uuid,
      claimed_at timestamptz(3)
    );
    insert into tenant_domain_claims (id) values (1);
  `);

export const down = (knex) =>
  knex.raw(`
    drop table tenant_domain_claims;
    delete from tenant_domains where state = 'pending';
    drop index tenant_domains_below;
    drop index tenant_domains_own_host_key;
    create index tenant_domains_owner on tenant_domains (owner_id);
    drop index tenant_domains_host_key;
    alter table tenant_domains add constraint tenant_domains_host_key unique (host);
    alter table tenant_domains drop column fault;
    alter table tenant_domains drop column checked_at;
    alter table tenant_domains drop column proof;
    alter table tenant_domains drop column state;
  `);
