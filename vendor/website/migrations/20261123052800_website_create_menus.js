// position: numbers the items of a menu from 0, each before those below it; with depth it makes the tree.
export const up = (knex) =>
  knex.raw(`
    create table menus (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      handle text not null,
      name text not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint menus_handle unique (tenant_id, handle)
    );
    create index menus_newest on menus (tenant_id, created_at, id);

    create table menu_items (
      tenant_id uuid not null,
      menu_id uuid not null,
      position integer not null check (position >= 0),
      depth integer not null check (depth between 0 and 2),
      title text,
      url text,
      target_type text,
      target_id uuid,
      primary key (tenant_id, menu_id, position),
      foreign key (tenant_id, menu_id) references menus (tenant_id, id),
      constraint menu_items_target check ((target_type is null) = (target_id is null)),
      constraint menu_items_destination check (url is null or target_id is null)
    );
  `);

export const down = (knex) => knex.raw('drop table menu_items, menus');
