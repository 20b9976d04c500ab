// payment_disputes: what a shopper's bank disputes of a payment, as its provider reports it.
// withdrawn_amount: what the provider has taken back for it, or holds while it is open.
// reported_at: when the provider reported the state; of two reports with equal progress the later one counts.
// payments.disputed_amount: the sum of what is withdrawn.
export const up = (knex) =>
  knex.raw(`
    create table payment_disputes (
      tenant_id uuid not null,
      id uuid not null,
      payment_id uuid not null,
      order_id uuid not null,
      reference text not null,
      status text not null check (status in ('inquiry', 'open', 'won', 'lost', 'closed')),
      reason text,
      currency text not null,
      amount bigint not null check (amount >= 0),
      withdrawn_amount bigint not null check (withdrawn_amount >= 0),
      refundable boolean not null,
      respond_by timestamptz(3),
      reported_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      unique (tenant_id, payment_id, reference),
      foreign key (tenant_id, payment_id) references payments (tenant_id, id) on delete cascade,
      foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
    );
    create index payment_disputes_newest on payment_disputes (tenant_id, created_at, id);
    create index payment_disputes_status on payment_disputes (tenant_id, status, created_at, id);
    create index payment_disputes_changed on payment_disputes (tenant_id, updated_at, id);
    create index payment_disputes_order on payment_disputes (tenant_id, order_id);
    alter table payments
      add column disputed_amount bigint not null default 0,
      add constraint payments_disputed check (disputed_amount >= 0);
    create index payment_sessions_reference on payment_sessions (tenant_id, reference) where reference is not null;
  `);

export const down = (knex) =>
  knex.raw(`
    drop index payment_sessions_reference;
    alter table payments drop column disputed_amount;
    drop table payment_disputes;
  `);
