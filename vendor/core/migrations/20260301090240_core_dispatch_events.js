export const up = (knex) =>
  knex.raw(`
    -- Drawn while the resource is locked, so events of one resource have the order in which they came to be, whichever
    -- replica wrote them. What was written before there were positions has 0 and keeps the order of its ids.
    create sequence event_outbox_position as bigint;
    alter table event_outbox
      add column position bigint not null default 0,
      add column dispatched_at timestamptz(3);
    alter table event_outbox alter column position set default nextval('event_outbox_position');
    create index event_outbox_waiting on event_outbox (tenant_id, position, id) where dispatched_at is null;

    -- One event for one subscriber. position: its place among all deliveries of the tenant, in the order in which they
    -- were dealt out. next_attempt_at: not before; while it is being delivered, until when nobody else takes it.
    create table event_deliveries (
      tenant_id uuid not null,
      id uuid not null,
      event_id uuid not null,
      subscriber text not null,
      position bigint not null,
      resource_id uuid not null,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
      attempts integer not null default 0 check (attempts >= 0),
      next_attempt_at timestamptz(3) not null default now(),
      error text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint event_deliveries_once unique (tenant_id, event_id, subscriber),
      foreign key (tenant_id, event_id) references event_outbox (tenant_id, id) on delete cascade
    );
    create index event_deliveries_waiting on event_deliveries (tenant_id, position, id) where status = 'pending';
    create index event_deliveries_line on event_deliveries (tenant_id, subscriber, resource_id, position, id)
      where status = 'pending';
    create index event_deliveries_newest on event_deliveries (tenant_id, created_at, id);

    -- Work that one replica does at a time for a tenant: the dispatch of its events, whose row is locked meanwhile and
    -- has the last position it gave, and jobs, each with the time it is due.
    create table background_tasks (
      tenant_id uuid not null references tenants (id),
      name text not null,
      due_at timestamptz(3) not null default now(),
      last_position bigint not null default 0,
      primary key (tenant_id, name)
    );
  `);

export const down = (knex) =>
  knex.raw(`
    drop table background_tasks, event_deliveries;
    drop index event_outbox_waiting;
    alter table event_outbox drop column dispatched_at, drop column position;
    drop sequence event_outbox_position;
  `);
