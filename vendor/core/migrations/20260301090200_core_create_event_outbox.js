export const up = (knex) =>
  knex.raw(`
    create table event_outbox (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      type text not null,
      resource_type text not null,
      resource_id uuid not null,
      payload jsonb not null,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id)
    );
  `);

export const down = (knex) => knex.raw('drop table event_outbox');
