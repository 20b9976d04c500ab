export const up = (knex) =>
  knex.raw(`
    create table things (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      title text not null,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id)
    );
    create index things_newest on things (tenant_id, created_at, id);
    create index things_changed on things (tenant_id, updated_at, id);
    create unique index things_external_id on things (tenant_id, external_id) where external_id is not null;
  `);

export const down = (knex) => knex.raw('drop table things');
