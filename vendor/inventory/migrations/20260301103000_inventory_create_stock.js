export const up = (knex) =>
  knex.raw(`
    -- The stock of a variant has the variant's own id.
    create table stock_items (
      tenant_id uuid not null,
      id uuid not null,
      tracked boolean not null default true,
      back_order_policy text not null default 'deny' check (back_order_policy in ('deny', 'allow')),
      low_stock_level integer not null default 0 check (low_stock_level >= 0),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, id) references product_variants (tenant_id, id)
    );
    create index stock_items_newest on stock_items (tenant_id, created_at, id);

    -- location_id: the nil UUID is the shop's default location, the only one until it keeps several.
    -- back_ordered: more is sold than there is; only a statement that was allowed to go below zero sets it.
    -- Room is left in the pages, so that a level that is sold from all day is changed in place.
    create table stock_levels (
      tenant_id uuid not null,
      stock_item_id uuid not null,
      location_id uuid not null,
      on_hand integer not null default 0,
      reserved integer not null default 0 check (reserved >= 0),
      back_ordered boolean not null default false,
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, stock_item_id, location_id),
      constraint stock_levels_on_hand check (on_hand >= 0 or back_ordered),
      foreign key (tenant_id, stock_item_id) references stock_items (tenant_id, id)
    ) with (fillfactor = 70);

    -- Append-only: the sum of quantity is on_hand of the level.
    create table stock_movements (
      tenant_id uuid not null,
      id uuid not null,
      stock_item_id uuid not null,
      location_id uuid not null,
      quantity integer not null check (quantity <> 0),
      reason text not null check (reason in ('received', 'sold', 'returned', 'corrected', 'damaged', 'lost')),
      reference_type text,
      reference_id uuid,
      note text,
      actor_type text,
      actor_id uuid,
      actor_label text,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint stock_movements_reference check ((reference_type is null) = (reference_id is null)),
      foreign key (tenant_id, stock_item_id, location_id)
        references stock_levels (tenant_id, stock_item_id, location_id)
    );
    create index stock_movements_item on stock_movements (tenant_id, stock_item_id, created_at, id);

    -- A row stands as long as the reservation does.
    create table stock_reservations (
      tenant_id uuid not null,
      id uuid not null,
      stock_item_id uuid not null,
      location_id uuid not null,
      quantity integer not null check (quantity > 0),
      reference_type text not null,
      reference_id uuid not null,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, stock_item_id, location_id)
        references stock_levels (tenant_id, stock_item_id, location_id)
    );
    create index stock_reservations_newest on stock_reservations (tenant_id, created_at, id);
    create index stock_reservations_item on stock_reservations (tenant_id, stock_item_id, created_at, id);
    create index stock_reservations_reference on stock_reservations (tenant_id, reference_type, reference_id);
  `);

export const down = (knex) => knex.raw('drop table stock_reservations, stock_movements, stock_levels, stock_items');
