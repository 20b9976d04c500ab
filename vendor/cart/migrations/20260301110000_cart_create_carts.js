export const up = (knex) =>
  knex.raw(`
    -- A cart belongs to a session or to a member, and each has one active cart at most.
    -- version: goes up with every change of the cart or its lines, so that whoever waited for the row knows it.
    -- order_id: what a completed cart became; orders come from a package that builds on this one, so nothing refers there.
    create table carts (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      status text not null default 'active' check (status in ('active', 'completed', 'merged')),
      session_hash text,
      member_id uuid,
      region_id uuid,
      currency text not null,
      email text,
      note text,
      order_id uuid,
      version integer not null default 1,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint carts_owner check (num_nonnulls(session_hash, member_id) = 1),
      constraint carts_order check ((status = 'completed') = (order_id is not null)),
      -- A forgotten cart does not keep a shop from closing a region.
      foreign key (tenant_id, region_id) references regions (tenant_id, id) on delete set null (region_id)
    ) with (fillfactor = 85);
    create unique index carts_active_session on carts (tenant_id, session_hash) where status = 'active';
    create unique index carts_active_member on carts (tenant_id, member_id) where status = 'active';
    create index carts_newest on carts (tenant_id, created_at, id);
    create index carts_region on carts (tenant_id, region_id) where region_id is not null;

    create table cart_line_items (
      tenant_id uuid not null,
      id uuid not null,
      cart_id uuid not null,
      variant_id uuid not null,
      quantity integer not null check (quantity between 1 and 9999),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint cart_line_items_once unique (tenant_id, cart_id, variant_id),
      foreign key (tenant_id, cart_id) references carts (tenant_id, id),
      constraint cart_line_items_variant foreign key (tenant_id, variant_id)
        references product_variants (tenant_id, id)
    );

    create table cart_addresses (
      tenant_id uuid not null,
      cart_id uuid not null,
      type text not null check (type in ('shipping', 'billing')),
      name text not null,
      company text,
      line1 text not null,
      line2 text,
      city text not null,
      province text,
      postal_code text,
      country text not null,
      phone text,
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, cart_id, type),
      foreign key (tenant_id, cart_id) references carts (tenant_id, id)
    );
  `);

export const down = (knex) => knex.raw('drop table cart_addresses, cart_line_items, carts');
