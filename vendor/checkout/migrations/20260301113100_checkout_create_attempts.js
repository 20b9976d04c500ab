export const up = (knex) =>
  knex.raw(`
    -- One row a cart, however often it is tried: how the last attempt ended, and how many there were.
    -- code: of the problem that refused it.
    create table checkout_attempts (
      tenant_id uuid not null references tenants (id),
      cart_id uuid not null,
      status text not null check (status in ('completed', 'failed')),
      code text,
      order_id uuid,
      attempts bigint not null default 1,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, cart_id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id),
      constraint checkout_attempts_end check (
        case status when 'completed' then order_id is not null and code is null
                    else order_id is null and code is not null end)
    );
  `);

export const down = (knex) => knex.raw('drop table checkout_attempts');
