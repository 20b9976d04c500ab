export const up = (knex) =>
  knex.raw(`
    create table products (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      handle text not null,
      title text not null,
      description text not null default '',
      status text not null default 'draft' check (status in ('draft', 'published', 'archived')),
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3),
      primary key (tenant_id, id)
    );
    create unique index products_handle on products (tenant_id, handle) where deleted_at is null;
    create index products_newest on products (tenant_id, created_at, id) where deleted_at is null;
    create index products_published_newest on products (tenant_id, created_at, id)
      where status = 'published' and deleted_at is null;
    create index products_published_title on products (tenant_id, lower(title), id)
      where status = 'published' and deleted_at is null;

    create table product_options (
      tenant_id uuid not null,
      id uuid not null,
      product_id uuid not null,
      name text not null,
      position integer not null check (position >= 0),
      primary key (tenant_id, id),
      constraint product_options_name unique (tenant_id, product_id, name),
      foreign key (tenant_id, product_id) references products (tenant_id, id)
    );

    create table product_option_values (
      tenant_id uuid not null,
      id uuid not null,
      option_id uuid not null,
      value text not null,
      position integer not null check (position >= 0),
      primary key (tenant_id, id),
      -- Deferred: two values may trade their names in one transaction.
      constraint product_option_values_value unique (tenant_id, option_id, value) deferrable initially deferred,
      foreign key (tenant_id, option_id) references product_options (tenant_id, id)
    );

    -- option_value_ids: one value of each option of the product, sorted, so that equal choices are equal arrays.
    create table product_variants (
      tenant_id uuid not null,
      id uuid not null,
      product_id uuid not null,
      title text not null,
      sku text,
      barcode text,
      position integer not null check (position >= 0),
      weight integer check (weight >= 0),
      hs_code text,
      origin_country text,
      option_value_ids uuid[] not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3),
      primary key (tenant_id, id),
      foreign key (tenant_id, product_id) references products (tenant_id, id)
    );
    create unique index product_variants_sku on product_variants (tenant_id, sku) where deleted_at is null;
    create unique index product_variants_choice on product_variants (tenant_id, product_id, option_value_ids)
      where deleted_at is null;
    create index product_variants_product on product_variants (tenant_id, product_id, position);
    create index product_variants_barcode on product_variants (tenant_id, barcode) where deleted_at is null;
    create index product_variants_newest on product_variants (tenant_id, created_at, id) where deleted_at is null;
  `);

export const down = (knex) => knex.raw('drop table product_variants, product_option_values, product_options, products');
