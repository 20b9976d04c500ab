// fulfillments: a parcel; number counts those of an order. shipping_*: the option chosen for its goods, as the order has
// it. fulfillment_items: units of a line of the order.
export const up = (knex) =>
  knex.raw(`
    create table fulfillments (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      order_id uuid not null,
      number integer not null check (number > 0),
      status text not null default 'pending' check (status in ('pending', 'shipped', 'delivered', 'canceled')),
      shipping_option_id uuid,
      shipping_profile text,
      shipping_name text,
      shipping_type text,
      -- An array of { carrier, number, url }.
      tracking jsonb not null default '[]',
      restocked boolean not null default false,
      external_id text,
      metadata jsonb not null default '{}',
      shipped_at timestamptz(3),
      delivered_at timestamptz(3),
      canceled_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint fulfillments_number unique (tenant_id, order_id, number),
      constraint fulfillments_times check (
        (status in ('shipped', 'delivered')) = (shipped_at is not null)
        and (status = 'delivered') = (delivered_at is not null)
        and (status = 'canceled') = (canceled_at is not null)),
      constraint fulfillments_restocked check (status = 'canceled' or not restocked),
      constraint fulfillments_order foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
    create index fulfillments_newest on fulfillments (tenant_id, created_at, id);
    create index fulfillments_changed on fulfillments (tenant_id, updated_at, id);
    create index fulfillments_status on fulfillments (tenant_id, status, created_at, id);
    create index fulfillments_of_order on fulfillments (tenant_id, order_id, created_at, id);
    create index fulfillments_of_option on fulfillments (tenant_id, shipping_option_id, created_at, id);
    create index fulfillments_of_profile on fulfillments (tenant_id, shipping_profile, created_at, id);
    -- The picking queue of an option or a profile.
    create index fulfillments_queue_of_option
      on fulfillments (tenant_id, shipping_option_id, status, created_at, id);
    create index fulfillments_queue_of_profile
      on fulfillments (tenant_id, shipping_profile, status, created_at, id);
    create unique index fulfillments_external_id on fulfillments (tenant_id, external_id)
      where external_id is not null;

    create table fulfillment_items (
      tenant_id uuid not null,
      fulfillment_id uuid not null,
      line_item_id uuid not null,
      order_id uuid not null,
      quantity integer not null check (quantity > 0),
      primary key (tenant_id, fulfillment_id, line_item_id),
      foreign key (tenant_id, fulfillment_id) references fulfillments (tenant_id, id),
      foreign key (tenant_id, order_id, line_item_id) references order_line_items (tenant_id, order_id, id)
    );
    create index fulfillment_items_of_line on fulfillment_items (tenant_id, order_id, line_item_id);
  `);

export const down = (knex) => knex.raw('drop table fulfillment_items, fulfillments');
