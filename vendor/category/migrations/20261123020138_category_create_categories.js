// path: the ids from the root to the category, `/<id>/<id>/`. The reference to the parent includes its path, so a path is
// always that of the parent and the own id: a category below itself, or with a parent of another tenant, cannot be stored.
// It is deferred, so that a move can write the category and what is below it by two statements.
export const up = (knex) =>
  knex.raw(`
    create table categories (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      parent_id uuid,
      parent_path text collate "C" not null default '/',
      path text collate "C" generated always as (parent_path || id::text || '/') stored,
      depth integer generated always as (length(parent_path) / 37) stored,
      position integer not null check (position >= 0),
      handle text not null,
      name text not null,
      description text not null default '',
      visible boolean not null default true,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint categories_handle unique (tenant_id, handle),
      constraint categories_path unique (tenant_id, path, id),
      constraint categories_root check ((parent_id is null) = (parent_path = '/')),
      constraint categories_depth check (depth < 10)
    );
    alter table categories add constraint categories_parent_path
      foreign key (tenant_id, parent_id, parent_path) references categories (tenant_id, id, path)
      deferrable initially deferred;
    create index categories_siblings on categories (tenant_id, parent_path, position, id);
    create index categories_parent on categories (tenant_id, parent_id, position, id);
    create index categories_parent_newest on categories (tenant_id, parent_id, created_at, id);
    create index categories_position on categories (tenant_id, position, id);
    create index categories_newest on categories (tenant_id, created_at, id);
    create index categories_visible_position on categories (tenant_id, visible, position, id);
    create index categories_visible_newest on categories (tenant_id, visible, created_at, id);
    create index categories_changed on categories (tenant_id, updated_at, id);
    create unique index categories_external_id on categories (tenant_id, external_id) where external_id is not null;

    create table category_products (
      tenant_id uuid not null,
      category_id uuid not null,
      product_id uuid not null,
      position integer not null check (position >= 0),
      product_created_at timestamptz(3) not null,
      primary key (tenant_id, category_id, product_id),
      foreign key (tenant_id, category_id) references categories (tenant_id, id),
      foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
    );
    create index category_products_position on category_products (tenant_id, category_id, position, product_id);
    create index category_products_newest on category_products (tenant_id, category_id, product_created_at, product_id);
    create index category_products_product on category_products (tenant_id, product_id, category_id);

    create table category_old_handles (
      tenant_id uuid not null,
      handle text not null,
      category_id uuid not null,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, handle),
      foreign key (tenant_id, category_id) references categories (tenant_id, id)
    );
    create index category_old_handles_category on category_old_handles (tenant_id, category_id);
  `);

export const down = (knex) => knex.raw('drop table category_old_handles, category_products, categories');
