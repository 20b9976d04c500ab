export const up = (knex) =>
  knex.raw(`
    create table events (
      id uuid primary key,
      -- Events of one resource are recorded under a lock of it, so their positions have the order of the changes.
      position bigint not null generated always as identity unique,
      type text not null,
      resource_type text not null,
      -- No reference: an event outlives its resource.
      resource_id uuid not null,
      -- Null for an event of no customer.
      customer_id text,
      payload jsonb not null,
      created_at timestamptz(3) not null default clock_timestamp(),
      -- When it was turned into deliveries.
      dispatched_at timestamptz(3)
    );
    create index events_newest on events (created_at, id);
    create index events_type on events (type, created_at, id);
    create index events_resource on events (resource_id, created_at, id);
    create index events_customer on events (customer_id, created_at, id);
    create index events_not_dispatched on events (position) where dispatched_at is null;
  `);

export const down = (knex) => knex.raw('drop table events');
