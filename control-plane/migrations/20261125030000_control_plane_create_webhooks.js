export const up = (knex) =>
  knex.raw(`
    create table webhooks (
      id uuid primary key,
      url text not null,
      label text,
      -- Null for all types.
      event_types text[],
      -- Encrypted with SIGNING_KEY_SECRET, if it is set.
      secret text not null,
      -- Signs beside the current one until then.
      former_secret text,
      former_secret_until timestamptz(3),
      disabled_at timestamptz(3),
      disabled_reason text check (disabled_reason in ('administrator', 'gone', 'failing')),
      -- When the first attempt failed since one succeeded.
      failing_since timestamptz(3),
      last_delivered_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      check ((disabled_at is null) = (disabled_reason is null)),
      check ((former_secret is null) = (former_secret_until is null))
    );
    create index webhooks_newest on webhooks (created_at, id);

    create table webhook_deliveries (
      id uuid primary key,
      webhook_id uuid not null references webhooks (id) on delete cascade,
      event_id uuid not null references events (id) on delete cascade,
      -- Those of the event.
      resource_id uuid not null,
      position bigint not null,
      state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
      -- Since it became pending.
      failures integer not null default 0,
      first_attempt_at timestamptz(3),
      next_attempt_at timestamptz(3) not null default now(),
      lease uuid,
      leased_until timestamptz(3),
      finished_at timestamptz(3),
      created_at timestamptz(3) not null default clock_timestamp(),
      constraint webhook_deliveries_once unique (webhook_id, event_id),
      check ((state = 'pending') = (finished_at is null))
    );
    create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at, id);
    create index webhook_deliveries_state on webhook_deliveries (webhook_id, state, created_at, id);
    create index webhook_deliveries_event on webhook_deliveries (event_id);
    create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where state = 'pending';
    create index webhook_deliveries_order on webhook_deliveries (webhook_id, resource_id, position)
      where state = 'pending';
    create index webhook_deliveries_finished on webhook_deliveries (finished_at) where state <> 'pending';

    create table webhook_attempts (
      id uuid primary key,
      delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
      -- Null without a response.
      status integer,
      error text,
      response_start text,
      milliseconds integer not null,
      created_at timestamptz(3) not null default clock_timestamp()
    );
    create index webhook_attempts_delivery on webhook_attempts (delivery_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop table webhook_attempts, webhook_deliveries, webhooks');
