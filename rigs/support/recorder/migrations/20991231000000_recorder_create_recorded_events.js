export const up = (knex) =>
  knex.raw(`
    -- position: the order of recording. There is no unique key on events, since duplicates are what the rigs look for.
    create table recorded_events (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      position bigserial,
      subscriber text not null,
      event_id uuid not null,
      resource_id uuid not null,
      delivery_id uuid not null,
      attempt integer not null,
      primary key (tenant_id, id)
    );
  `);

export const down = (knex) => knex.raw('drop table recorded_events');
