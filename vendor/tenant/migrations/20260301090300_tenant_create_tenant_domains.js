export const up = (knex) =>
  knex.raw(`
    create table tenant_domains (
      id uuid primary key,
      owner_id uuid not null references tenants (id),
      host text not null unique,
      created_at timestamptz(3) not null default now()
    );
    create index tenant_domains_owner on tenant_domains (owner_id);
  `);

export const down = (knex) => knex.raw('drop table tenant_domains');
