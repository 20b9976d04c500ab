export const up = (knex) =>
  knex.raw(`
    -- What staff have decided about a method of an adapter; without a row it is as the adapter offers it.
    create table payment_methods (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      provider text not null,
      code text not null,
      enabled boolean not null,
      position integer not null check (position >= 0),
      capture_mode text not null check (capture_mode in ('automatic', 'manual')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint payment_methods_code unique (tenant_id, provider, code)
    );

    -- A payment of a cart, from before the provider is first called. It keeps its id as the payment of the order that
    -- the cart becomes. state: what the provider says of it; reference: null until the provider has answered.
    create table payment_sessions (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      cart_id uuid not null,
      order_id uuid,
      provider text not null,
      method text not null,
      capture_mode text not null check (capture_mode in ('automatic', 'manual')),
      currency text not null,
      amount bigint not null check (amount > 0),
      reference text,
      next_action jsonb,
      status text not null default 'open' check (status in ('open', 'used', 'given_up')),
      state jsonb not null default '{"status": "pending", "captured": 0, "refunded": 0}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id),
      constraint payment_sessions_used check ((status = 'used') = (order_id is not null))
    );
    create unique index payment_sessions_cart on payment_sessions (tenant_id, cart_id) where status <> 'given_up';

    -- Every event of a provider, once.
    create table payment_webhook_events (
      tenant_id uuid not null references tenants (id),
      provider text not null,
      event_id text not null,
      payment_id text,
      state jsonb,
      received_at timestamptz(3) not null default now(),
      primary key (tenant_id, provider, event_id)
    );

    alter table payments
      add column capture_mode text not null default 'manual' check (capture_mode in ('automatic', 'manual')),
      add column captured_amount bigint not null default 0 check (captured_amount >= 0),
      add column refunded_amount bigint not null default 0,
      add constraint payments_refunded check (refunded_amount between 0 and captured_amount);
    update payments set captured_amount = amount where status = 'captured';

    -- A step that a provider does is pending from before the provider is called until its answer is kept.
    alter table payment_transactions
      add column status text not null default 'succeeded' check (status in ('pending', 'succeeded', 'failed')),
      add column tried_at timestamptz(3);
    -- One step at a time: what a provider tells is then of that step, and no two together go beyond the amount.
    create unique index payment_transactions_pending on payment_transactions (tenant_id, payment_id)
      where status = 'pending';

    -- A refund is a step of its payment with the same id, which has its state.
    create table refunds (
      tenant_id uuid not null,
      id uuid not null,
      payment_id uuid not null,
      order_id uuid not null,
      currency text not null,
      amount bigint not null check (amount > 0),
      reason text,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, payment_id, id) references payment_transactions (tenant_id, payment_id, id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
    create index refunds_newest on refunds (tenant_id, created_at, id);
    create index refunds_order on refunds (tenant_id, order_id);
    create index refunds_payment on refunds (tenant_id, payment_id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop table refunds;
    drop index payment_transactions_pending;
    alter table payment_transactions drop column tried_at, drop column status;
    alter table payments drop column refunded_amount, drop column captured_amount, drop column capture_mode;
    drop table payment_webhook_events, payment_sessions, payment_methods;
  `);
