export const up = (knex) =>
  knex.raw(`
    -- An order is a record of what was agreed: it outlives its cart, its products and its shopper, so it names them
    -- without a foreign key. One cart becomes one order.
    create table orders (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      number text not null,
      cart_id uuid,
      session_hash text,
      member_id uuid,
      status text not null default 'placed' check (status in ('placed', 'canceled')),
      payment_status text not null default 'unpaid' check (payment_status in
        ('unpaid', 'authorized', 'partially_paid', 'paid', 'partially_refunded', 'refunded', 'voided')),
      fulfillment_status text not null default 'unfulfilled'
        check (fulfillment_status in ('unfulfilled', 'partially_fulfilled', 'fulfilled')),
      currency text not null,
      subtotal_amount bigint not null check (subtotal_amount >= 0),
      discount_amount bigint not null check (discount_amount <= 0),
      shipping_amount bigint not null check (shipping_amount >= 0),
      tax_amount bigint not null check (tax_amount >= 0),
      credit_amount bigint not null check (credit_amount <= 0),
      total_amount bigint not null check (total_amount >= 0),
      email text not null,
      customer_name text,
      phone text,
      notes text,
      metadata jsonb not null default '{}',
      archived_at timestamptz(3),
      canceled_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint orders_number unique (tenant_id, number),
      constraint orders_cart unique (tenant_id, cart_id),
      constraint orders_canceled check ((status = 'canceled') = (canceled_at is not null))
    );
    create index orders_newest on orders (tenant_id, created_at, id);
    create index orders_status on orders (tenant_id, status, created_at, id);
    create index orders_payment_status on orders (tenant_id, payment_status, created_at, id);
    create index orders_fulfillment_status on orders (tenant_id, fulfillment_status, created_at, id);
    create index orders_email on orders (tenant_id, lower(email), created_at, id);

    -- What belongs to an order is keyed by it, so that one index serves to find it and to tell rows apart.
    create table order_line_items (
      tenant_id uuid not null,
      order_id uuid not null,
      id uuid not null,
      position integer not null,
      variant_id uuid not null,
      product_id uuid not null,
      sku text,
      title text not null,
      variant_title text not null,
      quantity integer not null check (quantity > 0),
      unit_amount bigint not null check (unit_amount >= 0),
      total_amount bigint not null check (total_amount >= 0),
      primary key (tenant_id, order_id, id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );

    -- address: a JSON string (free text) or a JSON object of texts, as the shopper gave it.
    create table order_addresses (
      tenant_id uuid not null,
      order_id uuid not null,
      type text not null check (type in ('shipping', 'billing')),
      address jsonb not null check (jsonb_typeof(address) in ('string', 'object')),
      primary key (tenant_id, order_id, type),
      foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );

    -- What comes on top of the lines, or below zero off them; of one line, or of the whole order.
    create table order_adjustments (
      tenant_id uuid not null,
      order_id uuid not null,
      id uuid not null,
      line_item_id uuid,
      kind text not null check (kind in ('discount', 'shipping', 'credit')),
      code text not null,
      label text not null,
      amount bigint not null,
      primary key (tenant_id, order_id, id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id),
      foreign key (tenant_id, order_id, line_item_id) references order_line_items (tenant_id, order_id, id)
    );

    -- rate: per cent, null when it is not one rate. included: the prices held it already.
    create table order_tax_lines (
      tenant_id uuid not null,
      order_id uuid not null,
      id uuid not null,
      line_item_id uuid,
      code text not null,
      label text not null,
      rate numeric(8, 5) check (rate >= 0),
      amount bigint not null check (amount >= 0),
      included boolean not null,
      primary key (tenant_id, order_id, id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id),
      foreign key (tenant_id, order_id, line_item_id) references order_line_items (tenant_id, order_id, id)
    );

    create table order_events (
      tenant_id uuid not null,
      order_id uuid not null,
      id uuid not null,
      type text not null check (type in ('placed', 'updated', 'canceled', 'archived', 'note', 'payment')),
      message text not null,
      actor_type text not null check (actor_type in ('shopper', 'staff', 'operator', 'system')),
      actor_id uuid,
      actor_label text,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, order_id, id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
  `);

export const down = (knex) =>
  knex.raw('drop table order_events, order_tax_lines, order_adjustments, order_addresses, order_line_items, orders');
