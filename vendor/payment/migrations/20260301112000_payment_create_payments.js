export const up = (knex) =>
  knex.raw(`
    -- provider: the adapter it was made with, or 'offline' for one that staff recorded.
    create table payments (
      tenant_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      provider text not null,
      method text not null,
      status text not null check (status in ('pending', 'authorized', 'captured', 'voided', 'failed')),
      currency text not null,
      amount bigint not null check (amount > 0),
      reference text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
    create index payments_order on payments (tenant_id, order_id);
    create index payments_newest on payments (tenant_id, created_at, id);

    -- Append-only: what was done about a payment.
    create table payment_transactions (
      tenant_id uuid not null,
      payment_id uuid not null,
      id uuid not null,
      type text not null check (type in ('initiate', 'authorize', 'capture', 'void', 'refund')),
      amount bigint not null check (amount > 0),
      note text,
      actor_type text not null check (actor_type in ('shopper', 'staff', 'operator', 'system')),
      actor_id uuid,
      actor_label text,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, payment_id, id),
      foreign key (tenant_id, payment_id) references payments (tenant_id, id)
    );
  `);

export const down = (knex) => knex.raw('drop table payment_transactions, payments');
